"""Vectors: which nodes lack one, and the vector indexes that searches use.

Vectors of one embedding model live in the property `embedding` + suffix, under the indexes `entity`, `community`
and `chunk` + suffix. Another model fills the other suffix beside the old one and is switched to when it is complete:
Neo4j allows one vector index per label and property, and searches go on meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, LiteralString

from drift_assets.graph.connection import Graph, Transaction

Kind = Literal["entity", "community", "chunk"]
Suffix = Literal["", "_2"]
KINDS: tuple[Kind, ...] = ("entity", "community", "chunk")
OTHER_SUFFIX: dict[str, Suffix] = {"": "_2", "_2": ""}


@dataclass(frozen=True, slots=True)
class StaleVector:
    """A node without a vector of its present text."""

    kind: Kind
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A vector to be stored."""

    kind: Kind
    key: str
    vector: list[float]


_STALE: dict[Kind, LiteralString] = {
    "entity": (
        "MATCH (n:__Entity__) WHERE n.name > $after AND coalesce(n.embedded, '') <> $model "
        "RETURN n.name AS key, coalesce(n.aliases[0], n.name) + ': ' + coalesce(n.summary, '') AS text "
        "ORDER BY key LIMIT $limit"
    ),
    "community": (
        "MATCH (n:__Community__) WHERE n.id > $after AND n.size > 1 AND n.rating > $min_rating "
        "AND n.title IS NOT NULL AND coalesce(n.embedded, '') <> $model "
        "RETURN n.id AS key, n.title + ': ' + n.summary AS text ORDER BY key LIMIT $limit"
    ),
    "chunk": (
        "MATCH (n:__Chunk__) WHERE n.id > $after AND coalesce(n.embedded, '') <> $model "
        "RETURN n.id AS key, n.text AS text ORDER BY key LIMIT $limit"
    ),
}

_COUNT_STALE: LiteralString = (
    "CALL () { MATCH (n:__Entity__) WHERE coalesce(n.embedded, '') <> $model RETURN count(n) AS count "
    "UNION ALL MATCH (n:__Chunk__) WHERE coalesce(n.embedded, '') <> $model RETURN count(n) AS count "
    "UNION ALL MATCH (n:__Community__) WHERE n.size > 1 AND n.rating > $min_rating AND n.title IS NOT NULL "
    "AND coalesce(n.embedded, '') <> $model RETURN count(n) AS count } RETURN sum(count) AS count"
)

_WRITE: dict[Kind, LiteralString] = {
    "entity": (
        "UNWIND $rows AS row MATCH (n:__Entity__ {name: row.key}) "
        "CALL db.create.setNodeVectorProperty(n, $property, row.vector) SET n.embedded = $model REMOVE n.embed_failure"
    ),
    "community": (
        "UNWIND $rows AS row MATCH (n:__Community__ {id: row.key}) "
        "CALL db.create.setNodeVectorProperty(n, $property, row.vector) SET n.embedded = $model REMOVE n.embed_failure"
    ),
    "chunk": (
        "UNWIND $rows AS row MATCH (n:__Chunk__ {id: row.key}) "
        "CALL db.create.setNodeVectorProperty(n, $property, row.vector) SET n.embedded = $model REMOVE n.embed_failure"
    ),
}

_FAIL: dict[Kind, LiteralString] = {
    "entity": "UNWIND $rows AS row MATCH (n:__Entity__ {name: row.key}) SET n.embed_failure = row.reason",
    "community": "UNWIND $rows AS row MATCH (n:__Community__ {id: row.key}) SET n.embed_failure = row.reason",
    "chunk": "UNWIND $rows AS row MATCH (n:__Chunk__ {id: row.key}) SET n.embed_failure = row.reason",
}

_LABELS: dict[Kind, LiteralString] = {"entity": "__Entity__", "community": "__Community__", "chunk": "__Chunk__"}


async def rating_threshold(graph: Graph, *, min_rating: float) -> float:
    """Reports rated above this are embedded: `min_rating`, or -1 (all of them) when none is rated above it."""
    rows = await graph.read(
        "MATCH (m:__Community__) WHERE m.size > 1 AND m.rating > $min_rating RETURN m.id AS id LIMIT 1",
        min_rating=min_rating,
    )
    return min_rating if rows else -1.0


async def count_stale_vectors(graph: Graph, *, model: str, min_rating: float) -> int:
    """How many nodes lack a vector of their present text by this model."""
    rows = await graph.read(_COUNT_STALE, model=model, min_rating=min_rating)
    return int(rows[0]["count"])


async def stale_vectors(
    graph: Graph, kind: Kind, *, model: str, min_rating: float, after: str, limit: int
) -> list[StaleVector]:
    """Nodes of a kind that lack a vector by this model, by key after the key `after`."""
    rows = await graph.read(_STALE[kind], model=model, min_rating=min_rating, after=after, limit=limit)
    return [StaleVector(kind, **row) for row in rows]


async def write_vectors(
    graph: Graph, rows: Sequence[VectorRow], failures: Sequence[tuple[Kind, str, str]], *, model: str, suffix: str
) -> None:
    """The nodes have these vectors; failed ones (kind, key, reason) say why."""

    async def work(transaction: Transaction) -> None:
        for kind in KINDS:
            await transaction.run(
                _WRITE[kind],
                rows=[{"key": row.key, "vector": row.vector} for row in rows if row.kind == kind],
                property=f"embedding{suffix}",
                model=model,
            )
            await transaction.run(
                _FAIL[kind],
                rows=[{"key": key, "reason": reason} for failed, key, reason in failures if failed == kind],
            )

    await graph.write_together(work)


async def drop_unrated_vectors(graph: Graph, *, min_rating: float, suffix: str) -> int:
    """Reports that are not to be embedded have no vector; returns how many lost theirs."""
    rows = await graph.write(
        "MATCH (m:__Community__) WHERE m[$property] IS NOT NULL "
        "AND (m.size = 1 OR NOT coalesce(m.rating, -1.0) > $min_rating) "
        "REMOVE m[$property], m.embedded RETURN count(m) AS count",
        min_rating=min_rating,
        property=f"embedding{suffix}",
    )
    return int(rows[0]["count"])


async def ensure_vector_indexes(graph: Graph, *, dimensions: int, suffix: Suffix) -> None:
    """The three vector indexes of this suffix exist with this dimension; awaiting them is `schema.await_online`."""
    rows = await graph.read(
        "SHOW VECTOR INDEXES YIELD name, options WHERE name IN $names "
        "RETURN name, options.indexConfig['vector.dimensions'] AS dimensions",
        names=[f"{kind}{suffix}" for kind in KINDS],
    )
    present = {row["name"]: row["dimensions"] for row in rows}
    for kind in KINDS:
        name = f"{kind}{suffix}"
        if name in present and present[name] != dimensions:
            await graph.write(f"DROP INDEX {name} IF EXISTS")
        if present.get(name) != dimensions:
            await graph.write(
                f"CREATE VECTOR INDEX {name} IF NOT EXISTS FOR (n:{_LABELS[kind]}) ON (n.embedding{suffix}) "
                f"OPTIONS {{indexConfig: {{`vector.dimensions`: {int(dimensions)}, "
                "`vector.similarity_function`: 'cosine'}}"
            )


async def stored_dimensions(graph: Graph, *, suffix: str) -> int | None:
    """Length of the vectors stored under this suffix; None when there is none."""
    rows = await graph.read(
        "MATCH (n:__Chunk__) WHERE n[$property] IS NOT NULL RETURN size(n[$property]) AS size LIMIT 1",
        property=f"embedding{suffix}",
    )
    return int(rows[0]["size"]) if rows else None


async def switch_vectors(graph: Graph, *, model: str, dimensions: int, suffix: Suffix) -> None:
    """Searches use the vectors of this suffix from now on; those of the other suffix and their indexes are gone."""
    await graph.write(
        "MATCH (i:__Index__ {id: 'drift'}) "
        "SET i.embedding_model = $model, i.dimensions = $dimensions, i.vectors = $suffix",
        model=model,
        dimensions=dimensions,
        suffix=suffix,
    )
    other = OTHER_SUFFIX[suffix]
    for kind in KINDS:
        await graph.write(f"DROP INDEX {kind}{other} IF EXISTS")
    while (
        await graph.write(
            "MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n[$property] IS NOT NULL WITH n LIMIT 2000 "
            "REMOVE n[$property] RETURN count(n) AS count",
            property=f"embedding{other}",
        )
    )[0]["count"]:
        pass


async def count_vectors(graph: Graph, *, suffix: str) -> dict[str, int]:
    """Vectors stored under this suffix, by kind."""
    rows = await graph.read(
        "RETURN COUNT { MATCH (n:__Entity__) WHERE n[$property] IS NOT NULL } AS entity, "
        "COUNT { MATCH (n:__Community__) WHERE n[$property] IS NOT NULL } AS community, "
        "COUNT { MATCH (n:__Chunk__) WHERE n[$property] IS NOT NULL } AS chunk",
        property=f"embedding{suffix}",
    )
    return dict(rows[0])
