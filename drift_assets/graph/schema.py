"""Constraints and indexes, set up idempotently and awaited, and the `__Index__` node that says they are ours."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import LiteralString

from drift_assets.errors import ForeignGraph, GraphError, IndexMismatch
from drift_assets.graph.connection import Graph, Transaction
from drift_assets.graph.embeddings import KINDS, OTHER_SUFFIX
from drift_assets.graph.names import make_known

SCHEMA_VERSION = 1
_ONLINE_SECONDS = 600.0
_POLL_SECONDS = 0.05

_STATEMENTS: dict[str, LiteralString] = {
    statement.split(" IF NOT EXISTS")[0].split()[-1]: statement
    for statement in (
        "CREATE CONSTRAINT drift_document IF NOT EXISTS FOR (n:__Document__) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT drift_chunk IF NOT EXISTS FOR (n:__Chunk__) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT drift_entity IF NOT EXISTS FOR (n:__Entity__) REQUIRE n.name IS UNIQUE",
        "CREATE CONSTRAINT drift_community IF NOT EXISTS FOR (n:__Community__) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT drift_former_community IF NOT EXISTS FOR (n:__FormerCommunity__) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT drift_index IF NOT EXISTS FOR (n:__Index__) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT drift_search IF NOT EXISTS FOR (n:__Search__) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT drift_question IF NOT EXISTS FOR (n:__Question__) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT drift_passage IF NOT EXISTS FOR (n:__Passage__) REQUIRE n.id IS UNIQUE",
        "CREATE INDEX drift_passage_document IF NOT EXISTS FOR (n:__Passage__) ON (n.document)",
        "CREATE INDEX drift_chunk_text IF NOT EXISTS FOR (n:__Chunk__) ON (n.text_hash)",
        "CREATE INDEX drift_chunk_extraction IF NOT EXISTS FOR (n:__Chunk__) ON (n.extraction)",
        "CREATE INDEX drift_entity_touched IF NOT EXISTS FOR (n:__Entity__) ON (n.touched)",
        "CREATE CONSTRAINT drift_decision IF NOT EXISTS FOR (n:__Decision__) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT drift_name IF NOT EXISTS FOR (n:__Name__) REQUIRE n.id IS UNIQUE",
        "CREATE INDEX drift_mention_name IF NOT EXISTS FOR ()-[m:MENTIONS]-() ON (m.name)",
        "CREATE INDEX drift_relationship_chunk IF NOT EXISTS FOR ()-[r:RELATIONSHIP]-() ON (r.chunk_id)",
        "CREATE FULLTEXT INDEX entity_names IF NOT EXISTS FOR (n:__Entity__) ON EACH [n.name, n.aliases]",
        "CREATE FULLTEXT INDEX chunk_texts IF NOT EXISTS FOR (n:__Chunk__) ON EACH [n.text]",
    )
}
_INDEX_NAMES = [*_STATEMENTS, *(f"{kind}{suffix}" for suffix in OTHER_SUFFIX for kind in (*KINDS, "former_community"))]


@dataclass(frozen=True, slots=True)
class IndexState:
    """What `__Index__` says; None where a stage has not written yet.

    `vectors` is the suffix of the vector indexes and properties in use: "" for `entity` and `embedding`, "_2" for
    the versioned pair that a change of embedding builds beside them. `told` stands for what the user said of names.
    `generation` and `former` are those of `graph/former.py`.
    """

    corpus: str | None
    corpus_version: str | None
    demo: bool
    embedding_model: str | None
    dimensions: int | None
    vectors: str
    told: str = ""
    generation: int | None = None
    former: int | None = None


async def prepare(graph: Graph) -> None:
    """Constraints and indexes exist and are online, and `__Index__` marks the database as ours.

    Raises ForeignGraph, before anything is changed, when nodes with our labels exist without our `__Index__`, and
    IndexMismatch when the index was written by a newer version.
    """
    await refuse_foreign(graph)
    indexes = await graph.read("SHOW INDEXES YIELD name, owningConstraint RETURN name, owningConstraint AS owner")
    present = {row["name"]: row["owner"] for row in indexes}
    if present.keys().isdisjoint(_STATEMENTS):
        await graph.write_together(_create_all)
        await make_known(graph)
    else:
        await _create_missing(graph, present)
    await await_online(graph)
    await graph.write(
        "MERGE (i:__Index__ {id: 'drift'}) ON CREATE SET i.schema_version = $version",
        version=SCHEMA_VERSION,
    )


async def _create_all(transaction: Transaction) -> None:
    for statement in _STATEMENTS.values():
        await transaction.run(statement)


async def _create_missing(graph: Graph, present: Mapping[str, str | None]) -> None:
    for name, statement in _STATEMENTS.items():
        if name not in present:
            await graph.write(statement)
        elif " CONSTRAINT " in statement and present[name] is None:
            await _create_again(graph, name, statement)


async def _create_again(graph: Graph, name: str, statement: LiteralString) -> None:
    """The constraint stands, whose index is there without it: being built by another process, or left by a killed one.

    Creating it waits for the other process; an index that was left stays unfinished for ever and has to go first.
    """
    try:
        await graph.write(statement)
    except GraphError:
        await graph.write(f"DROP INDEX {name} IF EXISTS")
        await graph.write(statement)


async def refuse_foreign(graph: Graph) -> None:
    """Raises ForeignGraph when the database holds a graph that is not ours; changes nothing."""
    if await _is_ours(graph):
        return
    labels = await graph.read(
        "MATCH (n) WHERE n:__Document__ OR n:__Chunk__ OR n:__Entity__ OR n:__Community__ OR n:__Index__ "
        "OR n:__FormerCommunity__ OR n:__Search__ OR n:__Question__ OR n:__Passage__ OR n:__Decision__ OR n:__Name__ "
        "UNWIND [label IN labels(n) WHERE label STARTS WITH '__'] AS label "
        "RETURN label ORDER BY label LIMIT 1"
    )
    # Another process may have made it ours between the two questions.
    if labels and not await _is_ours(graph):
        raise ForeignGraph(
            f"database {graph.address.database} at {graph.address.uri} holds a graph with label {labels[0]['label']} "
            "that drift-assets did not write; nothing was changed: use another database (NEO4J_DATABASE)"
        )


async def _is_ours(graph: Graph) -> bool:
    rows = await graph.read("MATCH (i:__Index__ {id: 'drift'}) RETURN i.schema_version AS version")
    version = rows[0]["version"] if rows else None
    if version is not None and version > SCHEMA_VERSION:
        raise IndexMismatch(
            f"the index at {graph.address.uri} has schema {version}, this version knows {SCHEMA_VERSION}: "
            "upgrade drift-assets"
        )
    return bool(rows)


async def await_online(graph: Graph) -> None:
    """All indexes of ours are online; GraphError names those that failed or took over 10 minutes."""
    deadline = asyncio.get_running_loop().time() + _ONLINE_SECONDS
    while True:
        rows = await graph.read(
            "SHOW INDEXES YIELD name, state WHERE name IN $names AND state <> 'ONLINE' "
            "RETURN name, state ORDER BY name",
            names=_INDEX_NAMES,
        )
        failed = [row["name"] for row in rows if row["state"] == "FAILED"]
        if failed:
            raise GraphError(f"index {', '.join(failed)} failed to build; drop it in Neo4j and run again")
        if not rows:
            return
        if asyncio.get_running_loop().time() > deadline:
            raise GraphError(f"index {rows[0]['name']} is still {rows[0]['state']} after 10 minutes; run again later")
        await asyncio.sleep(_POLL_SECONDS)


async def index_state(graph: Graph) -> IndexState | None:
    """What `__Index__` says, or None when there is no index of ours."""
    rows = await graph.read(
        "MATCH (i:__Index__ {id: 'drift'}) RETURN i.corpus AS corpus, i.corpus_version AS corpus_version, "
        "coalesce(i.demo, false) AS demo, "
        "i.embedding_model AS embedding_model, i.dimensions AS dimensions, coalesce(i.vectors, '') AS vectors, "
        "coalesce(i.told, '') AS told, i.generation AS generation, i.former AS former"
    )
    return IndexState(**rows[0]) if rows else None


async def set_corpus_version(graph: Graph, *, version: str) -> None:
    """The index remembers the state of the corpus that its chunks are of."""
    await graph.write("MATCH (i:__Index__ {id: 'drift'}) SET i.corpus_version = $version", version=version)
