"""Whether sentences hold what a question asks, or only its surroundings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from drift_assets.language.extractive.candidates import held
from drift_assets.language.extractive.questions import Asked, holds_wanted
from drift_assets.language.extractive.ranking import Ranked

# Bounds set on questions with known answers, and on as many without one, about two corpora of fiction.
_SAME = 0.93
_KIND = 0.4
_FEW = 3
_LEAST_OF_FEW, _LEAST_OF_MANY = 0.25, 0.12
_SUM_OF_FEW, _SUM_OF_MANY = 0.9, 0.5
_LIKE = 0.38


def is_found(aspects: Sequence[Asked], chosen: Sequence[Ranked], weight: Mapping[str, float]) -> bool:
    """Whether the sentences answer the question, `aspects` being the whole and its parts.

    They do when one says nearly the same, or when they hold enough of the words that are no names, are like enough in
    meaning, and one of them names a name of the question. Of few words a larger share is needed, and beside a name;
    and a simple question for a number or a date needs a sentence that holds one beside its words.
    """
    if not chosen:
        return False
    asked = aspects[0]
    plain = {word: value for word, value in weight.items() if word not in asked.names} or dict(weight)
    likeness = max(item.likeness for item in chosen)
    if asked.names and likeness < _SAME and not any(item.candidate.words & asked.names for item in chosen):
        return False
    if len(plain) > _FEW:
        return likeness >= _SAME or _enough(_told(chosen, plain), likeness, _LEAST_OF_MANY, _SUM_OF_MANY)
    counted = len(aspects) == 1 and asked.wanted & {"number", "date"}
    holding = (item for item in chosen if holds_wanted(item.candidate.text, asked))
    if counted and max((held(item.candidate.words, weight) for item in holding), default=0.0) < _KIND:
        return False
    beside = [item for item in chosen if _speaks_of(item, asked.names)]
    return likeness >= _SAME or _enough(_told(beside, plain), likeness, _LEAST_OF_FEW, _SUM_OF_FEW)


def _enough(told: float, likeness: float, least: float, together: float) -> bool:
    return told >= least and likeness >= _LIKE and told + likeness >= together


def _told(chosen: Iterable[Ranked], plain: Mapping[str, float]) -> float:
    """The share of the words that the sentences hold together."""
    none: frozenset[str] = frozenset()
    return held(none.union(*(item.candidate.words for item in chosen)), plain)


def _speaks_of(item: Ranked, names: frozenset[str]) -> bool:
    """Whether a sentence names one of the names, or goes on from one that may."""
    return not names or bool(item.candidate.words & names) or item.candidate.points_back
