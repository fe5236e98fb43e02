"""The shared Neo4j made empty, and small indexes written by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from neo4j import Driver, GraphDatabase

from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, close_connections, keep_connections, open_graph

T = TypeVar("T")
_shared: dict[Address, tuple[Driver, asyncio.Runner]] = {}

FULL_TEXT_INDEXES = {
    "entity_names": "FOR (n:__Entity__) ON EACH [n.name, n.aliases]",
    "chunk_texts": "FOR (n:__Chunk__) ON EACH [n.text]",
}
VECTOR_INDEXES = {"entity": "__Entity__", "community": "__Community__", "chunk": "__Chunk__"}


def empty(address: Address) -> None:
    """No node is left, and no vector index: their dimensions differ from test to test."""
    with driver(address) as opened:
        _delete_nodes(opened, address)
        for record in run(opened, address, "SHOW VECTOR INDEXES YIELD name RETURN name"):
            run(opened, address, f"DROP INDEX `{record['name']}` IF EXISTS")


def _delete_nodes(opened: Driver, address: Address) -> None:
    run(opened, address, "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")


@contextmanager
def shared(address: Address) -> Iterator[None]:
    """In the block tests reach this address by one blocking driver and one event loop, over connections that stay."""
    opened = _driver(address)
    with opened, asyncio.Runner() as runner:
        runner.run(keep_connections())
        _shared[address] = opened, runner
        try:
            yield
        finally:
            del _shared[address]
            runner.run(close_connections())


@contextmanager
def driver(address: Address) -> Iterator[Driver]:
    """A blocking driver, for tests to write and look."""
    if address in _shared:
        yield _shared[address][0]
        return
    with _driver(address) as opened:
        yield opened


def run_on(address: Address, work: Coroutine[Any, Any, T]) -> T:
    """The result of work on the database at the address."""
    return _shared[address][1].run(work, context=copy_context()) if address in _shared else asyncio.run(work)


def on(address: Address, work: Callable[[Graph], Awaitable[T]]) -> T:
    """What `work` returns on the open graph, which may hold anything."""

    async def inside() -> T:
        async with open_graph(address) as graph:
            return await work(graph)

    return run_on(address, inside())


def _driver(address: Address) -> Driver:
    return GraphDatabase.driver(address.uri, auth=(address.username, address.password))


def query(address: Address, text: str, **parameters: Any) -> list[dict[str, Any]]:
    """Rows of one statement."""
    with driver(address) as opened:
        return run(opened, address, text, **parameters)


def run(opened: Driver, address: Address, text: str, **parameters: Any) -> list[dict[str, Any]]:
    """Rows of one statement on an open driver, in a transaction of its own."""
    with opened.session(database=address.database) as session:
        return session.run(text, parameters).data()


@dataclass(frozen=True)
class SmallIndex:
    """An index of a handful of nodes; vectors have two dimensions unless all given ones have more.

    chunks: id to (document, text, names mentioned, vector); entities: name to (summary, vector); relationships:
    (source, target, weight); communities: id to (level, rating, summary, parent, members, vector).
    """

    entities: Mapping[str, tuple[str, Sequence[float]]] = field(default_factory=dict)
    chunks: Mapping[str, tuple[str, str, Sequence[str], Sequence[float]]] = field(default_factory=dict)
    relationships: Sequence[tuple[str, str, float]] = ()
    communities: Mapping[str, tuple[int, float, str, str | None, Sequence[str], Sequence[float] | None]] = field(
        default_factory=dict
    )
    dimensions: int = 2
    embedding: str = "scripted:words"

    def write(self, address: Address) -> None:
        """The database holds exactly this index, whatever it held before; its vector indexes are online."""
        with driver(address) as opened:
            _delete_nodes(opened, address)
            run(
                opened,
                address,
                "CREATE (:__Index__ {id: 'drift', schema_version: 1, corpus: 'corpus', embedding_model: $model, "
                "dimensions: $dimensions, vectors: ''})",
                model=self.embedding,
                dimensions=self.dimensions,
            )
            self._write_nodes(opened, address)
            self._write_vector_indexes(opened, address)

    def _write_vector_indexes(self, opened: Driver, address: Address) -> None:
        """Those that fit are kept from the test before: to build one takes a second."""
        rows = run(
            opened,
            address,
            "SHOW VECTOR INDEXES YIELD name, options RETURN name, options.indexConfig['vector.dimensions'] AS size",
        )
        kept = {row["name"] for row in rows if row["name"] in VECTOR_INDEXES and row["size"] == self.dimensions}
        for row in rows:
            if row["name"] not in kept:
                run(opened, address, f"DROP INDEX `{row['name']}`")
        for name in sorted(VECTOR_INDEXES.keys() - kept):
            run(
                opened,
                address,
                f"CREATE VECTOR INDEX {name} FOR (n:{VECTOR_INDEXES[name]}) ON (n.embedding) OPTIONS {{indexConfig: "
                f"{{`vector.dimensions`: {self.dimensions}, `vector.similarity_function`: 'cosine'}}}}",
            )
        for name, covered in FULL_TEXT_INDEXES.items():
            run(opened, address, f"CREATE FULLTEXT INDEX {name} IF NOT EXISTS {covered}")
        run(opened, address, "CALL db.awaitIndexes(60)")

    def _write_nodes(self, opened: Driver, address: Address) -> None:
        run(
            opened,
            address,
            "UNWIND $rows AS row CREATE (:__Entity__ {name: row[0], aliases: [row[3]], summary: row[1], "
            "embedding: row[2]})",
            rows=[[name, *entity, name.title()] for name, entity in self.entities.items()],
        )
        run(
            opened,
            address,
            "UNWIND $rows AS row MERGE (d:__Document__ {id: row[1]}) ON CREATE SET d.title = 'Title of ' + row[1] "
            "CREATE (c:__Chunk__ {id: row[0], text: row[2], embedding: row[4]})-[:PART_OF]->(d) "
            "WITH c, row UNWIND row[3] AS name MATCH (e:__Entity__ {name: name}) CREATE (c)-[:MENTIONS]->(e)",
            rows=[[id, *chunk] for id, chunk in self.chunks.items()],
        )
        run(
            opened,
            address,
            "UNWIND $rows AS row MATCH (a:__Entity__ {name: row[0]}), (b:__Entity__ {name: row[1]}) "
            "CREATE (a)-[:SUMMARIZED_RELATIONSHIP {id: row[0] + '-' + row[1], weight: row[2], "
            "summary: row[0] + ' knows ' + row[1] + '.'}]->(b)",
            rows=[list(row) for row in self.relationships],
        )
        rows = [[id, *community] for id, community in self.communities.items()]
        run(
            opened,
            address,
            "UNWIND $rows AS row CREATE (m:__Community__ {id: row[0], level: row[1], rating: row[2], "
            "title: 'Report ' + row[0], summary: row[3], findings: [], embedding: row[6]}) "
            "WITH m, row UNWIND row[5] AS name MATCH (e:__Entity__ {name: name}) CREATE (e)-[:IN_COMMUNITY]->(m)",
            rows=rows,
        )
        run(
            opened,
            address,
            "UNWIND $rows AS row MATCH (m:__Community__ {id: row[0]}), (up:__Community__ {id: row[4]}) "
            "CREATE (m)-[:IN_COMMUNITY]->(up)",
            rows=rows,
        )
