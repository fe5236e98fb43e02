"""What an evaluation asks by."""

from __future__ import annotations

import pytest

from drift_assets.errors import SettingsError
from drift_assets.evaluation.variants import variants

CONFIG = {"depth": 2, "follow_ups": 3, "hybrid": True}


def test_methods_share_the_config() -> None:
    assert variants(["drift", "local"], CONFIG, []) == {
        "drift": {**CONFIG, "method": "drift"},
        "local": {**CONFIG, "method": "local"},
    }


def test_each_value_but_the_given_one_is_a_variant_of_drift() -> None:
    found = variants(["vector"], CONFIG, ["depth=0, 2,3", "follow-ups=1", "hybrid=on,off", "hyde=nearest,off"])

    assert list(found) == [
        "vector",
        "drift, depth 0",
        "drift, depth 3",
        "drift, follow ups 1",
        "drift, hybrid off",
        "drift, hyde off",
    ]
    assert found["drift, hybrid off"] == {**CONFIG, "method": "drift", "hybrid": False}


@pytest.mark.parametrize("line", ["depth=9", "depth", "sorcery=1", "question=2", "hyde=perhaps", "levels=many"])
def test_what_is_no_option_or_no_value_is_refused(line: str) -> None:
    with pytest.raises(SettingsError, match=line.partition("=")[0]):
        variants(["drift"], CONFIG, [line])
