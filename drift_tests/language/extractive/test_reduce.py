"""The final answer joins the sentences that answer, or says that nothing does."""

from __future__ import annotations

import re

import pytest

from drift_assets.language.extractive.answers import aspects_of
from drift_assets.language.extractive.reduce import read, reduce, wanted_count
from drift_assets.language.tasks import FinalAnswer, IntermediateAnswer, Reduce

ANSWERS = (
    IntermediateAnswer(
        question="Who broke the lamp?",
        answer="Tobias Reed broke the lamp in March. [8] He was ashamed of it for years. [8]",
        score=80,
    ),
    IntermediateAnswer(
        question="What is said of Oslo?",
        answer="The Harbour Trust bought a new lamp from Oslo for 300 pounds. [9]"
        " Tobias Reed broke the lamp in March. [8]",
        score=40,
    ),
    IntermediateAnswer(question="What of bread?", answer="Bread is cheap on Mondays. [11]", score=5),
)
BOTH = "Who broke the lamp, and how much was paid for the new lamp?"


def reduced(question: str, wish: str = "multiple paragraphs", cosine: float = 0.5) -> FinalAnswer:
    task = Reduce(question=question, answers=ANSWERS, response_type=wish)
    reading = read(task)
    return reduce(task, reading, [[cosine] * len(reading.shortlist)] * len(reading.aspects))


def test_sentences_are_answered_in_the_order_of_the_question_s_parts() -> None:
    made = reduced(BOTH)
    assert made.found
    assert made.answer.index("Tobias Reed") < made.answer.index("300 pounds")


def test_paragraphs_that_are_wished_for_hold_a_part_of_the_question_each() -> None:
    first, second = reduced(BOTH).answer.split("\n\n")
    assert "Tobias Reed" in first
    assert "300 pounds" in second
    assert "\n" not in reduced(BOTH, "single paragraph").answer


def test_no_sentence_comes_twice_and_each_keeps_its_number() -> None:
    text = reduced(BOTH).answer
    assert text.count("Tobias Reed broke the lamp in March.") == 1
    assert "Tobias Reed broke the lamp in March. [8]" in text
    assert "for 300 pounds. [9]" in text


@pytest.mark.parametrize(("wish", "most"), [("one sentence", 1), ("list of 2 points", 2), ("multiple paragraphs", 8)])
def test_the_wished_form_bounds_the_answer(wish: str, most: int) -> None:
    assert 1 <= len(re.findall(r"\[\d+\]", reduced(BOTH, wish).answer)) <= most


def test_a_question_of_more_parts_is_worth_more_sentences() -> None:
    three = "Who broke the lamp, what did it cost, and how did the trial end?"
    assert [wanted_count(aspects_of(question)) for question in ("Who broke it?", BOTH, three)] == [8, 12, 15]


def test_a_list_has_a_point_a_line() -> None:
    lines = reduced(BOTH, "list of 2 points").answer.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("- ") for line in lines)


def test_what_nothing_tells_is_not_found() -> None:
    assert reduced("Which football club won the 1998 final?", cosine=0.1) == FinalAnswer(answer="", found=False)
    empty = Reduce(question=BOTH, answers=(), response_type="")
    assert not reduce(empty, read(empty), [[], [], []]).found
