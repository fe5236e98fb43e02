"""Follow-ups ask for what is open, in plain English, each once."""

from __future__ import annotations

from drift_assets.language.extractive.follow_ups import enumerated, follow_ups, phrases, with_article
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


def test_the_count_is_kept() -> None:
    assert len(primed("Who broke the old lamp and the new boat of Tobias Reed?", 2)) == 2
    assert primed("Who broke it?", 0) == []


def test_a_local_search_does_not_ask_for_the_parts_again() -> None:
    task = Answer(
        question="Who broke the lamp, and when was it mended?",
        local_question="Who broke the lamp?",
        evidence=EVIDENCE,
        response_type="",
        follow_ups=5,
    )
    assert "Who broke the lamp?" not in follow_ups(task, [], [], 5)


def test_things_are_named_as_the_question_names_them() -> None:
    assert phrases("Why did Captain Reed sell the gold medal to a dealer?") == [
        "Captain Reed",
        "the gold medal",
        "a dealer",
    ]


def test_names_have_their_article_where_the_text_writes_it() -> None:
    assert with_article("Queen", EVIDENCE[0].text) == "the Queen"
    assert with_article("Mira Solano", EVIDENCE[0].text) == "Mira Solano"
    assert enumerated(["a", "b", "c"]) == "a, b and c"
