"""Content words are the same for all forms of a word."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.words import WOMEN, content_words, form, held_words


def test_function_words_and_possessives_are_left_out() -> None:
    assert content_words("What did the keeper's daughter do with her own boat?") == ("keeper", "daughter", "boat")


@pytest.mark.parametrize(
    ("one", "other"),
    [("stole", "stolen"), ("painted", "painting"), ("mice", "mouse"), ("roses", "rose"), ("ran", "running")],
)
def test_forms_of_a_word_are_one(one: str, other: str) -> None:
    assert content_words(one) == content_words(other)


def test_unknown_words_and_numbers_stay() -> None:
    assert content_words("Zorblax paid 300 in 1882") == ("zorblax", "pay", "300", "1882")


@pytest.mark.parametrize(
    ("noun", "verb"), [("accusation", "accuse"), ("proposal", "propose"), ("appearance", "appear")]
)
def test_a_noun_and_its_verb_have_one_form(noun: str, verb: str) -> None:
    assert form(noun) == form(verb)


@pytest.mark.parametrize(("one", "other"), [("station", "state"), ("nation", "native"), ("mission", "miss")])
def test_short_words_keep_their_endings(one: str, other: str) -> None:
    assert form(one) != form(other)


def test_a_sentence_tells_of_women_by_what_it_calls_them() -> None:
    assert WOMEN in held_words("Miss Solano keeps the lighthouse.")
    assert WOMEN not in held_words("The lighthouse is old.")
