"""Whether one method is better than another on the same questions: paired differences with bootstrap intervals."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from drift_assets.evaluation.questions import UNANSWERABLE
from drift_assets.evaluation.table import ALL, Row

SAMPLES, SEED = 2_000, 42


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of a figure with `method` less that with `than`, over the `questions` that have it with both.

    `low` and `high` are the ends of the 95 % interval: resampled questions, percentiles (Efron 1979).
    """

    method: str
    than: str
    kind: str
    figure: str
    questions: int
    difference: float
    low: float
    high: float


def differences(
    method: str, than: str, rows: Mapping[str, Mapping[str, Row]], figures: Sequence[str]
) -> list[Difference]:
    """By kind, then over all answerable questions; `rows` are those of each method by question id."""
    pairs = [(rows[method][id], rows[than][id]) for id in rows[method] if id in rows[than]]
    kinds = dict.fromkeys(str(row["kind"]) for row, _ in pairs if row["kind"] != UNANSWERABLE)
    found = []
    for kind in [*kinds, ALL]:
        of_kind = [pair for pair in pairs if pair[0]["kind"] == kind or (kind == ALL and pair[0]["kind"] in kinds)]
        for figure in figures:
            both = [(one[figure], other[figure]) for one, other in of_kind]
            values = [float(a) - float(b) for a, b in both if a is not None and b is not None]
            if values:
                low, high = interval(values)
                found.append(Difference(method, than, kind, figure, len(values), fmean(values), low, high))
    return found


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 % of the means of samples drawn with replacement; the same for the same values."""
    chance = random.Random(SEED)
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(SAMPLES))
    return means[round(0.025 * (SAMPLES - 1))], means[round(0.975 * (SAMPLES - 1))]
