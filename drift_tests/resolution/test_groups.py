"""What decisions on pairs amount to."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.resolution.groups import Decided, merged, survivors

COUNTS = {"QUILL": 5, "ADA QUILL": 3, "CAPTAIN QUILL": 3, "BEN QUILL": 1, "LUND": 1}


def groups(*decided: Decided) -> dict[str, list[str]]:
    return merged(survivors(COUNTS, decided))


def test_names_of_one_thing_stand_at_the_most_mentioned_of_them() -> None:
    assert groups(Decided("ADA QUILL", "QUILL", same=True), Decided("CAPTAIN QUILL", "QUILL", same=True)) == {
        "QUILL": ["ADA QUILL", "CAPTAIN QUILL", "QUILL"]
    }
    assert groups(Decided("ADA QUILL", "CAPTAIN QUILL", same=True)) == {"CAPTAIN QUILL": ["ADA QUILL", "CAPTAIN QUILL"]}
    assert survivors(COUNTS, []) == {name: name for name in COUNTS}


def test_what_was_decided_apart_is_not_joined_by_a_third_name() -> None:
    decided = [
        Decided("ADA QUILL", "QUILL", same=True),
        Decided("CAPTAIN QUILL", "QUILL", same=True),
        Decided("ADA QUILL", "CAPTAIN QUILL", same=False),
    ]
    assert groups(*decided) == {"QUILL": ["ADA QUILL", "QUILL"]}


def test_names_that_contradict_each_other_are_not_joined_by_a_third() -> None:
    assert groups(Decided("ADA QUILL", "QUILL", same=True), Decided("BEN QUILL", "QUILL", same=True)) == {
        "QUILL": ["ADA QUILL", "QUILL"]
    }


def test_the_users_word_goes_before_any_other() -> None:
    thought = [Decided("ADA QUILL", "QUILL", same=True), Decided("LUND", "QUILL", same=False)]
    told = [Decided("ADA QUILL", "QUILL", same=False, told=True), Decided("LUND", "QUILL", same=True, told=True)]
    assert groups(*thought, *told) == {"QUILL": ["LUND", "QUILL"]}
    assert groups(Decided("ADA QUILL", "BEN QUILL", same=True, told=True)) == {"ADA QUILL": ["ADA QUILL", "BEN QUILL"]}


def test_a_decision_on_a_name_that_is_gone_joins_nothing() -> None:
    assert groups(Decided("GONE", "QUILL", same=True), Decided("GONE", "LUND", same=True, told=True)) == {}


DECIDED = st.builds(
    Decided, st.sampled_from(sorted(COUNTS)), st.sampled_from(sorted(COUNTS)), st.booleans(), st.booleans()
).filter(lambda one: one.first < one.second)


@given(st.lists(DECIDED, max_size=12, unique_by=lambda one: (one.first, one.second, one.told)), st.integers())
def test_the_order_of_decisions_does_not_matter_and_what_the_user_split_is_split(
    decided: list[Decided], seed: int
) -> None:
    standing = survivors(COUNTS, decided)
    assert survivors(COUNTS, random.Random(seed).sample(decided, len(decided))) == standing
    assert all(standing[one.first] != standing[one.second] for one in decided if one.told and not one.same)
    assert all(standing[standing[name]] == standing[name] for name in COUNTS)


@pytest.mark.parametrize("standing", [{}, {"A": "A"}])
def test_nothing_is_merged_of_nothing(standing: dict[str, str]) -> None:
    assert merged(standing) == {}
