"""Names alone do not answer a question."""

from __future__ import annotations

from drift_assets.language.extractive.candidates import of_evidence, weights
from drift_assets.language.extractive.questions import read_question
from drift_assets.language.extractive.ranking import Ranked
from drift_assets.language.extractive.support import is_found
from drift_assets.language.tasks import Evidence

TEXT = "Mira Solano keeps the lighthouse. Mira Solano paid three pounds for the glass. Tobias Reed has a wife."


def found(question: str, likeness: float) -> bool:
    listed = of_evidence([Evidence(number=1, kind="chunk", title="", text=TEXT)])
    asked = read_question(question)
    chosen = [Ranked(candidate, 0.5, (0.5,), likeness) for candidate in listed]
    return is_found([asked], chosen, weights(asked, listed))


def test_the_words_of_the_question_and_some_likeness_answer_it() -> None:
    assert found("Who keeps the lighthouse?", 0.6)


def test_the_names_of_the_question_alone_do_not() -> None:
    assert not found("Whom did Mira Solano marry?", 0.7)


def test_words_that_are_said_of_others_do_not() -> None:
    assert not found("Who is the wife of Mira Solano?", 0.7)
    assert found("Who is the wife of Tobias Reed?", 0.7)


def test_words_without_any_likeness_do_not() -> None:
    assert not found("Who keeps bees in the lighthouse of Alexandria?", 0.1)


def test_a_sentence_that_says_nearly_the_same_does() -> None:
    assert found("Who is the guardian of Mira's beacon?", 0.95)


def test_a_number_that_is_asked_for_must_be_there() -> None:
    assert found("How many pounds did Mira Solano pay for the glass?", 0.8)
    assert not found("In which year did Mira Solano pay?", 0.8)


def test_nothing_chosen_is_nothing_found() -> None:
    asked = read_question("Who keeps the lighthouse?")
    assert not is_found([asked], [], {})
