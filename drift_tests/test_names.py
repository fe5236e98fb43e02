"""One key for one name's spellings."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.names import LONGEST_NAME, entity_key, spelling

ANY_NAME = st.text(max_size=40) | st.text(alphabet="aZß ﬁŉǰİıͅΐ\u200b\u00ad.,'\"’-_#é\u0301K Ⅳ①", max_size=12)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", "ALICE"),
        ("White Rabbit", "white\n  rabbit"),
        ("White Rabbit", "White\u00a0Rabbit"),
        ("“White Rabbit,”", "White Rabbit"),
        ("**Pequod**", "Pequod"),
        ("Zo\u00eb", "Zoe\u0308"),
        ("Ｐｅｑｕｏｄ", "Pequod"),
        ("Straße", "STRASSE"),
        ("ﬁsh", "FISH"),
        ("co\u00adop", "coop"),
        ("\ufeffAhab\u200b", "Ahab"),
        ("爱丽丝", "《爱丽丝》。"),
        ("Alice (cat)", "(Alice (cat))."),
    ],
)
def test_spellings_of_one_name_have_one_key(one: str, other: str) -> None:
    assert entity_key(one) == entity_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", "Alice's sister"),
        ("Queen of Hearts", "King of Hearts"),
        ("Zoë", "Zoe"),
        ("C", "C++"),
        ("New York", "Newyork"),
        ("Room 1", "Room 2"),
    ],
)
def test_other_names_have_other_keys(one: str, other: str) -> None:
    assert entity_key(one) != entity_key(other)


@pytest.mark.parametrize("name", ["", "   ", "...", "—", "\u200b", "'\"'", "a" * (LONGEST_NAME + 1), "ß" * 150])
def test_what_is_no_name_has_no_key(name: str) -> None:
    assert entity_key(name) == ""


def test_the_longest_name_has_a_key() -> None:
    assert entity_key("a" * LONGEST_NAME) == "A" * LONGEST_NAME


def test_a_spelling_keeps_case_and_marks_within() -> None:
    assert spelling("  “Mr.  O'Brien-Smith”. ") == "Mr. O'Brien-Smith"


def test_a_bracket_that_belongs_to_a_name_stays_closed() -> None:
    assert spelling("Dinah (the cat),") == "Dinah (the cat)"


@given(ANY_NAME)
def test_a_key_is_its_own_key(name: str) -> None:
    assert entity_key(entity_key(name)) == entity_key(name)


@given(ANY_NAME)
def test_a_spelling_is_its_own_spelling(name: str) -> None:
    assert spelling(spelling(name)) == spelling(name)


@given(ANY_NAME)
def test_a_name_and_its_spelling_have_one_key(name: str) -> None:
    assert entity_key(spelling(name)) == entity_key(name)


# The iota below (U+0345) becomes a letter in upper case, and accents no longer find their place.
@given(ANY_NAME.filter(lambda name: "\u0345" not in unicodedata.normalize("NFD", name)))
def test_case_does_not_matter(name: str) -> None:
    assert entity_key(name.upper()) == entity_key(name)


@given(ANY_NAME)
def test_composed_and_decomposed_characters_have_one_key(name: str) -> None:
    assert entity_key(unicodedata.normalize("NFD", name)) == entity_key(unicodedata.normalize("NFC", name))


@given(ANY_NAME)
def test_a_key_is_bounded_and_has_no_blank_at_its_edges_nor_two_in_a_row(name: str) -> None:
    key = entity_key(name)
    assert len(key) <= LONGEST_NAME
    assert key == " ".join(key.split())
