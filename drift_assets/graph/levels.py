"""Reports by their place in the hierarchy: those of chosen levels, one by number, and which lie above which."""

from __future__ import annotations

from collections.abc import Sequence

from drift_assets.graph.connection import Graph
from drift_assets.graph.retrieval import REPORT, Piece, piece_of


async def nearest_reports_of(
    graph: Graph, *, vectors: str, vector: Sequence[float], count: int, levels: tuple[int, int]
) -> list[Piece]:
    """The `count` reports of these levels nearest to `vector` among those with a vector, nearest first.

    Looked up one by one: there are far fewer reports than chunks, and a vector index cannot be asked by level.
    """
    rows = await graph.read_each(
        "MATCH (node:__Community__) WHERE node.level >= $lowest AND node.level <= $highest "
        "AND node[$property] IS NOT NULL "
        "WITH node, vector.similarity.cosine(node[$property], each.vector) AS score "
        "ORDER BY score DESC, node.id LIMIT $count " + REPORT + ", score ORDER BY score DESC, id",
        {"vector": list(vector)},
        property=f"embedding{vectors}",
        count=count,
        lowest=levels[0],
        highest=levels[1],
    )
    return [piece_of("report", row) for row in rows]


async def deepest_level(graph: Graph) -> int | None:
    """The highest level of a community, which is the finest; None without communities."""
    rows = await graph.read("MATCH (node:__Community__) RETURN max(node.level) AS deepest")
    deepest: int | None = rows[0]["deepest"]
    return deepest


async def report_by_number(graph: Graph, *, vectors: str, number: int) -> list[Piece]:
    """One of the reports with a vector: by id, the one at the place `number` modulo their count; none of none."""
    rows = await graph.read(
        "MATCH (node:__Community__) WHERE node[$property] IS NOT NULL WITH node ORDER BY node.id "
        "WITH collect(node) AS nodes WHERE size(nodes) > 0 WITH nodes[$number % size(nodes)] AS node " + REPORT,
        property=f"embedding{vectors}",
        number=number,
    )
    return [piece_of("report", row) for row in rows]


async def relatives(graph: Graph, *, ids: Sequence[str]) -> set[tuple[str, str]]:
    """Of these communities the pairs of which one lies below the other, as (lower, upper)."""
    rows = await graph.read_each(
        "MATCH (lower:__Community__)-[:IN_COMMUNITY*1..]->(upper:__Community__) "
        "WHERE lower.id IN each.ids AND upper.id IN each.ids "
        "RETURN lower.id AS lower, upper.id AS upper ORDER BY lower, upper",
        {"ids": list(ids)},
    )
    return {(row["lower"], row["upper"]) for row in rows}
