"""Names are found where a capital means a name, and nowhere else."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.mentions import find_mentions
from drift_assets.language.extractive.nlp import parse
from drift_assets.language.extractive.sentences import split, verse_starts


def names(text: str) -> set[str]:
    return {mention.name for mention in find_mentions(parse(tuple(split(text))), verse_starts(text))}


def test_titles_belong_to_names_and_articles_do_not() -> None:
    text = "The crew feared Captain Tobias Reed, but Mr. Hale trusted the White Heron and the Harbour Trust."
    assert names(text) == {"Captain Tobias Reed", "Mr. Hale", "White Heron", "Harbour Trust"}


def test_a_name_may_go_over_a_line_s_end_and_lose_its_possessive() -> None:
    assert names("They rowed to Gull\nIsland in Tobias\nReed's boat.") == {"Gull Island", "Tobias Reed"}


def test_names_joined_by_of_stay_whole() -> None:
    assert "Queen of Spades" in names("At noon the Queen of Spades called the Bank of England.")
    assert "Bank of England" in names("At noon the Queen of Spades called the Bank of England.")


def test_a_capitalised_noun_within_sentences_is_a_name() -> None:
    text = "Then the Griffin laughed. After that the Griffin and the Tin Soldier danced for the Duchess."
    assert {"Griffin", "Tin Soldier", "Duchess"} <= names(text)


@pytest.mark.parametrize(
    "text",
    [
        "She was here. He left. They stayed. I wept, and It rained on Us.",
        "Suddenly rain fell. Perhaps nobody came. Bread was cheap.",
        "It was VERY late and SHE knew it. That IS true.",
        "On Monday, 3 May, the First of Three boats left. Two stayed.",
        "Chapter IV begins. See Part II and Chapter XII.",
        "Oh, how sad! Yes, Sir! Alas! Well, No.",
        "She spoke English and liked French wine.",
        "'Come here!' he said. 'Why not?' 'Because it rains.'",
    ],
)
def test_no_name_is_seen_where_there_is_none(text: str) -> None:
    assert names(text) == set()


def test_the_first_word_of_a_sentence_is_a_name_only_if_it_is_one_elsewhere() -> None:
    assert names("Bread is cheap. Ada bakes it. Everyone thanks Ada for bread.") == {"Ada"}


def test_capitals_that_begin_lines_of_verse_make_no_names() -> None:
    verse = "The lamp is lit, the night is long,\nWaves beat upon the stone,\nBirds have ended all their song\n"
    assert names(verse + "And Ada weeps alone.") == {"Ada"}


def test_an_epithet_belongs_to_the_name() -> None:
    assert "William the Conqueror" in names("They spoke of William the Conqueror all day.")
