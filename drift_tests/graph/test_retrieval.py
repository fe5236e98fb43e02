"""What a search reads, asked of a real Neo4j."""

from __future__ import annotations

import asyncio

import pytest

from drift_assets.graph import retrieval
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.graph.retrieval import Piece
from drift_tests.database import SmallIndex, on, query


def ids(pieces: list[Piece]) -> list[str]:
    return [piece.id for piece in pieces]


# B and C are equally far from [1, 0]; the order of writing is against the order of the ids.
TRIO = SmallIndex(
    entities={
        "C": ("Sees.", [0.8, -0.6]),
        "B": ("Bees.", [0.8, 0.6]),
        "A": ("Ays.", [0.0, 1.0]),
        "D": ("Dees.", [1.0, 0.0]),
    },
    chunks={
        "c1": ("one.txt", "A and B meet.", ["A", "B"], [0.0, 1.0]),
        "c2": ("one.txt", "A, alone.", ["A"], [0.0, 1.0]),
        "c3": ("two.txt", "B, alone.", ["B"], [1.0, 0.0]),
        "c4": ("two.txt", "D, alone.", ["D"], [1.0, 0.0]),
    },
    relationships=[("A", "B", 2.0), ("A", "C", 9.0), ("B", "D", 5.0), ("C", "D", 7.0)],
    communities={
        "top": (0, 6.0, "All of them.", None, [], [0.6, 0.8]),
        "left": (1, 8.0, "A and B.", "top", ["A", "B"], [1.0, 0.0]),
        "right": (1, 8.0, "C and D.", "top", ["C", "D"], None),
        "alone": (0, 2.0, "Nobody else.", None, [], [0.9, 0.1]),
    },
)


def test_the_nearest_entities_come_first_and_ties_are_broken_by_name(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)

    found = on(neo4j_server, lambda graph: retrieval.nearest_entities(graph, vectors="", vector=[1.0, 0.0], count=3))

    assert ids(found) == ["D", "B", "C"]


def test_an_entity_is_shown_under_its_commonest_spelling_with_its_summary(neo4j_server: Address) -> None:
    SmallIndex(entities={"MARTHA REEVE": ("A keeper.", [1.0, 0.0])}).write(neo4j_server)

    [found] = on(neo4j_server, lambda graph: retrieval.nearest_entities(graph, vectors="", vector=[1, 0], count=1))

    assert (found.title, found.text) == ("Martha Reeve", "A keeper.")


def test_an_entity_without_a_summary_is_described_by_its_statements(neo4j_server: Address) -> None:
    SmallIndex(entities={"A": ("", [1.0, 0.0])}).write(neo4j_server)
    query(neo4j_server, "MATCH (e:__Entity__) REMOVE e.summary SET e.description = ['One.', 'Two.']")

    [found] = on(neo4j_server, lambda graph: retrieval.nearest_entities(graph, vectors="", vector=[1, 0], count=1))

    assert found.text == "One. Two."


def test_an_entity_carries_its_document_only_when_there_is_one(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)

    found = on(neo4j_server, lambda graph: retrieval.nearest_entities(graph, vectors="", vector=[0, 1], count=4))

    assert {piece.id: piece.document for piece in found} == {"A": "one.txt", "B": None, "C": None, "D": "two.txt"}


def test_reports_without_a_vector_are_not_found_by_one(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)

    found = on(neo4j_server, lambda graph: retrieval.nearest_reports(graph, vectors="", vector=[1, 0], count=9))

    assert ids(found) == ["left", "alone", "top"]


def test_a_report_is_read_with_its_findings_and_nothing_twice(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)
    query(
        neo4j_server,
        "MATCH (m:__Community__ {id: 'left'}) SET m.findings = $findings",
        findings=[
            '{"summary": "A and B.", "explanation": "They met."}',
            '{"summary": "Then they left.", "explanation": ""}',
        ],
    )

    [found] = on(neo4j_server, lambda graph: retrieval.nearest_reports(graph, vectors="", vector=[1, 0], count=1))

    assert found.text == "A and B.\nThey met.\nThen they left."


def test_chunks_come_with_their_document(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)

    found = on(neo4j_server, lambda graph: retrieval.nearest_chunks(graph, vectors="", vector=[1, 0], count=2))

    assert [(piece.id, piece.title, piece.document) for piece in found] == [
        ("c3", "Title of two.txt", "two.txt"),
        ("c4", "Title of two.txt", "two.txt"),
    ]


def test_chunks_that_mention_more_of_the_entities_come_first_then_the_nearer_ones(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)

    found = on(
        neo4j_server,
        lambda graph: retrieval.chunks_mentioning(graph, names=["A", "B", "B"], vectors="", vector=[1, 0], count=3),
    )

    assert ids(found) == ["c1", "c3", "c2"]


def test_chunks_without_a_vector_come_last_of_those_that_mention_as_many(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)
    query(neo4j_server, "MATCH (c:__Chunk__ {id: 'c3'}) REMOVE c.embedding")

    found = on(
        neo4j_server,
        lambda graph: retrieval.chunks_mentioning(graph, names=["A", "B"], vectors="", vector=[0, 1], count=3),
    )

    assert ids(found) == ["c1", "c2", "c3"]


def test_reports_of_all_levels_above_the_entities_come_by_rating(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)

    found = on(neo4j_server, lambda graph: retrieval.reports_above(graph, names=["A", "C", "D"], count=5))

    # `right` holds two of the three, `left` one; both are rated 8. `alone` holds none.
    assert ids(found) == ["right", "left", "top"]


def test_a_community_whose_report_failed_is_not_read(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)
    query(neo4j_server, "MATCH (m:__Community__ {id: 'left'}) REMOVE m.summary, m.rating, m.title")

    assert ids(on(neo4j_server, lambda graph: retrieval.reports_above(graph, names=["A"], count=5))) == ["top"]


def test_only_relationships_between_the_entities_are_read_by_weight(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)

    found = on(neo4j_server, lambda graph: retrieval.relationships_between(graph, names=["D", "C", "B", "A"], count=2))
    between = on(neo4j_server, lambda graph: retrieval.relationships_between(graph, names=["B", "A", "D"], count=9))

    assert ids(found) == ["A-C", "C-D"]
    assert ids(between) == ["B-D", "A-B"]
    assert (between[1].title, between[1].text) == ("A – B", "A knows B.")


def test_a_relationship_carries_the_document_of_its_statements(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)
    query(
        neo4j_server,
        "MATCH (a:__Entity__ {name: 'A'}), (b:__Entity__ {name: 'B'}) CREATE (b)-[:RELATIONSHIP {chunk_id: 'c1'}]->(a)",
    )

    [found] = on(neo4j_server, lambda graph: retrieval.relationships_between(graph, names=["A", "B"], count=1))

    assert found.document == "one.txt"


def test_nothing_is_found_around_no_entities(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)

    async def around(graph: Graph) -> list[Piece]:
        return [
            *await retrieval.chunks_mentioning(graph, names=[], vectors="", vector=[1, 0], count=3),
            *await retrieval.reports_above(graph, names=[], count=3),
            *await retrieval.relationships_between(graph, names=[], count=3),
        ]

    assert on(neo4j_server, around) == []


def test_a_versioned_index_is_read_under_its_own_name_and_property(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)
    query(
        neo4j_server,
        "CREATE VECTOR INDEX entity_2 FOR (n:__Entity__) ON (n.embedding_2) "
        "OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}",
    )
    query(neo4j_server, "MATCH (e:__Entity__ {name: 'A'}) SET e.embedding_2 = [1.0, 0.0]")
    query(neo4j_server, "CALL db.awaitIndexes(60)")

    found = on(neo4j_server, lambda graph: retrieval.nearest_entities(graph, vectors="_2", vector=[1, 0], count=3))

    assert ids(found) == ["A"]


def test_a_suffix_of_another_form_never_reaches_the_database(neo4j_server: Address) -> None:
    with pytest.raises(ValueError, match="no suffix"):
        on(neo4j_server, lambda graph: retrieval.nearest_chunks(graph, vectors="' x", vector=[1, 0], count=1))


def test_missing_vector_indexes_are_named(neo4j_server: Address) -> None:
    TRIO.write(neo4j_server)
    query(neo4j_server, "DROP INDEX community")

    async def missing(graph: Graph) -> list[str]:
        return await retrieval.missing_vector_indexes(graph, vectors="")

    async def answer() -> list[str]:
        async with open_graph(neo4j_server) as graph:
            return await missing(graph)

    assert asyncio.run(answer()) == ["community"]
