"""Later evaluations held against a stored one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from drift_assets.errors import SettingsError
from drift_assets.evaluation.baseline import BASELINE, FIGURES, LATEST, falls, store, stored
from drift_assets.evaluation.check import judged, search_quality
from drift_assets.resources import DriftResource


def answers(*values: float, **more: Any) -> dict[str, dict[str, Any]]:
    return {
        f"q{n}": {"kind": "multi", **dict.fromkeys(FIGURES, value), "answer": "not kept", **more}
        for n, value in enumerate(values)
    }


def test_what_is_stored_is_the_figures_of_each_question(tmp_path: Path) -> None:
    store(tmp_path / "new", BASELINE, answers(1.0))

    assert stored(tmp_path / "new", BASELINE) == {"q0": {"kind": "multi", **dict.fromkeys(FIGURES, 1.0)}}
    assert stored(tmp_path, BASELINE) is None


def test_a_broken_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / BASELINE).write_text("{", encoding="utf-8")

    with pytest.raises(SettingsError, match="is no evaluation"):
        stored(tmp_path, BASELINE)


def test_a_figure_fell_when_its_whole_interval_lies_below_nothing() -> None:
    before = answers(*[1.0] * 8)

    assert {(fall.figure, fall.kind) for fall in falls(before, answers(*[0.2] * 8))} == {
        (figure, kind) for figure in FIGURES for kind in ("multi", "all")
    }
    # One question of eight less is what other eight questions could have brought.
    assert falls(before, answers(0.0, *[1.0] * 7)) == []
    assert falls(answers(*[0.2] * 8), before) == []


@pytest.mark.parametrize(
    ("before", "after", "passed", "told"),
    [
        (None, None, True, "no baseline yet"),
        (answers(*[1.0] * 8), answers(*[1.0] * 8), True, ""),
        (answers(*[1.0] * 8), answers(*[0.5] * 8), False, "fell: evidence recall of multi by 0.50; "),
        ({"other": answers(1.0)["q0"]}, answers(1.0), False, "asked none of the baseline's questions"),
    ],
)
def test_the_check_tells_what_fell(tmp_path: Path, before: Any, after: Any, passed: bool, told: str) -> None:
    for name, rows in ((BASELINE, before), (LATEST, after)):
        if rows is not None:
            store(tmp_path, name, rows)

    result = judged(tmp_path)

    assert result.passed is passed
    assert told in (result.description or "")


def test_the_check_runs_in_dagster_on_the_asset_of_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFT_HOME", str(tmp_path))
    store(tmp_path / "evaluation", BASELINE, answers(*[1.0] * 8))
    store(tmp_path / "evaluation", LATEST, answers(*[0.5] * 8))
    definitions = dg.Definitions(
        assets=[dg.AssetSpec(["drift", "answers"])],
        asset_checks=[search_quality],
        jobs=[dg.define_asset_job("quality", selection=dg.AssetSelection.checks(search_quality))],
        resources={"drift": DriftResource()},
    )

    done = definitions.resolve_job_def("quality").execute_in_process(raise_on_error=False)

    [evaluation] = done.get_asset_check_evaluations()
    assert (evaluation.check_name, evaluation.passed) == ("search_quality", False)
    assert evaluation.metadata["evidence_recall"].value == 0.5
