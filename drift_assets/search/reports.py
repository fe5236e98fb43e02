"""Which reports a context holds: of the levels wanted, and none that only repeats one above or below it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from drift_assets.graph.levels import relatives
from drift_assets.graph.retrieval import Piece
from drift_assets.search import lookup
from drift_assets.search.passages import words_of
from drift_assets.search.step import Step

# So many are looked at for each one wanted, since some of them say the same.
_LOOKED_AT = 3
# A report beside one above or below it adds something when at least this share of its distinct words is new.
_LEAST_NEW = 0.35


async def near_reports(step: Step, vector: Sequence[float], count: int) -> list[Piece]:
    """The reports nearest to `vector`, of the search's levels."""
    return await _thinned(step, await lookup.reports_near(step, vector, _LOOKED_AT * count), count)


async def reports_of(step: Step, names: Sequence[str]) -> list[Piece]:
    """The reports above the named entities, of the search's levels, as many as its options say."""
    count = step.options.reports
    return await _thinned(step, await lookup.reports_over(step, names, _LOOKED_AT * count), count)


async def _thinned(step: Step, found: Sequence[Piece], count: int) -> list[Piece]:
    if not step.options.hybrid:
        return list(found[:count])
    related = await relatives(step.graph, ids=[piece.id for piece in found]) if len(found) > 1 else set()
    return adding(found, related, count)


def adding(found: Sequence[Piece], related: Collection[tuple[str, str]], count: int) -> list[Piece]:
    """The first `count` of them without those that add too little to a relative that stands before them."""
    taken: list[Piece] = []
    for piece in found:
        if len(taken) == count:
            break
        words = set(words_of(piece.text))
        told: set[str] = set()
        for other in taken:
            if (piece.id, other.id) in related or (other.id, piece.id) in related:
                told |= set(words_of(other.text))
        if not told or (words and len(words - told) / len(words) >= _LEAST_NEW):
            taken.append(piece)
    return taken
