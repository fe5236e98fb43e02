"""Community reports: which are stale, what they are made from, and where they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from drift_assets.graph.connection import Graph, Transaction
from drift_assets.graph.failures import Failure


@dataclass(frozen=True, slots=True)
class StaleReport:
    """A community whose report is missing or may be out of date.

    `report_key` is that of the report it has, `failed_for` that of one that failed for good, with its reason `failure`.
    """

    id: str
    report_key: str
    failed_for: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class FailedReport:
    """A report that was not made from the material with this key."""

    id: str
    report_key: str
    failure: Failure


@dataclass(frozen=True, slots=True)
class MemberRow:
    """An entity below a community, as shown; `degree` is its weight inside the community."""

    name: str
    type: str
    summary: str
    degree: float


@dataclass(frozen=True, slots=True)
class TieRow:
    """A summarised relationship inside a community."""

    source: str
    target: str
    summary: str
    weight: float


@dataclass(frozen=True, slots=True)
class ChildRow:
    """The report of a child community."""

    title: str
    summary: str
    rating: float


@dataclass(frozen=True, slots=True)
class Material:
    """All that a community's report can be made from; members and ties heaviest first, children best rated first."""

    members: tuple[MemberRow, ...]
    ties: tuple[TieRow, ...]
    children: tuple[ChildRow, ...]


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A finished report; each finding is the JSON of its summary and explanation."""

    id: str
    title: str
    summary: str
    rating: float
    rating_explanation: str
    findings: tuple[str, ...]
    origin: str
    report_key: str


async def copy_single_reports(graph: Graph) -> int:
    """A community of one has its entity's summary as its report, rated 0; returns how many changed."""
    rows = await graph.write(
        "MATCH (e:__Entity__)-[:IN_COMMUNITY]->(m:__Community__ {size: 1}) "
        "WHERE m.stale OR m.title IS NULL OR m.summary <> coalesce(e.summary, '') "
        "SET m.title = coalesce(e.aliases[0], e.name), m.summary = coalesce(e.summary, ''), m.rating = 0.0, "
        "m.rating_explanation = 'An entity without relationships.', m.findings = [], m.origin = e.origin "
        "REMOVE m.stale, m.embedded, m.failure RETURN count(m) AS count"
    )
    return int(rows[0]["count"])


async def report_levels(graph: Graph) -> list[int]:
    """Levels that hold communities of several entities, finest first."""
    rows = await graph.read(
        "MATCH (m:__Community__) WHERE m.size > 1 RETURN DISTINCT m.level AS level ORDER BY level DESC"
    )
    return [row["level"] for row in rows]


async def count_stale_reports(graph: Graph, *, version: str) -> int:
    """How many reports may need a call."""
    rows = await graph.read(
        "MATCH (m:__Community__) WHERE m.size > 1 AND m.skipped IS NULL "
        "AND (m.stale OR coalesce(m.report_version, '') <> $version) RETURN count(m) AS count",
        version=version,
    )
    return int(rows[0]["count"])


async def stale_reports(graph: Graph, *, version: str, level: int, after: str, limit: int) -> list[StaleReport]:
    """Communities of a level whose report is not of this version or whose material changed, by id after `after`."""
    rows = await graph.read(
        "MATCH (m:__Community__) WHERE m.level = $level AND m.size > 1 AND m.id > $after AND m.skipped IS NULL "
        "AND (m.stale OR coalesce(m.report_version, '') <> $version) "
        "RETURN m.id AS id, coalesce(m.report_key, '') AS report_key, coalesce(m.failed_for, '') AS failed_for, "
        "coalesce(m.failure, '') AS failure ORDER BY id LIMIT $limit",
        version=version,
        level=level,
        after=after,
        limit=limit,
    )
    return [StaleReport(**row) for row in rows]


async def material(graph: Graph, community_id: str) -> Material:
    """What the report of this community is made from."""
    members = await graph.read(
        "MATCH (m:__Community__ {id: $id}) MATCH (e:__Entity__)-[:IN_COMMUNITY*1..]->(m) "
        "OPTIONAL MATCH (e)-[p:SUMMARIZED_RELATIONSHIP]-(other:__Entity__) "
        "WHERE EXISTS { (other)-[:IN_COMMUNITY*1..]->(m) } "
        # Rounded: the sum depends in its last digits on the order of its terms.
        "WITH e, round(sum(coalesce(p.weight, 0.0)), 6) AS degree "
        "RETURN coalesce(e.aliases[0], e.name) AS name, coalesce(e.type, '') AS type, "
        "coalesce(e.summary, '') AS summary, degree ORDER BY degree DESC, e.name",
        id=community_id,
    )
    ties = await graph.read(
        "MATCH (m:__Community__ {id: $id}) MATCH (a:__Entity__)-[:IN_COMMUNITY*1..]->(m) "
        "MATCH (a)-[p:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WHERE EXISTS { (b)-[:IN_COMMUNITY*1..]->(m) } "
        "RETURN coalesce(a.aliases[0], a.name) AS source, coalesce(b.aliases[0], b.name) AS target, "
        "coalesce(p.summary, '') AS summary, p.weight AS weight ORDER BY weight DESC, a.name, b.name",
        id=community_id,
    )
    children = await graph.read(
        "MATCH (child:__Community__)-[:IN_COMMUNITY]->(:__Community__ {id: $id}) WHERE child.title IS NOT NULL "
        "RETURN child.title AS title, child.summary AS summary, child.rating AS rating ORDER BY rating DESC, child.id",
        id=community_id,
    )
    return Material(
        tuple(MemberRow(**row) for row in members),
        tuple(TieRow(**row) for row in ties),
        tuple(ChildRow(**row) for row in children),
    )


async def write_reports(
    graph: Graph, rows: Sequence[ReportRow], unchanged: Sequence[str], failed: Sequence[FailedReport], *, version: str
) -> None:
    """The communities have these reports and their parents may be stale; `unchanged` ones have been looked at.

    A failed report says why and stays stale.
    """

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "UNWIND $rows AS row MATCH (m:__Community__ {id: row.id}) "
            "SET m.title = row.title, m.summary = row.summary, m.rating = row.rating, "
            "m.rating_explanation = row.rating_explanation, m.findings = row.findings, m.origin = row.origin, "
            "m.report_key = row.report_key, m.report_version = $version "
            "REMOVE m.stale, m.embedded, m.failure, m.failed_for, m.skipped "
            "WITH m MATCH (m)-[:IN_COMMUNITY]->(parent:__Community__) SET parent.stale = true",
            rows=[asdict(row) for row in rows],
            version=version,
        )
        await transaction.run(
            "MATCH (m:__Community__) WHERE m.id IN $ids SET m.report_version = $version "
            "REMOVE m.stale, m.failure, m.failed_for, m.skipped",
            ids=list(unchanged),
            version=version,
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (m:__Community__ {id: row.id}) SET m.stale = true, m.failure = row.reason, "
            "m.failed_for = CASE WHEN row.lasting THEN row.report_key END",
            rows=[{"id": one.id, "report_key": one.report_key, **asdict(one.failure)} for one in failed],
        )

    await graph.write_together(work)


async def report_sample(graph: Graph, limit: int) -> list[dict[str, str | int | float]]:
    """The best rated reports."""
    return await graph.read(
        "MATCH (m:__Community__) WHERE m.size > 1 AND m.title IS NOT NULL "
        "RETURN m.title AS title, m.level AS level, m.size AS entities, m.rating AS rating, "
        "left(m.summary, 240) AS summary ORDER BY rating DESC, entities DESC, m.id LIMIT $limit",
        limit=limit,
    )


async def count_reports(graph: Graph) -> int:
    """How many communities have a report."""
    rows = await graph.read("RETURN COUNT { MATCH (m:__Community__) WHERE m.title IS NOT NULL } AS count")
    return int(rows[0]["count"])
