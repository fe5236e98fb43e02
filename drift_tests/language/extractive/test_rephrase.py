"""A question that leans on another, without a model."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.rephrase import rephrase
from drift_assets.language.tasks import Exchange, Rephrase

BEFORE = (
    Exchange(question="Where did the boat lie?", answer="At Lowe."),
    Exchange(question="Who was Clara Whitcombe?", answer="She built the bridge of Merrin."),
)


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("When did she leave?", "When did she leave? (Clara Whitcombe)"),
        ("And why?", "And why? (Clara Whitcombe)"),
        ("Who paid for the lamp?", "Who paid for the lamp?"),
    ],
)
def test_it_is_told_the_things_of_the_question_before_where_it_leans_on_them(question: str, alone: str) -> None:
    assert rephrase(Rephrase(question=question, conversation=BEFORE)).question == alone


def test_without_a_conversation_it_stays() -> None:
    assert rephrase(Rephrase(question="And why?", conversation=())).question == "And why?"
