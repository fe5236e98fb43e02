"""What may bear on a question: by vectors, by words, by mentions."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

import pytest

from drift_assets.graph.address import Address
from drift_assets.graph.candidates import NAMES, TEXTS, Scope, candidate_chunks, named_entities, word_indexes
from drift_assets.graph.texts import Texts
from drift_tests.database import on
from drift_tests.search.archive import INDEX

T = TypeVar("T")
BOTH = frozenset({NAMES, TEXTS})


@pytest.fixture(scope="module")
def address(neo4j_server: Address) -> Address:
    INDEX.write(neo4j_server)
    return neo4j_server


def named(address: Address, text: str, words: Collection[str] = BOTH) -> list[str]:
    return on(address, lambda graph: named_entities(graph, text=text, count=3, words=words))


def chunks(address: Address, text: str, names: list[str], words: Collection[str] = BOTH) -> dict[str, float]:
    found = on(
        address,
        lambda graph: candidate_chunks(
            graph, Scope("", words), Texts(), vector=[0.0, 1.0, 0.0], text=text, names=names, count=1
        ),
    )
    return {candidate.piece.id: candidate.similarity for candidate in found}


def test_the_full_text_indexes_at_hand_are_known(address: Address) -> None:
    assert on(address, word_indexes) == BOTH


def test_an_entity_that_the_question_names_is_found_whatever_its_case(address: Address) -> None:
    assert set(named(address, "Did DRUMMOND ever meet reeve?")) == {"DRUMMOND", "REEVE"}


def test_a_part_of_a_word_names_nothing(address: Address) -> None:
    assert named(address, "Were there lamps and logs?") == []


@pytest.mark.parametrize("text", ["?!", "AND OR NOT", 'lamp" OR (log:* ~2^', "x" * 4_000, "灯台"])
def test_no_text_breaks_the_look_up(address: Address, text: str) -> None:
    assert set(named(address, text)) <= {"LAMP", "LOG"}


def test_without_the_index_no_name_is_found_and_nothing_fails(address: Address) -> None:
    assert named(address, "Reeve", frozenset()) == []


def test_chunks_come_by_vector_by_words_and_by_mention(address: Address) -> None:
    found = chunks(address, "burned", ["LOG"])

    assert set(found) == {"c3", "c2", "c4"}
    assert found["c3"] == pytest.approx(1.0, abs=1e-3)
    assert set(chunks(address, "burned", [], frozenset())) == {"c3"}
