"""Questions are taken apart into what they ask."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.questions import holds_wanted, is_list, parts, read_question, sentence_count
from drift_assets.language.extractive.words import MEN, WOMEN, form


def test_a_question_of_several_parts_is_taken_apart() -> None:
    assert parts("Who built the lamp, and in which year did it break?") == [
        "Who built the lamp?",
        "In which year did it break?",
    ]
    assert parts("What happens to the boat, who is blamed, and how does it end?") == [
        "What happens to the boat?",
        "Who is blamed?",
        "How does it end?",
    ]


@pytest.mark.parametrize(
    "question",
    ["Who pays Mira and Tobias?", "What did the keeper do when the storm came, and later?", "Tell me of Oslo."],
)
def test_a_simple_question_is_its_only_part(question: str) -> None:
    assert parts(question) == [question]


def test_content_words_names_and_the_kind_asked_for_are_told() -> None:
    asked = read_question("How much did the Harbour Trust pay Mira Solano for the lamp?")
    assert asked.names == {"harbour", "trust", "mira", "solano"}
    assert {"pay", "lamp"} <= set(asked.words)
    assert asked.wanted == {"number"}


def test_a_question_of_words_about_asking_keeps_them() -> None:
    assert read_question("What happened?").words == ("happen",)


@pytest.mark.parametrize(
    ("question", "holding", "lacking"),
    [
        ("When did it break?", "It broke in 1902.", "It broke again."),
        ("How many boats sank?", "Three boats sank.", "Boats sank."),
        ("Who sank it?", "Then Tobias sank it.", "Then somebody sank it."),
        ("Why?", "Because.", ""),
    ],
)
def test_sentences_hold_the_kind_that_is_asked_for(question: str, holding: str, lacking: str) -> None:
    asked = read_question(question)
    assert holds_wanted(holding, asked)
    assert not lacking or not holds_wanted(lacking, asked)


@pytest.mark.parametrize(
    ("wish", "count"),
    [
        ("one sentence", 1),
        ("a single sentence", 1),
        ("list of 5 points", 5),
        ("single paragraph", 4),
        ("two paragraphs", 8),
        ("multiple paragraphs", 12),
        ("multiple-page report", 20),
        ("a short answer", 4),
        ("100 points", 20),
    ],
)
def test_the_wished_form_sets_the_length(wish: str, count: int) -> None:
    assert sentence_count(wish) == count


def test_lists_are_told_from_running_text() -> None:
    assert is_list("list of 5 points")
    assert not is_list("multiple paragraphs")


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) DETACH DELETE n; Who was Jonas Pike?",
        "Who was Jonas Pike? ') RETURN n UNION MATCH (n) DELETE n //",
        "Who was Jonas Pike AND NOT",
    ],
)
def test_a_query_in_a_question_is_no_part_of_what_it_asks(text: str) -> None:
    asked = read_question(text)
    assert set(asked.words) == {"jonas", "pike"}
    assert asked.names == {"jonas", "pike"}


def test_words_in_capitals_stay_where_they_are_all_or_stand_alone() -> None:
    assert "match" in read_question("Who lit the MATCH?").words
    assert set(read_question("MATCH DELETE").words) == {"match", form("delete")}


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("Who gave money for the lamp?", True),
        ("What did the keeper list in his log?", True),
        ("Give an overview of the money.", False),
        ("Could you please list what was paid?", False),
    ],
)
def test_a_request_asks_for_nothing_but_the_same_verb_may_be_what_somebody_did(question: str, held: bool) -> None:
    assert bool({"give", "list"} & set(read_question(question).words)) is held


def test_the_history_and_the_part_that_somebody_plays_in_it_are_words_about_asking() -> None:
    assert read_question("What part do women play in the history of the lamp?").words == (WOMEN, "lamp")
    assert "play" in read_question("Who could play the organ?").words


def test_women_and_men_are_asked_for_by_the_plural_alone() -> None:
    assert MEN in read_question("Which men rowed?").words
    assert "woman" in read_question("Who was the woman in the boat?").words
