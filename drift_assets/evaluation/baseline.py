"""A stored evaluation to hold later ones against: what has fallen by more than chance explains."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from drift_assets.errors import SettingsError
from drift_assets.evaluation.differences import Difference, differences
from drift_assets.evaluation.run import Answered

FIGURES = ("evidence_recall", "strict_match", "partial_match", "groundedness", "citation_validity")
BASELINE, LATEST = "baseline.json", "latest.json"
Figures = dict[str, dict[str, Any]]


def store(folder: Path, name: str, answers: Mapping[str, Answered]) -> Path:
    """The figures of these answers by question id are in `folder`; returns the file."""
    rows = {id: {"kind": row["kind"], **{figure: row[figure] for figure in FIGURES}} for id, row in answers.items()}
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    unfinished.replace(file)
    return file


def stored(folder: Path, name: str) -> Figures | None:
    """What `store` wrote, None where nothing is; raises SettingsError when the file cannot be read."""
    file = folder / name
    if not file.exists():
        return None
    try:
        found: Figures = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise SettingsError(f"{file} is no evaluation: delete it, and run `drift eval` again") from None
    return found


def changes(before: Figures, after: Figures) -> list[Difference]:
    """By kind and over all, the later figures less the earlier ones, over the questions that both have."""
    return differences("latest", "baseline", {"latest": after, "baseline": before}, FIGURES)


def falls(before: Figures, after: Figures) -> list[Difference]:
    """Those that fell by more than their interval: the whole of it lies below 0."""
    return [change for change in changes(before, after) if change.high < 0]


def mean(rows: Figures, figure: str) -> float | None:
    """The mean of a figure over the questions that have it."""
    values = [row[figure] for row in rows.values() if row[figure] is not None]
    return fmean(values) if values else None
