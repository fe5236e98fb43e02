"""What failed: kept on its node with the reason, tried again or not, set aside, and where it is listed.

`failure` is the reason. A failure that would only repeat itself also keeps `failed_for`, what it failed with: the
version of the stage, or the key of its input. The item counts as stale again when that would be another one today.
A node that is `skipped` is set aside by the user: not tried and not counted, until it is to be tried again.
Vectors have properties of their own (`embed_failure`, `embed_failed_for`, `embed_skipped`), since a node has both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import LiteralString

from drift_assets.graph.connection import Graph


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an item failed; a lasting one is not tried again alike."""

    reason: str
    lasting: bool


@dataclass(frozen=True, slots=True)
class FailedItem:
    """An item that a stage could not do, and why; a lasting failure is tried again by `drift retry` only."""

    stage: str
    item: str
    reason: str
    lasting: bool = False
    skipped: bool = False


# Where the failures of each stage are kept; x is the node or relationship.
_KEPT: dict[str, LiteralString] = {
    "entities": (
        "MATCH (x:__Chunk__) WHERE x.failure IS NOT NULL RETURN x, 'entities' AS stage, x.id AS item "
        "UNION ALL MATCH (x:__Decision__) WHERE x.failure IS NOT NULL "
        "RETURN x, 'entities' AS stage, x.first + ' = ' + x.second AS item "
        "UNION ALL MATCH (x:__Name__) WHERE x.failure IS NOT NULL RETURN x, 'entities' AS stage, x.id AS item"
    ),
    "summaries": (
        "MATCH (x:__Entity__) WHERE x.failure IS NOT NULL RETURN x, 'summaries' AS stage, x.name AS item "
        "UNION ALL MATCH (a:__Entity__)-[x:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WHERE x.failure IS NOT NULL "
        "RETURN x, 'summaries' AS stage, a.name + ' – ' + b.name AS item"
    ),
    "reports": "MATCH (x:__Community__) WHERE x.failure IS NOT NULL RETURN x, 'reports' AS stage, x.id AS item",
    "embeddings": (
        "MATCH (x:__Entity__|__Community__|__Chunk__) WHERE x.embed_failure IS NOT NULL "
        "RETURN x, 'embeddings' AS stage, coalesce(x.name, x.id) AS item"
    ),
}
_TOLD: LiteralString = (
    " } WITH x, stage, item, stage = 'embeddings' AS vector WITH x, stage, item, "
    "CASE WHEN vector THEN x.embed_failure ELSE x.failure END AS reason, "
    "CASE WHEN vector THEN x.embed_failed_for ELSE x.failed_for END IS NOT NULL AS lasting, "
    "CASE WHEN vector THEN x.embed_skipped ELSE x.skipped END IS NOT NULL AS skipped "
)
_UNION: LiteralString = " UNION ALL "
_FAILURES: LiteralString = "CALL () { " + _UNION.join(_KEPT.values()) + _TOLD


async def failed_items(graph: Graph, *, stage: str, shown: int) -> tuple[int, list[FailedItem]]:
    """How many items of a stage failed, and the first `shown` of them; without those set aside."""
    if stage not in _KEPT:
        return 0, []
    rows = await graph.read(
        "CALL () { " + _KEPT[stage] + _TOLD + "WITH * WHERE NOT skipped "
        "WITH stage, item, reason, lasting, skipped ORDER BY item "
        "WITH collect({stage: stage, item: item, reason: reason, lasting: lasting, skipped: skipped}) AS items "
        "RETURN size(items) AS count, items[..$shown] AS first",
        shown=shown,
    )
    return int(rows[0]["count"]), [FailedItem(**item) for item in rows[0]["first"]]


async def count_failures(graph: Graph) -> int:
    """How many items failed and are kept with their reason; without those set aside."""
    rows = await graph.read(_FAILURES + "WITH * WHERE NOT skipped RETURN count(*) AS count")
    return int(rows[0]["count"])


async def failures(graph: Graph, *, limit: int, skipped: bool = False) -> list[FailedItem]:
    """The items that failed, by stage and item; or else those that were set aside."""
    rows = await graph.read(
        _FAILURES + "WITH * WHERE skipped = $skipped "
        "RETURN stage, item, reason, lasting, skipped ORDER BY stage, item LIMIT $limit",
        skipped=skipped,
        limit=limit,
    )
    return [FailedItem(**row) for row in rows]


async def set_aside(graph: Graph, *, item: str) -> int:
    """The failed item of this name is not tried and not counted any more; returns how many there are of it."""
    rows = await graph.write(
        _FAILURES + "WITH * WHERE item = $item "
        "FOREACH (_ IN CASE stage WHEN 'embeddings' THEN [1] ELSE [] END | SET x.embed_skipped = true) "
        "FOREACH (_ IN CASE stage WHEN 'embeddings' THEN [] ELSE [1] END | SET x.skipped = true) "
        "RETURN count(*) AS count",
        item=item,
    )
    return int(rows[0]["count"])


async def try_again(graph: Graph, *, item: str | None = None) -> int:
    """The failed item of this name, or every one that was not set aside, is stale again; returns how many they are."""
    rows = await graph.write(
        _FAILURES + "WITH * WHERE item = $item OR $item IS NULL AND NOT skipped "
        "FOREACH (_ IN CASE stage WHEN 'embeddings' THEN [1] ELSE [] END "
        "| REMOVE x.embed_failed_for, x.embed_skipped) "
        "FOREACH (_ IN CASE stage WHEN 'embeddings' THEN [] ELSE [1] END | REMOVE x.failed_for, x.skipped) "
        "RETURN count(*) AS count",
        item=item,
    )
    return int(rows[0]["count"])
