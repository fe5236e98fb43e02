"""Vectors: which nodes lack one, and the vector indexes that searches use.

Vectors of one embedding model live in the property `embedding` + suffix, under the indexes `entity`, `community`
and `chunk` + suffix. Another model fills the other suffix beside the old one and is switched to when it is complete:
Neo4j allows one vector index per label and property, and searches go on meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, LiteralString

from drift_assets.errors import GraphError
from drift_assets.graph.connection import Graph, Transaction
from drift_assets.graph.failures import Failure

Kind = Literal["entity", "community", "chunk"]
Suffix = Literal["", "_2"]
KINDS: tuple[Kind, ...] = ("entity", "community", "chunk")
OTHER_SUFFIX: dict[str, Suffix] = {"": "_2", "_2": ""}


@dataclass(frozen=True, slots=True)
class StaleVector:
    """A text without its vector; `key` is the name of an entity, the id of a community, the text hash of chunks."""

    kind: Kind
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class FailedVector:
    """A text that got no vector."""

    item: StaleVector
    failure: Failure


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A vector to be stored."""

    kind: Kind
    key: str
    vector: list[float]


# Each node that should have a vector by the model and has none, with its key and the text to embed.
_STALE: dict[Kind, LiteralString] = {
    "entity": (
        "MATCH (n:__Entity__) WHERE n.name > $after AND coalesce(n.embedded, '') <> $model "
        "WITH n, n.name AS key, coalesce(n.aliases[0], n.name) + ': ' + coalesce(n.summary, '') AS text "
    ),
    "community": (
        "MATCH (n:__Community__) WHERE n.id > $after AND n.size > 1 AND n.rating > $min_rating "
        "AND n.title IS NOT NULL AND coalesce(n.embedded, '') <> $model "
        "WITH n, n.id AS key, n.title + ': ' + n.summary AS text "
    ),
    "chunk": (
        "MATCH (n:__Chunk__) WHERE n.text_hash > $after AND coalesce(n.embedded, '') <> $model "
        "WITH n, n.text_hash AS key, n.text AS text "
    ),
}
_TO_TRY: LiteralString = (
    "WHERE (n.embed_failed_for IS NULL OR n.embed_failed_for <> $model + ' ' + text) AND n.embed_skipped IS NULL "
)

_FIND: dict[Kind, LiteralString] = {
    "entity": "UNWIND $rows AS row MATCH (n:__Entity__ {name: row.key}) ",
    "community": "UNWIND $rows AS row MATCH (n:__Community__ {id: row.key}) ",
    "chunk": "UNWIND $rows AS row MATCH (n:__Chunk__ {text_hash: row.key}) ",
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
    """How many texts lack a vector by this model."""
    count = 0
    for kind in KINDS:
        rows = await graph.read(
            _STALE[kind] + _TO_TRY + "RETURN count(DISTINCT key) AS count",
            model=model,
            min_rating=min_rating,
            after="",
        )
        count += rows[0]["count"]
    return count


async def stale_vectors(
    graph: Graph, kind: Kind, *, model: str, min_rating: float, after: str, limit: int
) -> list[StaleVector]:
    """Texts of a kind that lack a vector by this model, by key after the key `after`."""
    rows = await graph.read(
        _STALE[kind] + _TO_TRY + "WITH key, text ORDER BY key LIMIT $limit RETURN DISTINCT key, text ORDER BY key",
        model=model,
        min_rating=min_rating,
        after=after,
        limit=limit,
    )
    return [StaleVector(kind, **row) for row in rows]


async def write_vectors(
    graph: Graph, rows: Sequence[VectorRow], failed: Sequence[FailedVector], *, model: str, suffix: str
) -> int:
    """The nodes have these vectors; failed ones say why. Returns how many nodes got a vector."""

    async def work(transaction: Transaction) -> int:
        written = 0
        for kind in KINDS:
            found = await transaction.run(
                _FIND[kind] + "CALL db.create.setNodeVectorProperty(n, $property, row.vector) "
                "SET n.embedded = $model "
                "REMOVE n.embed_failure, n.embed_failed_for, n.embed_skipped RETURN count(n) AS count",
                rows=[{"key": row.key, "vector": row.vector} for row in rows if row.kind == kind],
                property=f"embedding{suffix}",
                model=model,
            )
            written += found[0]["count"]
            await transaction.run(
                _FIND[kind] + "SET n.embed_failure = row.reason, "
                "n.embed_failed_for = CASE WHEN row.lasting THEN $model + ' ' + row.text END",
                rows=[
                    {"key": one.item.key, "text": one.item.text, **asdict(one.failure)}
                    for one in failed
                    if one.item.kind == kind
                ],
                model=model,
            )
        return written

    return await graph.write_together(work)


async def drop_old_failures(graph: Graph, *, model: str, min_rating: float) -> None:
    """Nodes that have a vector by this model or are not to be embedded have not failed, whatever another model did."""
    await graph.write(
        "MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n.embed_failure IS NOT NULL AND (n.embedded = $model "
        "OR n:__Community__ AND (n.size = 1 OR NOT coalesce(n.rating, -1.0) > $min_rating)) "
        "REMOVE n.embed_failure, n.embed_failed_for, n.embed_skipped",
        model=model,
        min_rating=min_rating,
    )


async def forget_vectors(graph: Graph, *, model: str, suffix: Suffix) -> None:
    """No node has a vector by this model, and all count as without."""
    await drop_vectors(graph, suffix=suffix)
    while (
        await graph.write(
            "MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n.embedded = $model WITH n LIMIT 2000 "
            "REMOVE n.embedded RETURN count(n) AS count",
            model=model,
        )
    )[0]["count"]:
        pass


async def drop_unrated_vectors(graph: Graph, *, min_rating: float, suffix: str) -> int:
    """Reports that are not to be embedded have no vector and count as without; returns how many changed."""
    rows = await graph.write(
        "MATCH (m:__Community__) WHERE (m[$property] IS NOT NULL OR m.embedded IS NOT NULL) "
        "AND (m.size = 1 OR NOT coalesce(m.rating, -1.0) > $min_rating) "
        "REMOVE m[$property], m.embedded RETURN count(m) AS count",
        min_rating=min_rating,
        property=f"embedding{suffix}",
    )
    return int(rows[0]["count"])


async def reports_change(graph: Graph, *, model: str, min_rating: float, suffix: str) -> bool:
    """Whether a report has a vector that it is not to have, or lacks one that it is to have and may get."""
    rows = await graph.read(
        "RETURN EXISTS { MATCH (m:__Community__) WHERE m[$property] IS NOT NULL "
        "AND (m.size = 1 OR NOT coalesce(m.rating, -1.0) > $min_rating) } "
        "OR EXISTS { MATCH (m:__Community__) WHERE m.size > 1 AND m.title IS NOT NULL AND m.rating > $min_rating "
        "AND coalesce(m.embedded, '') <> $model AND m.embed_failed_for IS NULL AND m.embed_skipped IS NULL } AS change",
        property=f"embedding{suffix}",
        min_rating=min_rating,
        model=model,
    )
    return bool(rows[0]["change"])


async def drop_foreign_vectors(graph: Graph, *, model: str, suffix: str) -> None:
    """Under this suffix stand vectors by this model only, whatever an interrupted change to another one has left."""
    while (
        await graph.write(
            "MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n[$property] IS NOT NULL "
            "AND coalesce(n.embedded, '') <> $model WITH n LIMIT 2000 REMOVE n[$property] RETURN count(n) AS count",
            property=f"embedding{suffix}",
            model=model,
        )
    )[0]["count"]:
        pass


async def ensure_vector_indexes(graph: Graph, *, dimensions: int, suffix: Suffix) -> None:
    """The three vector indexes of this suffix exist with this dimension; awaiting them is `schema.await_online`.

    Raises GraphError when an index that is not ours has the name or the property of one.
    """
    present = await _vector_indexes(graph, suffix)
    for kind in KINDS:
        name = f"{kind}{suffix}"
        if present.get(name, dimensions) != dimensions:
            await graph.write(f"DROP INDEX {name} IF EXISTS")
        if present.get(name) != dimensions:
            await graph.write(
                f"CREATE VECTOR INDEX {name} IF NOT EXISTS FOR (n:{_LABELS[kind]}) ON (n.embedding{suffix}) "
                f"OPTIONS {{indexConfig: {{`vector.dimensions`: {int(dimensions)}, "
                "`vector.similarity_function`: 'cosine'}}"
            )
    missing = {f"{kind}{suffix}" for kind in KINDS} - (await _vector_indexes(graph, suffix)).keys()
    if missing:
        raise GraphError(
            f"vector index {min(missing)} cannot be created beside an index of the same name or property that is not "
            "ours: see SHOW INDEXES in Neo4j, drop that one and run again, or use another database (NEO4J_DATABASE)"
        )


async def _vector_indexes(graph: Graph, suffix: Suffix) -> dict[str, int]:
    """Dimension of each vector index of ours, by name."""
    rows = await graph.read(
        "SHOW VECTOR INDEXES YIELD name, labelsOrTypes, properties, options "
        "RETURN name, labelsOrTypes AS labels, properties, options.indexConfig['vector.dimensions'] AS dimensions"
    )
    ours = {f"{kind}{suffix}": ([_LABELS[kind]], [f"embedding{suffix}"]) for kind in KINDS}
    return {
        row["name"]: row["dimensions"] for row in rows if ours.get(row["name"]) == (row["labels"], row["properties"])
    }


async def stored_dimensions(graph: Graph, *, suffix: str) -> int | None:
    """Length of the vectors stored under this suffix; None when there is none."""
    rows = await graph.read(
        "MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n[$property] IS NOT NULL "
        "RETURN size(n[$property]) AS size LIMIT 1",
        property=f"embedding{suffix}",
    )
    return int(rows[0]["size"]) if rows else None


async def drop_vectors(graph: Graph, *, suffix: Suffix) -> None:
    """The vectors of this suffix and their indexes are gone."""
    for kind in KINDS:
        await graph.write(f"DROP INDEX {kind}{suffix} IF EXISTS")
    while (
        await graph.write(
            "MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n[$property] IS NOT NULL WITH n LIMIT 2000 "
            "REMOVE n[$property] RETURN count(n) AS count",
            property=f"embedding{suffix}",
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
