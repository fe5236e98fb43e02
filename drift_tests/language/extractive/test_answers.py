"""Intermediate answers are source sentences with the numbers of their sources."""

from __future__ import annotations

import re

from drift_assets.language.extractive.answers import answer, aspects_of, read
from drift_assets.language.extractive.sentences import fold
from drift_assets.language.tasks import Answer, Evidence, Prime, ScoredAnswer

LOG = """Tobias Reed broke the lamp in March. He was ashamed of it for years. Mira Solano keeps the lighthouse.
The Harbour Trust bought a new lamp from Oslo for 300 pounds. "It is bright. It will do," said Mira Solano."""
EVIDENCE = (
    Evidence(number=5, kind="report", title="The lamp", text="Tobias Reed broke the lamp in March.\nBread is cheap."),
    Evidence(number=8, kind="chunk", title="Log", text=LOG),
)


def answered(
    question: str, cosine: float = 0.4, evidence: tuple[Evidence, ...] = EVIDENCE, follow_ups: int = 3
) -> ScoredAnswer:
    task = Prime(question=question, evidence=evidence, response_type="multiple paragraphs", follow_ups=follow_ups)
    reading = read(task)
    return answer(task, reading, [[cosine] * len(reading.shortlist)] * len(reading.aspects))


def test_the_sentence_that_answers_is_cited_from_the_document() -> None:
    assert "Tobias Reed broke the lamp in March. [8]" in answered("Who broke the lamp?").answer


def test_every_sentence_stands_in_the_evidence_it_cites() -> None:
    texts = {piece.number: fold(piece.text) for piece in EVIDENCE}
    found = re.findall(r"(\S.*?) \[(\d+)\]", answered("Who broke the lamp, and what did the new lamp cost?").answer)
    assert found
    assert all(sentence in texts[int(number)] for sentence, number in found)


def test_each_part_of_the_question_is_answered() -> None:
    text = answered("Who broke the lamp, and how much was paid for the new lamp?").answer
    assert "Tobias Reed" in text
    assert "300 pounds" in text


def test_a_part_that_names_nothing_is_read_with_what_the_others_are_about() -> None:
    texts = [asked.text for asked in aspects_of("What happened to the lamp, and who was accused?")]
    assert texts[1:] == ["What happened to the lamp?", "Who was accused in the matter of the lamp?"]


def test_what_a_part_is_told_weighs_as_a_name_beside_its_own_words() -> None:
    accused = aspects_of("What happened to the lamp, and who was accused?")[2]
    assert accused.words == ("accus", "lamp")
    assert accused.names == {"lamp"}


def test_parts_that_ask_the_same_in_other_words_are_one_question() -> None:
    assert len(aspects_of("How does Mira Solano change her boat, and by what means?")) == 1
    assert len(aspects_of("Who broke the lamp, and when was it broken?")) == 3


def test_in_a_local_search_the_parts_of_the_user_s_question_count_too() -> None:
    user = "Who broke the lamp, and who keeps the lighthouse?"
    task = Answer(question=user, local_question="Why?", evidence=EVIDENCE, response_type="", follow_ups=0)
    assert [asked.text for asked in read(task).aspects] == ["Why?", *(asked.text for asked in aspects_of(user))]


def test_a_question_about_something_else_has_no_answer_and_no_score() -> None:
    made = answered("Which planet has the most moons?", cosine=0.05)
    assert (made.answer, made.score) == ("", 0)


def test_without_evidence_there_is_no_answer() -> None:
    made = answered("Who broke the lamp?", evidence=())
    assert (made.answer, made.score) == ("", 0)


def test_the_score_grows_with_the_words_held_and_with_likeness() -> None:
    question = "Who broke the lamp?"
    assert answered(question, 0.7).score > answered(question, 0.3).score > 0
    assert answered(question, 0.4).score > answered("Who broke the lamp of the old submarine?", 0.4).score


def test_the_local_question_is_answered_in_service_of_the_user_s() -> None:
    task = Answer(
        question="What did the new lamp cost?",
        local_question="What is said of Mira Solano?",
        evidence=EVIDENCE,
        response_type="multiple paragraphs",
        follow_ups=0,
    )
    reading = read(task)
    made = answer(task, reading, [[0.4] * len(reading.shortlist)] * len(reading.aspects))
    assert "Mira Solano" in made.answer
    assert "lamp" in made.answer
    assert made.follow_ups == []
