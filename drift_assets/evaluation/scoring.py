"""How good one answer is, by string matching: crude, and the same for every method and every day.

A match can pass a wrong answer: compare versions on all figures together, and read the answers that changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from drift_assets.evaluation.passages import folded
from drift_assets.evaluation.questions import Question
from drift_assets.search.citations import cited_numbers, renumber_citations

NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a search gave: its answer and status, and what there is to hold these against.

    `read` are the folded texts given to the model in all steps; `traced` these and the chunks that the reports rest
    on. `valid` are the numbers of the evidence that was given and exists in the index.
    """

    status: str
    answer: str
    read: Sequence[str]
    traced: Sequence[str]
    valid: Collection[int]


@dataclass(frozen=True, slots=True)
class Scores:
    """Figures of one answer, from 0 to 1; None where the question has none, as an unanswerable one has but the last.

    evidence_recall: share of the quotes that were read; traced_recall: with reports traced to their chunks.
    strict_match: 1 when all groups are met; partial_match: share of the groups that are.
    citation_validity: share of the citations that are evidence of this search; 0 without any, None where the search
    says that the documents do not tell, which has no citation to hold.
    abstained: 1 when the search says that the documents do not tell.
    """

    evidence_recall: float | None
    traced_recall: float | None
    strict_match: float | None
    partial_match: float | None
    citation_validity: float | None
    abstained: float


FAILED = Scores(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def score(question: Question, reading: Reading) -> Scores:
    """The figures of this answer to the question."""
    abstained = float(reading.status == NOT_FOUND)
    if not question.answerable:
        return Scores(None, None, None, None, None, abstained)
    partial = answer_match(reading.answer, question.must_mention)
    return Scores(
        evidence_recall=evidence_recall(question.evidence, reading.read),
        traced_recall=evidence_recall(question.evidence, reading.traced),
        strict_match=None if partial is None else float(partial == 1),
        partial_match=partial,
        citation_validity=None if abstained else citation_validity(reading.answer, reading.valid),
        abstained=abstained,
    )


def failed(question: Question) -> Scores:
    """The figures of a search that brought no answer: nothing was read, matched or said."""
    return FAILED if question.answerable else Scores(None, None, None, None, None, 0.0)


def evidence_recall(quotes: Sequence[str], texts: Sequence[str]) -> float | None:
    """Share of the quotes that stand in one of the folded texts; None without quotes."""
    if not quotes:
        return None
    return sum(any(folded(quote) in text for text in texts) for quote in quotes) / len(quotes)


def answer_match(answer: str, groups: Sequence[Sequence[str]]) -> float | None:
    """Share of the groups that the answer meets; None without groups.

    A group is met when one of its alternatives occurs in the lower-cased answer where a word starts: `grow` is met by
    `growing`, `ears` is not met by `years`. Numbers of citations are no part of the answer's words.
    """
    if not groups:
        return None
    words = folded(renumber_citations(answer, {})).lower()
    return sum(any(_begins_a_word(part, words) for part in group) for group in groups) / len(groups)


def citation_validity(answer: str, valid: Collection[int]) -> float:
    """Share of the numbers that the answer cites which are `valid`; 0 when it cites none."""
    cited = cited_numbers(answer)
    return sum(number in valid for number in cited) / len(cited) if cited else 0.0


def _begins_a_word(part: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(folded(part).lower())}", text) is not None
