"""The final answer: the best sentences of all intermediate answers, each with its citations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drift_assets.language.extractive.answers import cited
from drift_assets.language.extractive.questions import read_question, sentence_count
from drift_assets.language.extractive.ranking import (
    Candidate,
    Ranked,
    choose,
    held,
    rank,
    shortlist,
    weighed,
    weights,
)
from drift_assets.language.extractive.words import content_words
from drift_assets.language.tasks import FinalAnswer, Reduce

SHORTLIST = 40
_CITED = re.compile(r"(?P<text>[^\[\]]\S.*?|\S.*?)\s*(?P<numbers>(?:\[\d+\])+)", re.S)
_LEAST_SHARE = 0.5
_LEAST_LIKENESS = 0.35


def found_by_words(task: Reduce) -> list[Candidate]:
    """The sentences of the answers worth embedding, without repeats."""
    found: dict[str, Candidate] = {}
    for place, given in enumerate(task.answers):
        for index, match in enumerate(_CITED.finditer(given.answer)):
            text = match.group("text").strip()
            numbers = tuple(int(number) for number in re.findall(r"\d+", match.group("numbers")))
            found.setdefault(text, Candidate(text, numbers, (place, index), frozenset(content_words(text)), 0.0))
    return shortlist(weighed(read_question(task.question), list(found.values())), SHORTLIST)


def reduce(task: Reduce, listed: Sequence[Candidate], cosines: Sequence[float]) -> FinalAnswer:
    """The sentences that together answer the question; `found` is false when they do not hold what it asks."""
    asked = read_question(task.question)
    weight = weights(asked, [candidate.words for candidate in listed])
    chosen = choose(rank(listed, cosines), weight, sentence_count(task.response_type))
    if not chosen or not _found(chosen, weight):
        return FinalAnswer(answer="", found=False)
    ordered = sorted((item.candidate for item in chosen), key=lambda candidate: (candidate.numbers, candidate.place))
    return FinalAnswer(answer=" ".join(map(cited, ordered)), found=True)


def _found(chosen: Sequence[Ranked], weight: dict[str, float]) -> bool:
    words = frozenset().union(*(item.candidate.words for item in chosen))
    return held(words, weight) >= _LEAST_SHARE and max(item.likeness for item in chosen) >= _LEAST_LIKENESS
