"""Summaries of entities and of pairs: copied from a single description, or stale until a model has merged them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from drift_assets.graph.connection import Graph, Transaction

_COPY_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class StaleSummary:
    """An entity (`name`) or a pair (`id` of its relationship) whose descriptions are not merged yet."""

    key: str
    subject: str
    descriptions: tuple[str, ...]
    description_hash: str


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A finished summary; `description_hash` is that of the descriptions it was made from."""

    key: str
    summary: str
    origin: str
    description_hash: str


async def copy_entity_summaries(graph: Graph, *, origin: str) -> int:
    """Entities with at most one description have it as their summary; returns how many changed."""
    copied = 0
    while True:
        rows = await graph.write(
            "MATCH (e:__Entity__) WHERE size(e.description) <= 1 AND coalesce(e.summary_key, '') <> e.description_hash "
            "WITH e ORDER BY e.name LIMIT $limit "
            "SET e.summary = coalesce(e.description[0], ''), e.summary_key = e.description_hash, e.origin = $origin "
            "REMOVE e.embedded, e.failure "
            "WITH e CALL (e) { MATCH (e)-[:IN_COMMUNITY*1..]->(m:__Community__) SET m.stale = true } "
            "RETURN count(DISTINCT e) AS count",
            limit=_COPY_BATCH,
            origin=origin,
        )
        if not rows[0]["count"]:
            return copied
        copied += rows[0]["count"]


async def copy_pair_summaries(graph: Graph, *, origin: str) -> int:
    """Pairs with one description have it as their summary; returns how many changed."""
    copied = 0
    while True:
        rows = await graph.write(
            "MATCH (a:__Entity__)-[p:SUMMARIZED_RELATIONSHIP]->() "
            "WHERE size(p.description) <= 1 AND coalesce(p.summary_key, '') <> p.description_hash "
            "WITH a, p LIMIT $limit "
            "SET p.summary = coalesce(p.description[0], ''), p.summary_key = p.description_hash, p.origin = $origin "
            "REMOVE p.failure "
            "WITH a, p CALL (a) { MATCH (a)-[:IN_COMMUNITY*1..]->(m:__Community__) SET m.stale = true } "
            "RETURN count(DISTINCT p) AS count",
            limit=_COPY_BATCH,
            origin=origin,
        )
        if not rows[0]["count"]:
            return copied
        copied += rows[0]["count"]


async def count_stale_summaries(graph: Graph, *, version: str) -> int:
    """How many entities and pairs need a call."""
    rows = await graph.read(
        "CALL () { MATCH (e:__Entity__) WHERE size(e.description) > 1 "
        "AND coalesce(e.summary_key, '') <> e.description_hash + ':' + $version RETURN count(e) AS count "
        "UNION ALL MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() WHERE size(p.description) > 1 "
        "AND coalesce(p.summary_key, '') <> p.description_hash + ':' + $version RETURN count(p) AS count } "
        "RETURN sum(count) AS count",
        version=version,
    )
    return int(rows[0]["count"])


async def stale_entity_summaries(graph: Graph, *, version: str, after: str, limit: int) -> list[StaleSummary]:
    """Entities whose several descriptions are not merged by this version, by name, after the name `after`."""
    rows = await graph.read(
        "MATCH (e:__Entity__) WHERE e.name > $after AND size(e.description) > 1 "
        "AND coalesce(e.summary_key, '') <> e.description_hash + ':' + $version "
        "RETURN e.name AS key, coalesce(e.aliases[0], e.name) AS subject, e.description AS descriptions, "
        "e.description_hash AS description_hash ORDER BY key LIMIT $limit",
        version=version,
        after=after,
        limit=limit,
    )
    return [StaleSummary(**{**row, "descriptions": tuple(row["descriptions"])}) for row in rows]


async def stale_pair_summaries(graph: Graph, *, version: str, after: str, limit: int) -> list[StaleSummary]:
    """Pairs whose several descriptions are not merged by this version, by id, after the id `after`."""
    rows = await graph.read(
        "MATCH (a:__Entity__)-[p:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WHERE p.id > $after "
        "AND size(p.description) > 1 AND coalesce(p.summary_key, '') <> p.description_hash + ':' + $version "
        "RETURN p.id AS key, coalesce(a.aliases[0], a.name) + ' – ' + coalesce(b.aliases[0], b.name) AS subject, "
        "p.description AS descriptions, p.description_hash AS description_hash ORDER BY key LIMIT $limit",
        version=version,
        after=after,
        limit=limit,
    )
    return [StaleSummary(**{**row, "descriptions": tuple(row["descriptions"])}) for row in rows]


async def write_entity_summaries(
    graph: Graph, rows: Sequence[SummaryRow], failures: dict[str, str], *, version: str
) -> None:
    """The entities have these summaries, reports above are stale; failed ones (name to reason) say why."""

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "UNWIND $rows AS row MATCH (e:__Entity__ {name: row.key}) "
            "SET e.summary = row.summary, e.origin = row.origin, "
            "e.summary_key = row.description_hash + ':' + $version REMOVE e.embedded, e.failure "
            "WITH e MATCH (e)-[:IN_COMMUNITY*1..]->(m:__Community__) SET m.stale = true",
            rows=[asdict(row) for row in rows],
            version=version,
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (e:__Entity__ {name: row.key}) SET e.failure = row.reason",
            rows=[{"key": key, "reason": reason} for key, reason in sorted(failures.items())],
        )

    await graph.write_together(work)


async def write_pair_summaries(
    graph: Graph, rows: Sequence[SummaryRow], failures: dict[str, str], *, version: str
) -> None:
    """The pairs have these summaries, reports above are stale; failed ones (id to reason) say why."""

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "UNWIND $rows AS row MATCH (a:__Entity__)-[p:SUMMARIZED_RELATIONSHIP {id: row.key}]->() "
            "SET p.summary = row.summary, p.origin = row.origin, "
            "p.summary_key = row.description_hash + ':' + $version REMOVE p.failure "
            "WITH a MATCH (a)-[:IN_COMMUNITY*1..]->(m:__Community__) SET m.stale = true",
            rows=[asdict(row) for row in rows],
            version=version,
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH ()-[p:SUMMARIZED_RELATIONSHIP {id: row.key}]->() SET p.failure = row.reason",
            rows=[{"key": key, "reason": reason} for key, reason in sorted(failures.items())],
        )

    await graph.write_together(work)


async def summary_sample(graph: Graph, limit: int) -> list[dict[str, str | int]]:
    """The entities with the most merged descriptions, with their summaries."""
    return await graph.read(
        "MATCH (e:__Entity__) WHERE size(e.description) > 1 AND e.summary IS NOT NULL "
        "RETURN e.aliases[0] AS name, size(e.description) AS descriptions, left(e.summary, 240) AS summary "
        "ORDER BY descriptions DESC, name LIMIT $limit",
        limit=limit,
    )


async def count_summaries(graph: Graph) -> int:
    """How many entities and pairs have a summary."""
    rows = await graph.read(
        "RETURN COUNT { MATCH (e:__Entity__) WHERE e.summary IS NOT NULL } "
        "+ COUNT { MATCH (:__Entity__)-[p:SUMMARIZED_RELATIONSHIP]->() WHERE p.summary IS NOT NULL } AS count"
    )
    return int(rows[0]["count"])
