"""Likeness of names: what is taken for the same name, what may be, what cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.names import entity_key
from drift_assets.resolution.forms import contradict, form, likeness, singular


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("THE FOG ORGAN", "FOG ORGAN", "form"),
        ("FOG-ORGAN", "FOG ORGAN", "form"),
        ("L’ÉCOLE DES MINES", "L'ÉCOLE DES MINES", "form"),
        ("U.S.A.", "USA", "form"),
        ("DR. ADA MOSS", "DR ADA MOSS", "form"),
        ("ADA MOSS'S", "ADA MOSS", "possessive"),
        ("MOSS, ADA", "ADA MOSS", "order"),
        ("FOG ORGANS", "FOG ORGAN", "plural"),
        ("CAPTAIN QUILL", "QUILL", "title"),
        ("CAPTAIN QUILL", "OLD QUILL", "title"),
        ("QUILL", "ADA QUILL", "last"),
        ("CAPTAIN QUILL", "ADA QUILL", "last"),
        ("ADA", "ADA QUILL", "first"),
        ("QUEEN", "QUEEN OF HEARTS", "head"),
        ("BILL", "BILL THE LIZARD", "head"),
        ("A. QUILL", "ADA QUILL", "initials"),
        ("USA", "UNITED STATES OF AMERICA", "initials"),
        ("TOBIAS LUND", "TOBIAS LUNDT", "spelling"),
        ("DORMOUSE", "DOR MOUSE", "spelling"),
    ],
)
def test_names_that_may_be_of_one_thing_say_by_what(first: str, second: str, why: str) -> None:
    assert likeness(first, second) == why
    assert likeness(second, first) == why


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ALICE", "ALICE'S SISTER"),
        ("QUEEN OF HEARTS", "KING OF HEARTS"),
        ("QUEEN OF HEARTS", "QUEEN OF SPADES"),
        ("KING", "QUEEN"),
        ("MR. WARD", "MRS. WARD"),
        ("KING WARD", "LORD WARD"),
        ("ADA MOSS", "BEN MOSS"),
        ("HENRY IV", "HENRY V"),
        ("CHAPTER 3", "CHAPTER 4"),
        ("NORTH PIER", "SOUTH PIER"),
        ("CAPTAIN", "CAPTAIN AHAB"),
        ("RABBIT", "RABBIT-HOLE"),
        ("IRAN", "IRAQ"),
        ("MOSS", "ROSS"),
    ],
)
def test_names_of_two_things_are_not_alike(first: str, second: str) -> None:
    assert likeness(first, second) is None
    assert likeness(second, first) is None


def test_a_name_is_taken_apart() -> None:
    found = form("THE OLD CAPT. ADA QUILL'S")
    assert (found.words, found.titles, found.core) == (
        ("old", "capt", "ada", "quill"),
        ("old", "capt"),
        ("ada", "quill"),
    )
    assert found.possessive
    assert form("KING").is_title
    assert form("CAPTAIN OF THE GUARD").titles == ()


@pytest.mark.parametrize(
    ("plural", "one"), [("whales", "whale"), ("glass", "glass"), ("circus", "circus"), ("as", "as")]
)
def test_an_s_is_taken_for_a_plural_where_it_may_be_one(plural: str, one: str) -> None:
    assert singular(plural) == one


NAMES = st.text(max_size=30).map(entity_key) | st.sampled_from(
    ["A.", "THE", "O'", "S'", "MR. MR.", "OF OF", "-", "A THE"]
)


@given(NAMES, NAMES)
def test_likeness_takes_any_names_in_any_order(first: str, second: str) -> None:
    assert likeness(first, second) == likeness(second, first)
    assert contradict(first, second) == contradict(second, first)
    assert not contradict(first, first)
