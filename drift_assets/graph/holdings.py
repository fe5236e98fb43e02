"""What the index holds, what failed, and how to remove all of it."""

from __future__ import annotations

from dataclasses import dataclass

from drift_assets.graph.connection import Graph

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Holdings:
    """Counts of what the index holds; `relationships` are statements, `communities` have several entities."""

    documents: int
    chunks: int
    entities: int
    relationships: int
    communities: int
    reports: int
    embeddings: int


@dataclass(frozen=True, slots=True)
class FailedItem:
    """An item that a stage could not do, and why."""

    stage: str
    item: str
    reason: str


async def holdings(graph: Graph, *, vectors: str) -> Holdings:
    """What the index holds now; `vectors` is the suffix in use."""
    rows = await graph.read(
        "RETURN COUNT { (:__Document__) } AS documents, COUNT { (:__Chunk__) } AS chunks, "
        "COUNT { (:__Entity__) } AS entities, COUNT { (:__Entity__)-[:RELATIONSHIP]->() } AS relationships, "
        "COUNT { MATCH (m:__Community__) WHERE m.size > 1 } AS communities, "
        "COUNT { MATCH (m:__Community__) WHERE m.size > 1 AND m.title IS NOT NULL } AS reports, "
        "COUNT { MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n[$property] IS NOT NULL } AS embeddings",
        property=f"embedding{vectors}",
    )
    return Holdings(**rows[0])


_FAILURES = (
    "CALL () { MATCH (c:__Chunk__) WHERE c.failure IS NOT NULL "
    "RETURN 'entities' AS stage, c.id AS item, c.failure AS reason "
    "UNION ALL MATCH (e:__Entity__) WHERE e.failure IS NOT NULL "
    "RETURN 'summaries' AS stage, e.name AS item, e.failure AS reason "
    "UNION ALL MATCH (a:__Entity__)-[p:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WHERE p.failure IS NOT NULL "
    "RETURN 'summaries' AS stage, a.name + ' – ' + b.name AS item, p.failure AS reason "
    "UNION ALL MATCH (m:__Community__) WHERE m.failure IS NOT NULL "
    "RETURN 'reports' AS stage, m.id AS item, m.failure AS reason "
    "UNION ALL MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n.embed_failure IS NOT NULL "
    "RETURN 'embeddings' AS stage, coalesce(n.name, n.id) AS item, n.embed_failure AS reason } "
)


async def count_failures(graph: Graph, *, stage: str | None = None) -> int:
    """How many items failed and are kept with their reason, in one stage or in all."""
    rows = await graph.read(
        _FAILURES + "WITH stage WHERE $stage IS NULL OR stage = $stage RETURN count(*) AS count", stage=stage
    )
    return int(rows[0]["count"])


async def failures(graph: Graph, *, limit: int, stage: str | None = None) -> list[FailedItem]:
    """The items that failed, of one stage or of all, by stage and item."""
    rows = await graph.read(
        _FAILURES + "WITH stage, item, reason WHERE $stage IS NULL OR stage = $stage "
        "RETURN stage, item, reason ORDER BY stage, item LIMIT $limit",
        stage=stage,
        limit=limit,
    )
    return [FailedItem(**row) for row in rows]


async def stored_nodes(graph: Graph) -> dict[str, int]:
    """Nodes that `remove_index` would remove, by label."""
    rows = await graph.read(
        "MATCH (n:__Document__|__Chunk__|__Entity__|__Community__|__Search__|__Question__|__Passage__|__Index__) "
        "WITH [label IN labels(n) WHERE label STARTS WITH '__'][0] AS label "
        "RETURN label, count(*) AS count ORDER BY label"
    )
    return {row["label"]: row["count"] for row in rows}


async def remove_index(graph: Graph) -> None:
    """Nothing that we wrote is left: nodes in batches, `__Index__` last, so that a killed removal can go on."""
    while (
        await graph.write(
            "MATCH (n:__Document__|__Chunk__|__Entity__|__Community__|__Search__|__Question__|__Passage__) "
            "WITH n LIMIT $limit DETACH DELETE n RETURN count(n) AS count",
            limit=_BATCH,
        )
    )[0]["count"]:
        pass
    for name in ("entity", "community", "chunk", "entity_2", "community_2", "chunk_2"):
        await graph.write(f"DROP INDEX {name} IF EXISTS")
    await graph.write("MATCH (i:__Index__ {id: 'drift'}) DETACH DELETE i")
