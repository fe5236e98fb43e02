"""Sentences that state something of two names become statements, in their direction, as close as they are said."""

from __future__ import annotations

from drift_assets.language.extractive.extract import extract
from drift_assets.language.tasks import Extract, ExtractedRelationship
from drift_assets.settings import DEFAULT_TYPES


def statements(text: str) -> list[ExtractedRelationship]:
    return extract(Extract(text=text, types=DEFAULT_TYPES)).relationships


def between(text: str, source: str, target: str) -> ExtractedRelationship:
    return next(said for said in statements(text) if (said.source, said.target) == (source, target))


def test_subject_and_object_are_tied_closely() -> None:
    said = between("Tobias Reed saved Mira Solano from the sea.", "Tobias Reed", "Mira Solano")
    assert said.strength >= 7
    assert said.description == "Tobias Reed saved Mira Solano from the sea."


def test_an_office_in_apposition_is_a_statement() -> None:
    text = "Tobias Reed, secretary to the Harbour Trust, resigned on Friday."
    assert between(text, "Tobias Reed", "Harbour Trust").strength >= 7


def test_the_doer_of_a_passive_is_tied_to_what_was_done() -> None:
    text = "The Aurora Lamp was built by the blacksmith Simon Oakes."
    assert between(text, "Aurora Lamp", "Simon Oakes").strength >= 7


def test_standing_in_one_sentence_is_a_loose_tie() -> None:
    text = "Mira Solano slept while rain fell on Gull Island and the sea rose."
    assert [said.strength <= 3 for said in statements(text)] == [True]


def test_a_list_of_names_states_nothing() -> None:
    assert statements("Present: Tobias Reed, Mira Solano; also Simon Oakes.") == []
