"""Texts become sentences that stand in them, unwrapped and whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drift_assets.language.extractive.sentences import (
    fold,
    is_cut,
    joined,
    open_quotes,
    paragraphs,
    split,
    tidy,
    verse_starts,
)


def test_wrapped_lines_are_one_sentence_and_blank_lines_end_it() -> None:
    text = "The keeper lit\nthe lamp. She went\nto bed.\n\nMorning came without wind"
    assert split(text) == ["The keeper lit the lamp.", "She went to bed.", "Morning came without wind"]


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Reed met Dr. Ada Solano at St. Mary's Church on Sunday.",
        "The U.S. navy sent J. R. Hale there.",
        "It cost 3.5 pounds, i.e. too much.",
        '"Stop!" cried the keeper, and ran.',
        "`Who is there?' Tobias asked again.",
        "He waited... and then he left.",
    ],
)
def test_what_ends_no_sentence_does_not_end_one(text: str) -> None:
    assert split(text) == [text]


def test_a_quotation_stays_in_one_piece() -> None:
    text = '"I saw it. It was green," said Ada. Nobody believed her.'
    assert split(text) == ['"I saw it. It was green," said Ada.', "Nobody believed her."]


@pytest.mark.parametrize(
    "text",
    [
        "# The Log of the Keeper",
        "CHAPTER IV",
        "Chapter 2. The storm breaks",
        "* * *",
        "| a | b |",
        "A Short History",
        "-----",
    ],
)
def test_headings_tables_and_ornaments_are_no_sentences(text: str) -> None:
    assert split(f"{text}\n\nThe storm came at noon.") == ["The storm came at noon."]


def test_list_items_lose_their_marks() -> None:
    assert split("- The bell is cracked.\n- The rope is new.\n1. It rang at noon.") == [
        "The bell is cracked.",
        "The rope is new.",
        "It rang at noon.",
    ]


def test_words_broken_at_a_line_s_end_are_joined() -> None:
    assert split("The light-\nhouse is old. A lighthouse is tall.")[0] == "The lighthouse is old."
    assert split("A tea-\nparty is loud. Every tea-party is.")[0] == "A tea-party is loud."
    assert split("The con-\nstruction took long.")[0] == "The construction took long."


def test_a_quotation_mark_without_its_other_half_is_left_out() -> None:
    assert tidy("'I shall go home.") == "I shall go home."
    assert tidy('It rained all day."') == "It rained all day."
    assert tidy("'No,' said Ada.") == "'No,' said Ada."
    assert tidy("The sailors' boats") == "The sailors' boats"


@pytest.mark.parametrize(
    ("sentence", "cut"),
    [
        ("Ada left.", False),
        ('"Why?" asked Ada.', False),
        ("said Ada.", True),
        ("Ada said:", True),
    ],
)
def test_a_sentence_that_lacks_a_part_is_cut(sentence: str, cut: bool) -> None:
    assert is_cut(sentence) is cut


def test_open_quotes_knows_apostrophes() -> None:
    assert open_quotes("don't say 'yes' to Ada's friends") == []
    assert len(open_quotes("`Come here")) == 1


def test_first_words_of_verse_lines_are_told() -> None:
    verse = "The lamp is lit, the night is long,\n  Waves beat upon the stone,\nGulls have ended all their song,"
    assert verse_starts(f"Some prose that\nis wrapped.\n\n{verse}\n") == ["the", "waves", "gulls"]


def test_code_and_other_long_strings_are_no_sentences() -> None:
    assert split("QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 20) == []


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*"aB c.'\"`!?-(\n", "Mr. ", "Ada ", "said ", "\n\n", "rain. "]), max_size=60))
def test_every_sentence_stands_in_its_text(parts: list[str]) -> None:
    text = "".join(parts)
    everything = "".join("".join(paragraphs(text)).split())
    for sentence in split(text):
        assert "".join(sentence.split()) in everything
        assert sentence == fold(sentence)


@pytest.mark.parametrize(
    "sentences",
    [
        ["The lamp burned all night.", "Reeve lit it."],
        ["She hardly heard the words:--", "The footman repeated them."],
    ],
)
def test_joined_sentences_are_parted_as_they_were(sentences: list[str]) -> None:
    assert split(joined(sentences)) == sentences
