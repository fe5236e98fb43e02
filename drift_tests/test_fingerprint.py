"""Identity from content: what must change a fingerprint, and what must not."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.fingerprint import fingerprint

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def base() -> tuple[Any, ...]:
    return ("chunk", "a text", ["one", "two"], {"model": "m", "size": 512})


@pytest.mark.parametrize(
    "parts",
    [
        ("text", "a text", ["one", "two"], {"model": "m", "size": 512}),
        ("chunk", "a  text", ["one", "two"], {"model": "m", "size": 512}),
        ("chunk", "A text", ["one", "two"], {"model": "m", "size": 512}),
        ("chunk", "a text", ["two", "one"], {"model": "m", "size": 512}),
        ("chunk", "a text", ["onetwo"], {"model": "m", "size": 512}),
        ("chunk", "a text", "one", "two", {"model": "m", "size": 512}),
        ("chunk", "a text", ["one", "two"], {"model": "m", "size": "512"}),
        ("chunk", "a text", ["one", "two"], {"model": "m", "size": 513}),
        ("chunk", "a text", ["one", "two"], {"model": "m", "size": 512, "effort": None}),
        ("chunk", "a text", ["one", "two"], {"model": "m"}),
        ("chunk", "a text", ["one", "two"]),
        ("chunk", ["one", "two"], "a text", {"model": "m", "size": 512}),
    ],
)
def test_another_tag_value_type_order_or_number_of_parts_changes_it(parts: tuple[Any, ...]) -> None:
    assert fingerprint(*parts) != fingerprint(*base())


@pytest.mark.parametrize(
    "parts",
    [
        ("chunk", "a text", ["one", "two"], {"size": 512, "model": "m"}),
        ("chunk", "a text", ("one", "two"), {"model": "m", "size": 512}),
    ],
)
def test_the_order_of_keys_and_the_kind_of_sequence_do_not_change_it(parts: tuple[Any, ...]) -> None:
    assert fingerprint(*parts) == fingerprint(*base())


def test_parts_do_not_run_into_each_other() -> None:
    assert fingerprint("t", "ab", "c") != fingerprint("t", "a", "bc")
    assert fingerprint("t", 'a","b') != fingerprint("t", "a", "b")


def test_none_false_zero_and_empty_are_all_different() -> None:
    values: list[Any] = [None, False, 0, "", [], {}, "null", "0"]
    assert len({fingerprint("t", value) for value in values}) == len(values)


def test_composed_and_decomposed_accents_are_different_texts() -> None:
    assert fingerprint("t", "\u00e9") != fingerprint("t", "e\u0301")


def test_it_is_32_hexadecimal_digits_that_never_change_between_versions() -> None:
    assert fingerprint("text", "Alice", 1) == "111368c04e1be2b2f68e371b645f6956"
    assert re.fullmatch("[0-9a-f]{32}", fingerprint("text"))


def test_it_is_the_same_in_another_process_with_another_hash_seed() -> None:
    code = "from drift_assets.fingerprint import fingerprint; print(fingerprint('t', {'b': [1, 'é'], 'a': None}))"
    found = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == fingerprint("t", {"a": None, "b": [1, "é"]})


def test_a_lone_surrogate_is_no_error() -> None:
    assert fingerprint("t", "\ud800") != fingerprint("t", "\udfff")


@given(JSON, JSON)
def test_different_values_have_different_fingerprints(one: Any, other: Any) -> None:
    assert (fingerprint("t", one) == fingerprint("t", other)) == (repr_of(one) == repr_of(other))


def repr_of(value: Any) -> str:
    """A canonical form that is not JSON: types and values, keys sorted."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{repr_of(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(repr_of, value)) + "]"
    return repr(value)
