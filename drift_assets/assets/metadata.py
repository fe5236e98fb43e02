"""A stage's report as Dagster shows it: numbers as numbers, tables as Markdown with the text escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from drift_assets.assets.report import StageReport
from drift_assets.markdown import table

# Those that count answers which were not of the wanted form.
FLAWS = ("repaired", "asked_again", "unparsed")
# The figures of `Usage` that each materialisation carries.
USAGE = (
    "language_calls",
    "embedding_calls",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "embedding_tokens",
    *FLAWS,
    "cost_usd",
)


def stage_metadata(report: StageReport) -> dict[str, Any]:
    """Metadata of a materialisation; the cost is left out when a price is unknown."""
    metadata: dict[str, Any] = {
        "new": report.new,
        "reused": report.reused,
        "deleted": report.deleted,
        "failed": report.failed,
        "seconds": round(report.seconds, 3),
        **{name: getattr(report.usage, name) for name in USAGE if getattr(report.usage, name) is not None},
        **report.facts,
    }
    if report.sample:
        metadata["sample"] = dg.MetadataValue.md(rows_table(report.sample))
    if report.picture:
        metadata["picture"] = dg.MetadataValue.md(report.picture)
    metadata |= {name: dg.MetadataValue.md(rows_table(rows)) for name, rows in report.tables.items() if rows}
    if report.flawed:
        metadata["flawed_answers"] = dg.MetadataValue.json(report.flawed)
    if report.failures:
        rows = [{"stage": f.stage, "item": f.item, "reason": f.reason} for f in report.failures]
        metadata["failures"] = dg.MetadataValue.md(rows_table(rows))
    return metadata


def rows_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of the rows, whose columns are those of the first."""
    columns = list(rows[0])
    return table(columns, [[_shown(row.get(column)) for column in columns] for row in rows])


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return "" if value is None else str(value)
