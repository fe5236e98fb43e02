"""The schema: set up once, awaited, and never in a graph that is not ours."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from drift_assets.errors import ForeignGraph, GraphError, IndexMismatch
from drift_assets.graph import schema
from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_tests.database import query

CONSTRAINTS = {"document", "chunk", "entity", "community", "former_community", "index", "search", "question"} | {
    "passage",
    "decision",
    "name",
}

# A graph as the library of the DRIFT article for Neo4j writes it.
ARTICLE = """
CREATE (a:__Entity__:PERSON {name: 'ALICE', type: 'PERSON', description: ['A girl.'], embedding: [0.6, 0.8]}),
       (r:__Entity__:PERSON {name: 'RABBIT', type: 'PERSON', description: ['A rabbit.'], summary: 'A rabbit.'}),
       (c:__Chunk__ {id: 'c0ffee', text: 'Alice follows the Rabbit.', tokens: 5}),
       (m:__Community__ {id: '0-1', level: 0, title: 'The hole', summary: 'Two fall.', rating: 7, rank: 2}),
       (c)-[:MENTIONS]->(a), (c)-[:MENTIONS]->(r),
       (a)-[:RELATIONSHIP {description: 'follows', strength: 8}]->(r),
       (a)-[:SUMMARIZED_RELATIONSHIP {summary: 'Alice follows the Rabbit.'}]->(r),
       (a)-[:IN_COMMUNITY]->(m), (r)-[:IN_COMMUNITY]->(m)
"""


@pytest.fixture
def bare_address(clean_address: Address) -> Address:
    """The shared Neo4j as a fresh one: no node, no constraint, no index."""
    for row in query(clean_address, "SHOW CONSTRAINTS YIELD name"):
        query(clean_address, f"DROP CONSTRAINT `{row['name']}`")
    for row in query(clean_address, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
        query(clean_address, f"DROP INDEX `{row['name']}`")
    return clean_address


def prepare(address: Address) -> None:
    async def inside() -> None:
        async with open_graph(address) as graph:
            await schema.prepare(graph)

    asyncio.run(inside())


def state(address: Address) -> schema.IndexState | None:
    async def inside() -> schema.IndexState | None:
        async with open_graph(address) as graph:
            return await schema.index_state(graph)

    return asyncio.run(inside())


def everything(address: Address) -> list[Any]:
    """All that the database holds."""
    return [
        query(address, "MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties ORDER BY elementId(n)"),
        query(
            address,
            "MATCH (a)-[r]->(b) RETURN elementId(a), elementId(b), type(r), properties(r) ORDER BY elementId(r)",
        ),
        query(address, "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name"),
        query(address, "SHOW INDEXES YIELD name RETURN name ORDER BY name"),
    ]


def test_every_key_is_unique_and_every_index_online(bare_address: Address) -> None:
    prepare(bare_address)
    constraints = query(bare_address, "SHOW CONSTRAINTS YIELD name, type RETURN name, type")
    assert {(row["name"], row["type"].replace("NODE_PROPERTY_", "")) for row in constraints} == {
        (f"drift_{name}", "UNIQUENESS") for name in CONSTRAINTS
    }
    indexes = query(bare_address, "SHOW INDEXES YIELD name, state RETURN name, state")
    assert {row["state"] for row in indexes} == {"ONLINE"}
    assert "entity_names" in {row["name"] for row in indexes}


def test_a_second_time_changes_nothing(clean_address: Address) -> None:
    prepare(clean_address)
    before = everything(clean_address)
    prepare(clean_address)
    assert everything(clean_address) == before


def test_several_at_once_on_a_fresh_database_do_not_meet(bare_address: Address) -> None:
    async def inside() -> None:
        async with open_graph(bare_address) as graph:
            await asyncio.gather(*(schema.prepare(graph) for _ in range(4)))

    asyncio.run(inside())
    assert query(bare_address, "MATCH (i:__Index__) RETURN i.id AS id") == [{"id": "drift"}]


def test_a_database_that_another_process_prepares_at_the_same_moment_is_not_foreign(bare_address: Address) -> None:
    async def inside() -> None:
        async with open_graph(bare_address) as graph:
            read, asked = graph.read, 0

            async def read_late(text: Any, **parameters: Any) -> Any:
                nonlocal asked
                rows = await read(text, **parameters)
                asked += 1
                if asked == 1:
                    await run_other()
                return rows

            async def run_other() -> None:
                async with open_graph(bare_address) as other:
                    await schema.prepare(other)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(graph, "read", read_late)
                await schema.refuse_foreign(graph)

    asyncio.run(inside())


def test_an_index_that_a_killed_start_left_without_its_constraint_is_replaced(clean_address: Address) -> None:
    prepare(clean_address)
    query(clean_address, "DROP CONSTRAINT drift_document")
    query(clean_address, "CREATE INDEX drift_document FOR (n:__Document__) ON (n.id)")
    prepare(clean_address)
    assert query(clean_address, "SHOW CONSTRAINTS YIELD name WHERE name = 'drift_document' RETURN name")


def test_a_fresh_index_knows_nothing_yet(clean_address: Address) -> None:
    assert state(clean_address) is None
    prepare(clean_address)
    assert state(clean_address) == schema.IndexState(None, None, False, None, None, "")


def test_the_graph_of_another_library_is_refused_and_left_as_it_is(bare_address: Address) -> None:
    query(bare_address, ARTICLE)
    before = everything(bare_address)
    with pytest.raises(ForeignGraph, match=r"__Chunk__.*nothing was changed.*NEO4J_DATABASE"):
        prepare(bare_address)
    assert everything(bare_address) == before


@pytest.mark.parametrize(
    "label", ["__Document__", "__Chunk__", "__Entity__", "__Community__", "__Search__", "__Question__", "__Passage__"]
)
def test_one_node_with_a_label_of_ours_is_enough_to_refuse(clean_address: Address, label: str) -> None:
    query(clean_address, f"CREATE (:{label} {{id: 'x', name: 'x'}})")
    with pytest.raises(ForeignGraph, match=label):
        prepare(clean_address)


def test_an_index_node_of_another_project_is_refused(clean_address: Address) -> None:
    query(clean_address, "CREATE (:__Index__ {id: 'theirs', schema_version: 99})")
    with pytest.raises(ForeignGraph, match="__Index__"):
        prepare(clean_address)


def test_nodes_with_other_labels_may_stand_beside_the_index(clean_address: Address) -> None:
    query(clean_address, "CREATE (:Person {name: 'Ann'})-[:KNOWS]->(:__Note {id: 1})")
    prepare(clean_address)
    assert query(clean_address, "MATCH (p:Person)-[:KNOWS]->(n:__Note) RETURN p.name AS name, n.id AS id") == [
        {"name": "Ann", "id": 1}
    ]


def test_an_index_of_a_newer_schema_is_refused(clean_address: Address) -> None:
    prepare(clean_address)
    query(clean_address, "MATCH (i:__Index__) SET i.schema_version = $version", version=schema.SCHEMA_VERSION + 1)
    before = everything(clean_address)
    with pytest.raises(IndexMismatch, match="upgrade drift-assets"):
        prepare(clean_address)
    assert everything(clean_address) == before


def test_an_index_that_failed_to_build_is_named(clean_address: Address) -> None:
    prepare(clean_address)
    query(clean_address, "DROP INDEX drift_passage_document")
    # A value too long for an index key makes the build fail.
    query(clean_address, "CREATE (:__Passage__ {id: 'p', document: $long})", long="x" * 40_000)
    try:
        with pytest.raises(GraphError, match="drift_passage_document failed to build; drop it"):
            prepare(clean_address)
    finally:
        query(clean_address, "DROP INDEX drift_passage_document")


def test_a_failed_index_of_others_does_not_matter(clean_address: Address) -> None:
    query(clean_address, "CREATE (:Note {text: $long})", long="x" * 40_000)
    query(clean_address, "CREATE INDEX others FOR (n:Note) ON (n.text)")
    try:
        prepare(clean_address)
    finally:
        query(clean_address, "DROP INDEX others")


def test_the_index_is_awaited_until_it_is_online(clean_address: Address) -> None:
    prepare(clean_address)
    query(clean_address, "DROP INDEX entity_names")
    query(clean_address, "UNWIND range(1, 400) AS n CREATE (:__Entity__ {name: 'N' + n, aliases: ['n' + n]})")
    prepare(clean_address)
    assert query(clean_address, "SHOW INDEXES YIELD name, state WHERE name = 'entity_names' RETURN state") == [
        {"state": "ONLINE"}
    ]


def test_the_state_of_the_corpus_is_remembered(clean_address: Address) -> None:
    async def inside() -> None:
        async with open_graph(clean_address) as graph:
            await schema.prepare(graph)
            await schema.set_corpus_version(graph, version="v1")

    asyncio.run(inside())
    assert state(clean_address) == schema.IndexState(None, "v1", False, None, None, "")
