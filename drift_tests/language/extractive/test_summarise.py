"""A summary is made of the sentences that say most, each once, in order."""

from __future__ import annotations

from drift_assets.language.extractive.summarise import summarise
from drift_assets.language.tasks import Summarise


def summary(subject: str, *descriptions: str) -> str:
    return summarise(Summarise(subject=subject, descriptions=descriptions)).summary


def test_each_sentence_is_a_source_sentence_and_none_comes_twice() -> None:
    descriptions = (
        "Mira keeps the light. Mira was born in Oslo.",
        "Mira keeps the light.",
        "The gulls fear nobody.",
    )
    text = summary("Mira", *descriptions)
    assert text == "Mira keeps the light. Mira was born in Oslo. The gulls fear nobody."


def test_what_recurs_is_preferred_to_what_is_said_in_passing() -> None:
    common = [f"Mira keeps the great lamp of the island in year {year}." for year in range(3)]
    odd = [f"Nobody saw {thing} there." for thing in ("cheese", "trains", "umbrellas", "violins", "pepper")]
    assert "Mira keeps the great lamp" in summary("Mira", *odd, *common)


def test_descriptions_without_sentences_are_kept_as_they_are() -> None:
    assert summary("Mira", "keeper", "lamp") == "keeper lamp"
    assert summary("Mira", "") == "Mira"


def test_many_descriptions_are_merged_in_bounded_length() -> None:
    many = tuple(f"Mira saw ship number {number} pass the island with cargo {number % 7}." for number in range(300))
    assert len(summary("Mira", *many)) < 1000
