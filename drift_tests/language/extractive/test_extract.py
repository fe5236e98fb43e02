"""A chunk becomes entities with the sentences that say most of them, and relationships that state something."""

from __future__ import annotations

from drift_assets.language.extractive.extract import extract
from drift_assets.language.extractive.sentences import fold
from drift_assets.language.extractive.vocabulary import STOP
from drift_assets.language.tasks import Extract, Extraction
from drift_assets.names import entity_key
from drift_assets.settings import DEFAULT_TYPES

TEXT = """# The keeper of Gull Island

Mira Solano is the keeper of the lighthouse on
Gull Island. `I never sleep,' she says. Every night Mira
lights the Aurora Lamp. The Harbour Trust pays Solano's wages, and it owns
the AURORA LAMP.

In March the storm broke the lamp. Captain Tobias Reed brought new glass
from Oslo. "Will it hold?" asked Mira Solano. He thought so.
"""


def extracted(text: str = TEXT) -> Extraction:
    return extract(Extract(text=text, types=DEFAULT_TYPES))


def test_each_name_is_one_entity() -> None:
    names = [entity.name for entity in extracted().entities]
    assert {"Mira Solano", "Gull Island", "Aurora Lamp", "Harbour Trust", "Tobias Reed", "Oslo"} <= set(names)
    assert len({entity_key(name) for name in names}) == len(names)


def test_no_entity_is_a_pronoun_or_another_function_word() -> None:
    assert not {entity.name.lower() for entity in extracted().entities} & STOP


def test_every_description_stands_in_the_text() -> None:
    found = extracted()
    texts = [entity.description for entity in found.entities] + [said.description for said in found.relationships]
    for text in texts:
        for sentence in text.replace(". ", ".|").split("|"):
            assert sentence in fold(TEXT)


def test_what_something_is_describes_it_rather_than_what_is_asked() -> None:
    described = {entity.name: entity.description for entity in extracted().entities}
    assert described["Mira Solano"].startswith("Mira Solano is the keeper of the lighthouse on Gull Island.")


def test_relationships_join_entities_of_the_same_chunk() -> None:
    found = extracted()
    names = {entity.name for entity in found.entities}
    assert found.relationships
    assert all({said.source, said.target} <= names and said.source != said.target for said in found.relationships)
    assert all(1 <= said.strength <= 10 for said in found.relationships)


def test_a_text_without_sentences_has_nothing() -> None:
    for text in ("", "* * *", "QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 50, "12 34 56"):
        assert extracted(text) == Extraction(entities=[], relationships=[])
