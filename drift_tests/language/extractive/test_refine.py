"""A round refined without a model."""

from __future__ import annotations

from drift_assets.language.extractive.refine import refine
from drift_assets.language.tasks import Candidate, DroppedCandidate, Refine, RefinedQuestion

QUESTIONS = ("What is brass?", "Who was Reeve?", "What is brass made of?", "Where is the log?")


def test_overlapping_candidates_are_merged_into_the_first_and_the_last_are_left_out() -> None:
    task = Refine(
        question="Who lit the lamp?",
        asked=(),
        candidates=tuple(Candidate(number=n, question=q, asked_by="Why?") for n, q in enumerate(QUESTIONS, 1)),
        keep=2,
    )
    cosines = [[1.0, 0.1, 0.9, 0.9], [0.1, 1.0, 0.1, 0.1], [0.9, 0.1, 1.0, 0.2], [0.9, 0.1, 0.2, 1.0]]

    output = refine(task, cosines)

    assert output.questions == [
        RefinedQuestion(question="What is brass?", sources=[1, 3]),
        RefinedQuestion(question="Who was Reeve?", sources=[2]),
    ]
    assert output.dropped == [DroppedCandidate(number=4, reason="beyond the 2 questions of a round")]
