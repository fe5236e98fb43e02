"""When two questions ask the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.likeness import asks_the_same, normal_form


@given(st.text())
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    assert normal_form(normal_form(text)) == normal_form(text)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("Who gave the money for the bridge of Merrin?", True),
        ("When was the bridge of Merrin paid for?", False),
        ("Who paid for the bridge of Lowe?", False),
        ("Who paid for the bridge of Merrin in 1880?", False),
    ],
)
def test_names_numbers_and_what_is_asked_tell_near_questions_apart(other: str, same: bool) -> None:
    assert asks_the_same("Who paid for the bridge of Merrin?", other, 0.97) is same


def test_far_questions_are_two() -> None:
    assert not asks_the_same("Who paid?", "Who gave the money?", 0.9)
    assert asks_the_same("Who paid?", "Who gave the money?", 0.9, least=0.85)
