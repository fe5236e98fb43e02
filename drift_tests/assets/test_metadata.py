"""What a stage reports, as Dagster shows it."""

from __future__ import annotations

import dagster as dg

from drift_assets.assets.metadata import USAGE, rows_table, stage_metadata
from drift_assets.assets.report import StageReport
from drift_assets.graph.failures import FailedItem
from drift_assets.language.usage import Usage

USED = Usage(
    language_calls=3,
    embedding_calls=2,
    input_tokens=100,
    cached_tokens=50,
    output_tokens=20,
    embedding_tokens=7,
    cost_usd=0.25,
    call_seconds=9.0,
    repaired=1,
    asked_again=1,
    unparsed=1,
)


def test_numbers_are_numbers() -> None:
    metadata = stage_metadata(
        StageReport(new=1, reused=2, deleted=3, failed=4, seconds=1.23456, usage=USED, facts={"levels": 2})
    )
    assert metadata == {
        "new": 1,
        "reused": 2,
        "deleted": 3,
        "failed": 4,
        "seconds": 1.235,
        "language_calls": 3,
        "embedding_calls": 2,
        "input_tokens": 100,
        "cached_tokens": 50,
        "output_tokens": 20,
        "embedding_tokens": 7,
        "repaired": 1,
        "asked_again": 1,
        "unparsed": 1,
        "cost_usd": 0.25,
        "levels": 2,
    }


def test_an_unknown_cost_is_left_out() -> None:
    assert "cost_usd" not in stage_metadata(StageReport(usage=Usage(cost_usd=None)))
    assert stage_metadata(StageReport())["cost_usd"] == 0.0


def test_all_figures_of_the_usage_but_the_time_are_carried() -> None:
    assert set(USAGE) == {name for name in Usage.__dataclass_fields__ if name != "call_seconds"}


def test_samples_and_failures_are_tables_of_escaped_text() -> None:
    report = StageReport(
        sample=[{"name": "A|B", "weight": 1.5, "type": None}],
        failures=[FailedItem("entities", "<b>", "refused *twice*")],
    )
    metadata = stage_metadata(report)
    assert metadata["sample"] == dg.MetadataValue.md(
        "| name | weight | type |\n| --- | --- | --- |\n| A\\|B | 1.50 |  |"
    )
    assert "| entities | &lt;b&gt; | refused \\*twice\\* |" in metadata["failures"].value


def test_rows_have_the_columns_of_the_first() -> None:
    assert rows_table([{"a": 1, "b": 2}, {"b": 3}]).splitlines()[-1] == "|  | 3 |"
