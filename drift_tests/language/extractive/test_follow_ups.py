"""Follow-ups ask for what is open, in plain English, each once."""

from __future__ import annotations

from drift_assets.language.extractive.candidates import of_evidence
from drift_assets.language.extractive.follow_ups import follow_ups, phrases
from drift_assets.language.extractive.ranking import Ranked
from drift_assets.language.tasks import Answer, Evidence, Prime

EVIDENCE = (
    Evidence(number=1, kind="chunk", title="Log", text="The Queen called Mira Solano. The Queen was angry."),
    Evidence(number=2, kind="entity", title="Queen", text="The Queen was angry."),
    Evidence(number=3, kind="entity", title="Mira Solano", text="The Queen called Mira Solano."),
)


def primed(question: str, count: int = 8) -> list[str]:
    return follow_ups(Prime(question=question, evidence=EVIDENCE, response_type="", follow_ups=count), [], [], count)


def test_the_parts_of_the_question_come_first() -> None:
    asked = primed("Who broke the lamp, and when was it mended?")
    assert asked[0] == "Who broke the lamp?"
    assert asked[1].startswith("When was it mended")


def test_a_simple_question_is_asked_by_its_things_and_by_names_that_were_met() -> None:
    asked = primed("Who broke the old lamp?")
    assert asked[0] == "What is said of the old lamp?"
    assert "How is the Queen connected with the old lamp?" in asked
    assert "How is Mira Solano connected with the old lamp?" in asked


def test_none_is_the_question_itself_or_another_again() -> None:
    asked = primed("What is said of Mira Solano?")
    assert len(set(asked)) == len(asked)
    assert "What is said of Mira Solano?" not in asked


def local(question: str, local_question: str, count: int) -> list[str]:
    task = Answer(
        question=question, local_question=local_question, evidence=EVIDENCE, response_type="", follow_ups=count
    )
    return follow_ups(task, [], [], count)


def test_an_answer_asks_as_many_as_it_may_and_a_primer_some_more() -> None:
    question = "Who broke the old lamp and the new boat of Tobias Reed?"
    assert len(local(question, "Who is the Queen?", 2)) == 2
    assert len(primed(question, 2)) > 2
    assert primed(question, 0) == local(question, "Who is the Queen?", 0) == []


def test_a_local_search_does_not_ask_for_the_parts_again() -> None:
    asked = local("Who broke the lamp, and when was it mended?", "Who broke the lamp?", 5)
    assert "Who broke the lamp?" not in asked


def test_things_of_a_pronoun_are_named_and_things_preferred_to_names() -> None:
    question = "How does Mira Solano change her boat?"
    assert phrases(question) == ("Mira Solano", "Mira Solano's boat")
    assert "How is the Queen connected with Mira Solano's boat?" in primed(question)


def test_things_met_in_sentences_are_asked_for_too() -> None:
    candidate = of_evidence([Evidence(number=1, kind="chunk", title="", text="The key of the cabin was lost.")])[0]
    task = Prime(question="Who broke the lamp?", evidence=EVIDENCE, response_type="", follow_ups=8)
    asked = follow_ups(task, [], [Ranked(candidate, 0.5, (0.5,), 0.5)], 8)
    assert "How is the key connected with the lamp?" in asked


def test_things_are_named_as_the_question_names_them() -> None:
    assert phrases("Why did Captain Reed sell the gold medal to a dealer?") == (
        "Captain Reed",
        "the gold medal",
        "a dealer",
    )
