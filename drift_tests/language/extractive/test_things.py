"""A noun that a text dwells on is a thing; one that it touches is none."""

from __future__ import annotations

from drift_assets.language.extractive.nlp import parse
from drift_assets.language.extractive.sentences import split
from drift_assets.language.extractive.things import MOST, find_things


def things(text: str, *names: str) -> set[str]:
    return {mention.name for mention in find_things(parse(tuple(split(text))), names)}


def test_a_noun_three_times_or_a_compound_twice_is_a_thing() -> None:
    text = "The medal shone. He sold the medal near a rose-tree. A medal is gold. He cut the rose-tree. A boat left."
    assert things(text) == {"medal", "rose-tree"}


def test_words_of_names_and_general_nouns_are_none() -> None:
    text = "The organ played. An organ is loud. One organ. The time came. Time passed. What time is it?"
    assert things(text, "Fog Organ") == set()


def test_there_are_few() -> None:
    text = " ".join(
        f"The {noun} broke. A {noun} fell. Some {noun} burnt." for noun in ("lamp", "boat", "rope", "oar", "net")
    )
    assert len(things(text)) == MOST
