"""The spellings of one name within a text become one name."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.mentions import Mention
from drift_assets.language.extractive.spellings import parted, unify


def unified(*names: str, label: str = "PERSON") -> list[str]:
    return [mention.name for mention in unify([Mention(name, 0, 1, label) for name in names])]


@pytest.mark.parametrize(
    ("spellings", "shown"),
    [
        (("Queen", "QUEEN", "Queen"), "Queen"),
        (("Griffin", "Griffins", "Griffin"), "Griffin"),
        (("Mira Solano", "Solano", "Mira", "Dr. Solano"), "Mira Solano"),
        (("Captain Reed", "Reed"), "Captain Reed"),
        (("Grey Fox", "Fox", "Fox", "Fox"), "Grey Fox"),
        (("Knave of Spades", "Knave"), "Knave of Spades"),
    ],
)
def test_parts_cases_and_plurals_of_a_name_are_one(spellings: tuple[str, ...], shown: str) -> None:
    assert set(unified(*spellings)) == {shown}


def test_a_usual_bare_name_wins_over_a_rare_title() -> None:
    assert set(unified("Miss Ada", "Ada", "Ada", "Ada")) == {"Ada"}


def test_a_part_that_fits_two_names_stays() -> None:
    assert unified("Mira Reed", "Tobias Reed", "Reed") == ["Mira Reed", "Tobias Reed", "Reed"]


def test_people_of_one_surname_stay_apart() -> None:
    assert unified("Mr. Larsen", "Mrs. Larsen") == ["Mr. Larsen", "Mrs. Larsen"]


def test_a_common_title_stands_for_a_full_name_that_had_it_only() -> None:
    assert set(unified("Mr. Daniel Reeve", "Mr. Reeve")) == {"Daniel Reeve"}
    assert unified("Martha Reeve", "Mr. Reeve") == ["Martha Reeve", "Mr. Reeve"]


def test_a_title_goes_before_two_names_and_stays_before_one() -> None:
    assert parted("Dr. Ada Marsh") == ("dr", "Ada Marsh")
    assert parted("Mr. Marsh") == ("", "Mr. Marsh")
    assert parted("King of Spades") == ("", "King of Spades")
