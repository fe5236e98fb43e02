"""What the index holds, and how to remove all of it."""

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


async def stored_nodes(graph: Graph) -> dict[str, int]:
    """Nodes that `remove_index` would remove, by label."""
    rows = await graph.read(
        "MATCH (n:__Document__|__Chunk__|__Entity__|__Community__|__FormerCommunity__|__Search__|__Question__"
        "|__Passage__|__Decision__|__Name__|__Index__) "
        "WITH [label IN labels(n) WHERE label STARTS WITH '__'][0] AS label "
        "RETURN label, count(*) AS count ORDER BY label"
    )
    return {row["label"]: row["count"] for row in rows}


async def remove_index(graph: Graph) -> None:
    """Nothing that we wrote is left: nodes in batches, `__Index__` last, so that a killed removal can go on."""
    while (
        await graph.write(
            "MATCH (n:__Document__|__Chunk__|__Entity__|__Community__|__FormerCommunity__|__Search__|__Question__"
            "|__Passage__|__Decision__|__Name__) WITH n LIMIT $limit DETACH DELETE n RETURN count(n) AS count",
            limit=_BATCH,
        )
    )[0]["count"]:
        pass
    for name in ("entity", "community", "chunk", "former_community"):
        await graph.write(f"DROP INDEX {name} IF EXISTS")
        await graph.write(f"DROP INDEX {name}_2 IF EXISTS")
    await graph.write("MATCH (i:__Index__ {id: 'drift'}) DETACH DELETE i")
