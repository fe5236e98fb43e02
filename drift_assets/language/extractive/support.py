"""Whether sentences hold what a question asks, or only its surroundings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drift_assets.language.extractive.candidates import held
from drift_assets.language.extractive.questions import Asked, holds_wanted
from drift_assets.language.extractive.ranking import Ranked

# Bounds set on questions with known answers, and on as many without one, about two corpora of fiction.
_SAME = 0.88
_KIND = 0.4
_FEW = 3
_LEAST_OF_FEW, _LEAST_OF_MANY = 0.25, 0.12
_SUM_OF_FEW, _SUM_OF_MANY = 0.9, 0.5
_LIKE = 0.38


def is_found(aspects: Sequence[Asked], chosen: Sequence[Ranked], weight: Mapping[str, float]) -> bool:
    """Whether the sentences answer the question, `aspects` being the whole and its parts.

    They do when one says nearly the same, or when they hold enough of the words that are no names and are like enough
    in meaning; of few words a larger share is needed. A simple question for a number or a date is answered only by
    a sentence that holds one beside the question's words.
    """
    asked = aspects[0]
    if not chosen:
        return False
    if len(aspects) == 1 and asked.wanted & {"number", "date"} and _share_with_kind(asked, chosen, weight) < _KIND:
        return False
    likeness = max(item.likeness for item in chosen)
    if likeness >= _SAME:
        return True
    plain = {word: value for word, value in weight.items() if word not in asked.names}
    told = held(frozenset().union(*(item.candidate.words for item in chosen)), plain or weight)
    few = len(plain) <= _FEW
    least, enough = (_LEAST_OF_FEW, _SUM_OF_FEW) if few else (_LEAST_OF_MANY, _SUM_OF_MANY)
    return told >= least and likeness >= _LIKE and told + likeness >= enough


def _share_with_kind(asked: Asked, chosen: Sequence[Ranked], weight: Mapping[str, float]) -> float:
    return max(
        (held(item.candidate.words, weight) for item in chosen if holds_wanted(item.candidate.text, asked)), default=0.0
    )
