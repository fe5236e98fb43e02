"""The figures of many answers, by kind of question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

from drift_assets.evaluation.questions import UNANSWERABLE

ALL = "all"
Row = Mapping[str, str | float | None]


def by_kind(rows: Sequence[Row], figures: Sequence[str]) -> DataFrame:
    """Means of the figures and number of `questions`, by kind in order of appearance, then over all answerable ones.

    Each row is an answer: its `kind` and its figures, None where it has none. Unanswerable questions stand in a line
    of their own and are no part of `all`.
    """
    import pandas as pd

    frame = pd.DataFrame(list(rows), columns=["kind", *figures])
    frame[list(figures)] = frame[list(figures)].astype("float64")
    answerable = frame[frame["kind"] != UNANSWERABLE].assign(kind=ALL)
    groups = pd.concat([frame, answerable]).groupby("kind", sort=False)
    table = groups[list(figures)].mean()
    table.insert(0, "questions", groups.size())
    return table
