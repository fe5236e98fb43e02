"""Reports: which are stale, what they are made from, where they are kept."""

from __future__ import annotations

import pytest

from drift_assets.clustering import Community
from drift_assets.graph import reports
from drift_assets.graph.address import Address
from drift_assets.graph.communities import swap_communities
from drift_assets.graph.connection import Graph
from drift_assets.graph.failures import Failure
from drift_assets.graph.reports import ChildRow, FailedReport, Material, ReportRow, StaleReport
from drift_assets.graph.summaries import copy_summaries
from drift_tests.database import query
from drift_tests.graph.writing import extraction, on, values, write_graph

TREE = [
    Community("all", 0, ("ANN", "BOB", "EVE"), None),
    Community("pair", 1, ("ANN", "BOB"), "all"),
    Community("rest", 1, ("EVE", "JIM"), "all"),
    Community("tom", 0, ("TOM",), None),
]
TITLES = "MATCH (m:__Community__) RETURN m.id, m.title ORDER BY m.id"
STALE = "MATCH (m:__Community__ {stale: true}) RETURN m.id ORDER BY m.id"


async def people(graph: Graph) -> None:
    """Bob is tied to Ann by 2, Ann to Eve by 1, Eve to Jim by 1; Tom is alone."""
    said = [
        extraction("one", ["Ann:PERSON", "Bob", "Eve", "Jim", "Tom"], [("Bob", "Ann"), ("Ann", "Eve"), ("Eve", "Jim")]),
        extraction("two", ["Ann:PERSON", "Bob"], [("Bob", "Ann")]),
    ]
    await write_graph(graph, {"a": said})
    for kind in ("entity", "pair"):
        await copy_summaries(graph, kind, origin="copied")
    await swap_communities(graph, TREE, version="v1")


def row(id_: str, rating: float = 5.0, key: str = "key") -> ReportRow:
    return ReportRow(id_, f"Report {id_}", f"About {id_}.", rating, "Because.", ('{"summary": "s"}',), "scripted", key)


async def stale(graph: Graph, level: int, version: str = "v1") -> list[StaleReport]:
    return await reports.stale_reports(graph, version=version, level=level, after="", limit=10)


def test_levels_come_finest_first(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[int]:
        await people(graph)
        return await reports.report_levels(graph)

    assert on(clean_address, work) == [1, 0]


def test_every_community_of_several_is_stale_at_first(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, list[StaleReport], list[StaleReport]]:
        await people(graph)
        return await reports.count_stale_reports(graph, version="v1"), await stale(graph, 1), await stale(graph, 0)

    assert on(clean_address, work) == (3, [StaleReport("pair", ""), StaleReport("rest", "")], [StaleReport("all", "")])


def test_stale_ones_come_in_pages_by_id(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[StaleReport]:
        await people(graph)
        return await reports.stale_reports(graph, version="v1", level=1, after="pair", limit=1)

    assert on(clean_address, work) == [StaleReport("rest", "")]


def test_a_single_entity_has_its_summary_as_its_report(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, int]:
        await people(graph)
        return await reports.copy_single_reports(graph), await reports.copy_single_reports(graph)

    assert on(clean_address, work) == (1, 0)
    assert values(
        clean_address, "MATCH (m:__Community__ {id: 'tom'}) RETURN m.title, m.summary, m.rating, m.findings, m.origin"
    ) == [("Tom", "Tom in one.", 0.0, [], "scripted")]
    assert values(clean_address, STALE) == ["all", "pair", "rest"]


@pytest.mark.parametrize("change", ["SET e.summary = 'Changed.'", "SET m.stale = true", "SET m.title = null"])
def test_the_report_of_a_single_entity_follows_it(clean_address: Address, change: str) -> None:
    async def work(graph: Graph) -> int:
        await people(graph)
        await reports.copy_single_reports(graph)
        query(clean_address, f"MATCH (e:__Entity__)-[:IN_COMMUNITY]->(m {{id: 'tom'}}) {change}")
        return await reports.copy_single_reports(graph)

    assert on(clean_address, work) == 1


def test_the_material_is_what_stands_inside_the_community_heaviest_first(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[Material, Material]:
        await people(graph)
        query(clean_address, "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() SET p.summary = 'S ' + p.weight")
        return await reports.material(graph, "pair"), await reports.material(graph, "all")

    pair, whole = on(clean_address, work)
    assert [(m.name, m.type, m.degree) for m in pair.members] == [("Ann", "PERSON", 2.0), ("Bob", "", 2.0)]
    assert [(t.source, t.target, t.summary, t.weight) for t in pair.ties] == [("Ann", "Bob", "S 2.0", 2.0)]
    assert [(m.name, m.degree) for m in whole.members] == [("Ann", 3.0), ("Bob", 2.0), ("Eve", 2.0), ("Jim", 1.0)]
    assert [(t.source, t.target, t.weight) for t in whole.ties] == [
        ("Ann", "Bob", 2.0),
        ("Ann", "Eve", 1.0),
        ("Eve", "Jim", 1.0),
    ]
    assert whole.children == (), "children without a report have nothing to tell"


def test_sums_that_differ_only_by_rounding_are_ties(clean_address: Address) -> None:
    async def work(graph: Graph) -> Material:
        await people(graph)
        query(
            clean_address,
            "MATCH (a {name: 'ANN'}), (b {name: 'BOB'}), (e {name: 'EVE'}), (j {name: 'JIM'}) "
            "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() DELETE p WITH DISTINCT a, b, e, j "
            "CREATE (a)-[:SUMMARIZED_RELATIONSHIP {id: '1', weight: 0.6}]->(j), "
            "(b)-[:SUMMARIZED_RELATIONSHIP {id: '2', weight: 0.1}]->(j), "
            "(b)-[:SUMMARIZED_RELATIONSHIP {id: '3', weight: 0.2}]->(j), "
            "(b)-[:SUMMARIZED_RELATIONSHIP {id: '4', weight: 0.3}]->(j)",
        )
        return await reports.material(graph, "all")

    assert [member.name for member in on(clean_address, work).members] == ["Jim", "Ann", "Bob", "Eve"]


def test_children_come_best_rated_first_ties_by_id(clean_address: Address) -> None:
    async def work(graph: Graph) -> Material:
        await people(graph)
        await reports.write_reports(graph, [row("rest", 7), row("pair", 7)], [], [], version="v1")
        return await reports.material(graph, "all")

    assert on(clean_address, work).children == (
        ChildRow("Report pair", "About pair.", 7.0),
        ChildRow("Report rest", "About rest.", 7.0),
    )


def test_a_report_is_kept_and_its_parent_is_to_be_looked_at(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, list[StaleReport]]:
        await people(graph)
        await reports.write_reports(graph, [row("all")], [], [], version="v1")
        query(clean_address, "MATCH (m:__Community__) SET m.embedded = 'm'")
        await reports.write_reports(graph, [row("pair")], [], [], version="v1")
        return await reports.count_stale_reports(graph, version="v1"), await stale(graph, 0)

    assert on(clean_address, work) == (2, [StaleReport("all", "key")])
    assert query(
        clean_address,
        "MATCH (m:__Community__ {id: 'pair'}) RETURN m.title AS title, m.summary AS summary, m.rating AS rating, "
        "m.rating_explanation AS why, m.findings AS findings, m.origin AS origin, m.report_key AS key, "
        "m.embedded AS embedded, m.stale AS stale",
    ) == [
        {
            "title": "Report pair",
            "summary": "About pair.",
            "rating": 5.0,
            "why": "Because.",
            "findings": ['{"summary": "s"}'],
            "origin": "scripted",
            "key": "key",
            "embedded": None,
            "stale": None,
        }
    ]


def test_an_unchanged_report_is_fresh_again_and_keeps_its_vector(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[StaleReport]:
        await people(graph)
        await reports.write_reports(graph, [row("pair"), row("rest")], [], [], version="v1")
        query(
            clean_address, "MATCH (m:__Community__ {id: 'pair'}) SET m.stale = true, m.embedded = 'm', m.failure = 'f'"
        )
        await reports.write_reports(graph, [], ["pair"], [], version="v2")
        return await stale(graph, 1, "v2")

    assert on(clean_address, work) == [StaleReport("rest", "key")]
    assert values(clean_address, "MATCH (m {id: 'pair'}) RETURN m.title, m.embedded, m.failure") == [
        ("Report pair", "m", None)
    ]


def test_a_failed_report_says_why_stays_stale_and_keeps_the_old_text(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[StaleReport]:
        await people(graph)
        await reports.write_reports(graph, [row("pair"), row("rest")], [], [], version="v1")
        failed = FailedReport("pair", "other key", Failure("refused", lasting=True))
        await reports.write_reports(graph, [], [], [failed], version="v2")
        return await stale(graph, 1)

    assert on(clean_address, work) == [StaleReport("pair", "key", "other key", "refused")]
    assert values(clean_address, "MATCH (m {id: 'pair'}) RETURN m.title, m.failure") == [("Report pair", "refused")]


def test_reports_are_counted_and_the_best_are_shown(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, list[dict[str, str | int | float]]]:
        await people(graph)
        await reports.copy_single_reports(graph)
        await reports.write_reports(graph, [row("pair", 4), row("all", 9)], [], [], version="v1")
        return await reports.count_reports(graph), await reports.report_sample(graph, 5)

    count, sample = on(clean_address, work)
    assert count == 3
    assert [(one["title"], one["entities"], one["rating"]) for one in sample] == [
        ("Report all", 3, 9.0),
        ("Report pair", 2, 4.0),
    ]
