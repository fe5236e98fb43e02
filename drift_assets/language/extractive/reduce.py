"""The final answer: the sentences of all intermediate answers that together answer the question."""

from __future__ import annotations

from collections.abc import Sequence

from drift_assets.language.extractive.answers import Reading, aspects_of, cited
from drift_assets.language.extractive.candidates import of_answers, weights
from drift_assets.language.extractive.questions import Asked, is_list, sentence_count
from drift_assets.language.extractive.ranking import Ranked, choose, rank, shortlist
from drift_assets.language.extractive.support import is_found
from drift_assets.language.tasks import FinalAnswer, Reduce

SHORTLIST = 40
_NEXT_TO_BEST = 0.35
# Sentences that each part of the question is sure of.
_OF_PART = 2
# Of a longer answer the first sentences decide: some word of a question stands in many a sentence.
_JUDGED = 8


def read(task: Reduce) -> Reading:
    """The sentences of the answers worth embedding."""
    listed = of_answers(task.answers)
    aspects = aspects_of(task.question)
    return Reading(tuple(aspects), tuple(listed), tuple(shortlist(aspects, listed, SHORTLIST)))


def reduce(task: Reduce, reading: Reading, cosines: Sequence[Sequence[float]]) -> FinalAnswer:
    """The answer, in the order in which the question asks; `found` is false when nothing holds what it asks."""
    ranked = rank(reading.aspects, reading.shortlist, cosines, reading.everything)
    weight = weights(reading.aspects[0], reading.everything)
    count = min(sentence_count(task.response_type), wanted_count(reading.aspects))
    chosen = choose(ranked, weight, count, _NEXT_TO_BEST, _OF_PART)
    if not is_found(reading.aspects, chosen[:_JUDGED], weight):
        return FinalAnswer(answer="", found=False)
    groups = [[cited(item.candidate) for item in group] for group in in_order(chosen)]
    if is_list(task.response_type):
        return FinalAnswer(answer="\n".join(f"- {text}" for group in groups for text in group), found=True)
    between = "\n\n" if "paragraphs" in task.response_type.lower() else " "
    return FinalAnswer(answer=between.join(" ".join(group) for group in groups), found=True)


def wanted_count(aspects: Sequence[Asked]) -> int:
    """How many sentences the question is worth: a question for one fact few, a broad one many."""
    pieces = max(len(aspects) - 1, 1)
    if pieces > 1:
        return 3 * pieces + 6
    return 8 if aspects[0].wanted else 12


def in_order(chosen: Sequence[Ranked]) -> list[list[Ranked]]:
    """For each part of the question the sentences that serve it best: the best first, the others by source."""
    groups: dict[int, list[Ranked]] = {}
    for item in chosen:
        own = item.aspects[1:] or item.aspects
        groups.setdefault(own.index(max(own)), []).append(item)
    ordered: list[list[Ranked]] = []
    for part in sorted(groups):
        best = max(groups[part], key=lambda item: (item.relevance, item.candidate.text))
        rest = [item for item in groups[part] if item is not best]
        ordered.append([best, *sorted(rest, key=lambda item: (item.candidate.numbers, item.candidate.place))])
    return ordered
