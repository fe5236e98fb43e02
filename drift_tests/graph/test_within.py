"""What a search may read of chosen documents: nothing that rests on others."""

from __future__ import annotations

from typing import TypeVar

import pytest

from drift_assets.graph import within
from drift_assets.graph.address import Address
from drift_assets.graph.candidates import NAMES, TEXTS, Scope, candidate_chunks
from drift_assets.graph.retrieval import Piece
from drift_assets.graph.texts import Texts
from drift_tests.database import SmallIndex, on, query

T = TypeVar("T")
ONE, BOTH = ["one.txt"], ["one.txt", "two.txt"]
INDEX = SmallIndex(
    entities={"A": ("A of both.", [1.0, 0.0]), "B": ("B of one.", [0.8, 0.6]), "C": ("C of two.", [0.9, 0.1])},
    chunks={
        "c1": ("one.txt", "A meets B.", ["A", "B"], [0.0, 1.0]),
        "c2": ("two.txt", "A meets C.", ["A", "C"], [1.0, 0.0]),
        "c3": ("two.txt", "C alone.", ["C"], [1.0, 0.1]),
    },
    relationships=[("A", "B", 2.0), ("A", "C", 9.0)],
    communities={
        "top": (0, 9.0, "All of them.", None, [], [1.0, 0.0]),
        "left": (1, 5.0, "B.", "top", ["B"], [0.0, 1.0]),
        "right": (1, 8.0, "A and C.", "top", ["A", "C"], [1.0, 0.0]),
    },
)


@pytest.fixture(scope="module")
def address(neo4j_server: Address) -> Address:
    INDEX.write(neo4j_server)
    query(
        neo4j_server,
        "MATCH (c:__Chunk__)-[m:MENTIONS]->(e) SET m.description = e.name + ' as ' + c.id + ' has it.'",
    )
    query(
        neo4j_server,
        "MATCH (a {name: 'A'}), (b {name: 'B'}), (c {name: 'C'}) "
        "CREATE (a)-[:RELATIONSHIP {chunk_id: 'c1', description: 'A meets B.', strength: 2.0}]->(b), "
        "(a)-[:RELATIONSHIP {chunk_id: 'c1', description: 'A knows C.', strength: 1.0}]->(c), "
        "(c)-[:RELATIONSHIP {chunk_id: 'c2', description: 'C meets A.', strength: 8.0}]->(a)",
    )
    return neo4j_server


def told(pieces: list[Piece]) -> dict[str, str]:
    return {piece.id: piece.text for piece in pieces}


def test_the_nearest_chunks_are_those_of_the_documents_however_near_others_are(address: Address) -> None:
    for documents, ids in ((ONE, ["c1"]), (BOTH, ["c2", "c3"]), ([], [])):
        found = on(
            address,
            lambda graph, of=documents: within.nearest_chunks(graph, documents=of, vectors="", vector=[1, 0], count=2),
        )
        assert [piece.id for piece in found] == ids


def test_an_entity_is_told_by_its_summary_only_where_that_rests_on_these_documents(address: Address) -> None:
    def entities(of: list[str]) -> dict[str, str]:
        return told(
            on(
                address,
                lambda graph: within.nearest_entities(graph, documents=of, vectors="", vector=[1, 0], count=9),
            )
        )

    assert entities(ONE) == {"A": "A as c1 has it.", "B": "B of one."}
    assert list(entities(BOTH)) == ["A", "C", "B"]
    assert entities(BOTH)["A"] == "A of both."


def test_entities_that_the_documents_do_not_mention_are_not_found_by_name(address: Address) -> None:
    found = on(address, lambda graph: within.entities_by_name(graph, documents=ONE, names=["C", "B", "A"]))
    assert told(found) == {"B": "B of one.", "A": "A as c1 has it."}
    assert [piece.document for piece in found] == ["one.txt", "one.txt"]


def test_chunks_come_by_how_many_entities_they_mention(address: Address) -> None:
    found = on(
        address,
        lambda graph: within.chunks_mentioning(
            graph, documents=BOTH, names=["A", "C", "C"], vectors="", vector=[1, 0], count=9
        ),
    )
    assert [piece.id for piece in found] == ["c2", "c3", "c1"]


def test_relationships_are_what_the_documents_state(address: Address) -> None:
    def relationships(of: list[str]) -> dict[str, str]:
        found = on(
            address, lambda graph: within.relationships_between(graph, documents=of, names=["A", "B", "C"], count=9)
        )
        return {piece.title: piece.text for piece in found}

    assert relationships(ONE)["A – C"] == "A knows C."
    assert list(relationships(ONE)) == ["A – B", "A – C"]
    assert list(relationships(BOTH)) == ["A – C", "A – B"]
    assert relationships(["three.txt"]) == {}


def test_reports_that_rest_on_other_documents_are_left_out(address: Address) -> None:
    def near(of: list[str], levels: tuple[int, int] | None = None) -> list[str]:
        found = on(
            address,
            lambda graph: within.nearest_reports(
                graph, documents=of, vectors="", vector=[1, 0], count=9, levels=levels
            ),
        )
        return [piece.id for piece in found]

    assert near(ONE) == ["left"]
    assert near(BOTH) == ["right", "top", "left"]
    assert near(BOTH, (0, 0)) == ["top"]
    above = on(
        address, lambda graph: within.reports_above(graph, documents=ONE, names=["A", "B"], count=9, levels=None)
    )
    assert [piece.id for piece in above] == ["left"]


def test_candidates_are_found_in_the_documents_alone(address: Address) -> None:
    scope = Scope("", frozenset({NAMES, TEXTS}), ONE)
    found = on(
        address,
        lambda graph: candidate_chunks(
            graph, scope, Texts(), vector=[1.0, 0.0], text="meets alone", names=["A", "C"], count=9
        ),
    )
    assert [candidate.piece.id for candidate in found] == ["c1"]


def test_documents_are_listed_with_what_they_say_of_themselves(address: Address) -> None:
    query(address, "MATCH (d:__Document__ {id: 'one.txt'}) SET d.metadata = $metadata", metadata='{"author": "Ada"}')
    assert on(address, within.documents_below) == [
        ("one.txt", "Title of one.txt", '{"author": "Ada"}'),
        ("two.txt", "Title of two.txt", "{}"),
    ]
