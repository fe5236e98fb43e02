"""Summaries of entities and of pairs: copied from a single description, or stale until a model has merged them.

`summary_key` tells what a summary was made from: the hash of the descriptions and, where a model made it, the version
of the stage and the name that the model was told. A summary is stale when its key would be another one today.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, LiteralString

from drift_assets.graph.connection import Graph, Transaction
from drift_assets.graph.failures import Failure

Kind = Literal["entity", "pair"]
KINDS: tuple[Kind, ...] = ("entity", "pair")
_COPY_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class StaleSummary:
    """An entity (`key` is its name) or a pair (its id) whose descriptions are not merged yet."""

    key: str
    subject: str
    descriptions: tuple[str, ...]
    summary_key: str


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A finished summary; `summary_key` is that of the stale one."""

    key: str
    summary: str
    origin: str
    summary_key: str


@dataclass(frozen=True, slots=True)
class FailedSummary:
    """A stale summary that was not made."""

    key: str
    summary_key: str
    failure: Failure


# `x` is what has the summary, `e` an entity of every community whose report tells of it.
_ALL: dict[Kind, LiteralString] = {
    "entity": "MATCH (e:__Entity__) WITH e, e AS x ",
    "pair": "MATCH (e:__Entity__)-[x:SUMMARIZED_RELATIONSHIP]->() WITH e, x ",
}
_ONE: dict[Kind, LiteralString] = {
    "entity": "UNWIND $rows AS row MATCH (e:__Entity__ {name: row.key}) WITH e, e AS x, row ",
    "pair": "UNWIND $rows AS row MATCH (e:__Entity__)-[x:SUMMARIZED_RELATIONSHIP {id: row.key}]->() ",
}
_KEYED: dict[Kind, LiteralString] = {
    "entity": (
        "MATCH (x:__Entity__) WHERE x.name > $after WITH x, x.name AS key, coalesce(x.aliases[0], x.name) AS subject "
        "WITH x, key, subject, x.description_hash + ':' + $version + ':' + subject AS summary_key "
    ),
    "pair": (
        "MATCH (a:__Entity__)-[x:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WHERE x.id > $after "
        "WITH x, x.id AS key, coalesce(a.aliases[0], a.name) + ' – ' + coalesce(b.aliases[0], b.name) AS subject "
        "WITH x, key, subject, x.description_hash + ':' + $version + ':' + subject AS summary_key "
    ),
}
_STALE: LiteralString = (
    "WHERE size(x.description) > 1 AND coalesce(x.summary_key, '') <> summary_key "
    "AND coalesce(x.failed_for, '') <> summary_key AND x.skipped IS NULL "
)


async def copy_summaries(graph: Graph, kind: Kind, *, origin: str) -> int:
    """Entities or pairs with at most one description have it as their summary, told by whoever extracted it.

    `origin` is that of what an older index does not say of. A vector stands as long as the summary's text does.
    Returns how many changed.
    """
    copied = 0
    while True:
        rows = await graph.write(
            _ALL[kind] + "WHERE size(x.description) <= 1 "
            "AND (coalesce(x.summary_key, '') <> x.description_hash OR x.origin <> x.described_by) "
            "WITH e, x, coalesce(x.description[0], '') AS said LIMIT $limit "
            "FOREACH (_ IN CASE WHEN x.summary = said THEN [] ELSE [1] END | SET x.summary = said REMOVE x.embedded) "
            "SET x.summary_key = x.description_hash, x.origin = coalesce(x.described_by, $origin) REMOVE x.failure "
            "WITH e, x CALL (e) { MATCH (e)-[:IN_COMMUNITY*1..]->(m:__Community__) SET m.stale = true } "
            "RETURN count(DISTINCT x) AS count",
            limit=_COPY_BATCH,
            origin=origin,
        )
        if not rows[0]["count"]:
            return copied
        copied += rows[0]["count"]


async def drop_old_failures(graph: Graph, *, version: str) -> None:
    """Entities and pairs that are not stale have not failed, whatever other descriptions or another version did."""
    for kind in KINDS:
        await graph.write(
            _KEYED[kind] + "WHERE x.failure IS NOT NULL "
            "AND (size(x.description) <= 1 OR x.summary_key = summary_key) REMOVE x.failure, x.failed_for, x.skipped",
            version=version,
            after="",
        )


async def count_stale_summaries(graph: Graph, *, version: str) -> int:
    """How many entities and pairs need a call."""
    queries = [_KEYED[kind] + _STALE + "RETURN count(x) AS count" for kind in KINDS]
    counted = await asyncio.gather(*(graph.read(query, version=version, after="") for query in queries))
    return sum(rows[0]["count"] for rows in counted)


async def stale_summaries(graph: Graph, kind: Kind, *, version: str, after: str, limit: int) -> list[StaleSummary]:
    """Entities or pairs whose several descriptions are not merged by this version, by key after the key `after`."""
    rows = await graph.read(
        _KEYED[kind] + _STALE + "RETURN key, subject, x.description AS descriptions, summary_key "
        "ORDER BY key LIMIT $limit",
        version=version,
        after=after,
        limit=limit,
    )
    return [StaleSummary(**{**row, "descriptions": tuple(row["descriptions"])}) for row in rows]


async def write_summaries(
    graph: Graph, kind: Kind, rows: Sequence[SummaryRow], failed: Sequence[FailedSummary]
) -> None:
    """The entities or pairs have these summaries, reports above are stale; failed ones say why."""

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            _ONE[kind] + "SET x.summary = row.summary, x.origin = row.origin, x.summary_key = row.summary_key "
            "REMOVE x.embedded, x.failure, x.failed_for, x.skipped "
            "WITH e MATCH (e)-[:IN_COMMUNITY*1..]->(m:__Community__) SET m.stale = true",
            rows=[asdict(row) for row in rows],
        )
        await transaction.run(
            _ONE[kind] + "SET x.failure = row.reason, x.failed_for = CASE WHEN row.lasting THEN row.summary_key END",
            rows=[{"key": one.key, "summary_key": one.summary_key, **asdict(one.failure)} for one in failed],
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
