"""Answers made of source sentences, each followed by the number of its source."""

from __future__ import annotations

from collections.abc import Sequence

from drift_assets.language.extractive.follow_ups import follow_ups
from drift_assets.language.extractive.questions import Asked, read_question, sentence_count
from drift_assets.language.extractive.ranking import (
    Candidate,
    Ranked,
    candidates,
    choose,
    held,
    rank,
    shortlist,
    weights,
)
from drift_assets.language.tasks import Answer, Evidence, Prime, ScoredAnswer

SHORTLIST = 8
_LEAST = 0.25


def asked_of(task: Prime | Answer) -> Asked:
    """The question that the sentences must answer: the local one where there is one."""
    return read_question(task.local_question if isinstance(task, Answer) else task.question)


def found_by_words(task: Prime | Answer) -> list[Candidate]:
    """The sentences of the evidence worth embedding."""
    return shortlist(candidates(asked_of(task), task.evidence), SHORTLIST)


def answer(task: Prime | Answer, listed: Sequence[Candidate], cosines: Sequence[float]) -> ScoredAnswer:
    """The answer from the shortlisted sentences, given the cosine of each with the question."""
    asked = asked_of(task)
    user = read_question(task.question)
    ranked = rank(listed, cosines)
    weight = weights(asked, [candidate.words for candidate in listed])
    count = min(sentence_count(task.response_type), 4)
    chosen = choose([item for item in ranked if item.relevance >= _LEAST], weight, count)
    return ScoredAnswer(
        answer=written(chosen),
        score=score(user, chosen),
        follow_ups=follow_ups(task, chosen, listed, task.follow_ups),
    )


def score(user: Asked, chosen: Sequence[Ranked]) -> float:
    """How well the sentences serve the user's question, 0–100: the share of its words, weighted by likeness."""
    if not chosen:
        return 0.0
    words = frozenset().union(*(item.candidate.words for item in chosen))
    share = held(words, dict.fromkeys(user.words, 1.0))
    return round(100 * (0.5 * share + 0.5 * share * max(item.likeness for item in chosen)), 1)


def written(chosen: Sequence[Ranked]) -> str:
    """The sentences in the order of their sources, each with its citations."""
    ordered = sorted((item.candidate for item in chosen), key=lambda candidate: candidate.place)
    return " ".join(cited(candidate) for candidate in ordered)


def cited(candidate: Candidate) -> str:
    """A sentence followed by its citations."""
    return f"{candidate.text} {''.join(f'[{number}]' for number in candidate.numbers)}"


def text_of(evidence: Sequence[Evidence]) -> str:
    """All evidence as one text, to look names up in."""
    return "\n".join(piece.text for piece in evidence)
