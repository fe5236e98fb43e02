"""Whether sentences hold what a question asks, or only its surroundings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drift_assets.language.extractive.candidates import held
from drift_assets.language.extractive.questions import Asked, holds_wanted
from drift_assets.language.extractive.ranking import Ranked


def is_found(asked: Asked, chosen: Sequence[Ranked], weight: Mapping[str, float]) -> bool:
    """Whether the sentences answer: share of words (rarest weigh most), of words that are no names, and likeness."""
    f = features(asked, chosen, weight)
    return f["all"] >= 0.5 and f["like"] >= 0.35


def features(asked: Asked, chosen: Sequence[Ranked], weight: Mapping[str, float]) -> dict[str, float]:
    if not chosen:
        return dict(all=0, plain=0, one=0, oneplain=0, like=0, rel=0)
    plain = {word: value for word, value in weight.items() if word not in asked.names}
    union = frozenset().union(*(item.candidate.words for item in chosen))
    return dict(
        all=held(union, weight),
        plain=held(union, plain),
        one=max(held(item.candidate.words, weight) for item in chosen),
        oneplain=max(held(item.candidate.words, plain) for item in chosen),
        like=max(item.likeness for item in chosen),
        rel=max(item.relevance for item in chosen),
        nplain=len(plain),
        pn=held(
            frozenset().union(
                *(
                    i.candidate.words
                    for i in chosen
                    if not asked.names or i.candidate.words & asked.names or i.candidate.points_back
                )
            ),
            plain,
        ),
        pm=max(
            held(i.candidate.words, plain)
            if not asked.names or i.candidate.words & asked.names or i.candidate.points_back
            else 0
            for i in chosen
        ),
        names=len(asked.names),
        kind=max(
            (held(item.candidate.words, weight) for item in chosen if holds_wanted(item.candidate.text, asked)),
            default=0,
        ),
        strict=float(bool(asked.wanted & {"date", "number"})),
    )
