"""Summaries of entities and pairs: which are copied, which are stale, which failed."""

from __future__ import annotations

import pytest

from drift_assets.graph import summaries
from drift_assets.graph.address import Address
from drift_assets.graph.chunks import delete_orphans
from drift_assets.graph.connection import Graph
from drift_assets.graph.failures import Failure
from drift_assets.graph.summaries import KINDS, FailedSummary, Kind, StaleSummary, SummaryRow
from drift_tests.database import query
from drift_tests.graph.writing import describe, extraction, on, values, write_graph

SUMMARIES = "MATCH (e:__Entity__) RETURN e.name, e.summary, e.origin ORDER BY e.name"
PAIRS = "MATCH (a)-[p:SUMMARIZED_RELATIONSHIP]->(b) RETURN a.name, b.name, p.summary, p.origin ORDER BY a.name, b.name"

# Ann and the pair with Bob are told of twice, Bob and Eve once with the same words, Eve's pair with Ann once.
SAID = {
    "a": [extraction("one", ["Ann", "Bob"], [("Ann", "Bob")])],
    "b": [extraction("two", ["Ann", "Eve"], [("Ann", "Eve"), ("Ann", "Bob")])],
}


def failed(item: StaleSummary, reason: str) -> FailedSummary:
    return FailedSummary(item.key, item.summary_key, Failure(reason, lasting=True))


async def stale(graph: Graph, version: str = "v1") -> dict[Kind, list[StaleSummary]]:
    return {kind: await summaries.stale_summaries(graph, kind, version=version, after="", limit=10) for kind in KINDS}


async def merge_all(graph: Graph, version: str = "v1") -> None:
    for kind, items in (await stale(graph, version)).items():
        rows = [SummaryRow(item.key, f"Merged {item.subject}.", "scripted", item.summary_key) for item in items]
        await summaries.write_summaries(graph, kind, rows, [])


async def copy_all(graph: Graph) -> int:
    return sum([await summaries.copy_summaries(graph, kind, origin="copied") for kind in KINDS])


def test_a_single_description_is_copied_and_several_are_stale(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, int, dict[Kind, list[StaleSummary]]]:
        await write_graph(graph, SAID)
        return await copy_all(graph), await summaries.count_stale_summaries(graph, version="v1"), await stale(graph)

    copied, count, found = on(clean_address, work)
    assert (copied, count) == (3, 2)
    assert values(clean_address, SUMMARIES) == [
        ("ANN", None, None),
        ("BOB", "Bob in one.", "scripted"),
        ("EVE", "Eve in two.", "scripted"),
    ]
    assert values(clean_address, PAIRS) == [
        ("ANN", "BOB", None, None),
        ("ANN", "EVE", "Ann and Eve in two.", "scripted"),
    ]
    assert [(s.subject, s.descriptions) for s in found["entity"]] == [("Ann", ("Ann in one.", "Ann in two."))]
    assert [(s.subject, s.descriptions) for s in found["pair"]] == [
        ("Ann – Bob", ("Ann and Bob in one.", "Ann and Bob in two."))
    ]


def test_an_entity_without_a_description_has_an_empty_summary(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann"])]})
        query(clean_address, "MATCH (e:__Entity__) SET e.description = []")
        await copy_all(graph)

    on(clean_address, work)
    assert values(clean_address, SUMMARIES) == [("ANN", "", "scripted")]


def test_what_is_summarised_is_not_stale_and_not_copied_again(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, int, int]:
        await write_graph(graph, SAID)
        await copy_all(graph)
        await merge_all(graph)
        return (
            await copy_all(graph),
            await summaries.count_stale_summaries(graph, version="v1"),
            await summaries.count_summaries(graph),
        )

    assert on(clean_address, work) == (0, 0, 5)
    assert values(clean_address, SUMMARIES)[0] == ("ANN", "Merged Ann.", "scripted")
    assert values(clean_address, PAIRS)[0] == ("ANN", "BOB", "Merged Ann – Bob.", "scripted")


def test_another_version_makes_merged_summaries_stale_and_no_others(clean_address: Address) -> None:
    async def work(graph: Graph) -> dict[Kind, list[StaleSummary]]:
        await write_graph(graph, SAID)
        await copy_all(graph)
        await merge_all(graph)
        return await stale(graph, "v2")

    found = on(clean_address, work)
    assert [s.subject for items in found.values() for s in items] == ["Ann", "Ann – Bob"]


def test_a_new_description_makes_only_its_own_summary_stale(clean_address: Address) -> None:
    async def work(graph: Graph) -> dict[Kind, list[StaleSummary]]:
        await write_graph(graph, SAID)
        await copy_all(graph)
        await merge_all(graph)
        await write_graph(graph, {"c": [extraction("three", ["Eve"])]})
        return await stale(graph)

    found = on(clean_address, work)
    assert [(s.subject, s.descriptions) for s in found["entity"]] == [("Eve", ("Eve in three.", "Eve in two."))]
    assert found["pair"] == []


def test_another_name_to_be_told_makes_a_merged_summary_stale(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[str]:
        await write_graph(graph, SAID)
        await merge_all(graph)
        query(clean_address, "MATCH (e:__Entity__ {name: 'BOB'}) SET e.aliases = ['Robert']")
        return [s.subject for items in (await stale(graph)).values() for s in items]

    assert on(clean_address, work) == ["Ann – Robert"]


def test_a_description_that_went_leaves_a_copy_of_the_other(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, SAID)
        await merge_all(graph)
        await write_graph(graph, {"b": [extraction("four")]})
        await delete_orphans(graph)
        await describe(graph)
        await copy_all(graph)

    on(clean_address, work)
    assert values(clean_address, SUMMARIES)[0] == ("ANN", "Ann in one.", "scripted")
    assert values(clean_address, PAIRS) == [("ANN", "BOB", "Ann and Bob in one.", "scripted")]


@pytest.mark.parametrize("kind", KINDS)
def test_stale_ones_come_in_pages_by_key(clean_address: Address, kind: Kind) -> None:
    async def work(graph: Graph) -> tuple[list[str], list[str]]:
        ties = [("Ann", "Bob"), ("Bob", "Eve"), ("Ann", "Eve")]
        await write_graph(graph, {"a": [extraction(text, ["Ann", "Bob", "Eve"], ties) for text in ("one", "two")]})
        every = [s.key for s in (await stale(graph))[kind]]
        paged: list[str] = []
        while page := await summaries.stale_summaries(
            graph, kind, version="v1", after=paged[-1] if paged else "", limit=2
        ):
            paged += [s.key for s in page]
        return every, paged

    every, paged = on(clean_address, work)
    assert every == sorted(every) == paged
    assert len(every) == 3


def test_a_new_summary_makes_the_vector_and_the_reports_above_stale(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, SAID)
        await copy_all(graph)
        query(
            clean_address,
            "MATCH (e:__Entity__) SET e.embedded = 'm' WITH e "
            "CREATE (e)-[:IN_COMMUNITY]->(:__Community__ {id: e.name})"
            "-[:IN_COMMUNITY]->(:__Community__ {id: 'over ' + e.name})",
        )
        await merge_all(graph)

    on(clean_address, work)
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.name, e.embedded ORDER BY e.name") == [
        ("ANN", None),
        ("BOB", "m"),
        ("EVE", "m"),
    ]
    assert values(clean_address, "MATCH (m:__Community__ {stale: true}) RETURN m.id ORDER BY m.id") == [
        "ANN",
        "over ANN",
    ]


def test_a_failure_says_why_and_keeps_the_old_summary_until_the_next_success(clean_address: Address) -> None:
    failures = (
        "MATCH (e:__Entity__ {name: 'ANN'})-[p:SUMMARIZED_RELATIONSHIP]-({name: 'BOB'}) RETURN e.failure, p.failure"
    )

    async def work(graph: Graph) -> list[object]:
        await write_graph(graph, SAID)
        await merge_all(graph)
        for kind, items in (await stale(graph, "v2")).items():
            await summaries.write_summaries(graph, kind, [], [failed(item, f"no {kind}") for item in items])
            assert (await stale(graph, "v2"))[kind] == [], "they would only fail again"
        seen = values(clean_address, failures)
        await merge_all(graph, "v3")
        return seen

    assert on(clean_address, work) == [("no entity", "no pair")]
    assert values(clean_address, failures) == [(None, None)]
    assert values(clean_address, SUMMARIES)[0] == ("ANN", "Merged Ann.", "scripted")


def test_failures_are_forgotten_where_nothing_is_to_be_merged_any_more(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, SAID)
        await copy_all(graph)
        await merge_all(graph)
        query(clean_address, "MATCH (e:__Entity__) SET e.failure = 'of another time'")
        query(clean_address, "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() SET p.failure = 'of another time'")
        query(
            clean_address,
            "MATCH (e:__Entity__ {name: 'ANN'}) SET e.description = e.description + 'More.', e.description_hash = 'x'",
        )
        await summaries.drop_old_failures(graph, version="v1")

    on(clean_address, work)
    assert values(clean_address, "MATCH (e:__Entity__) WHERE e.failure IS NOT NULL RETURN e.name") == ["ANN"]
    assert (
        values(clean_address, "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() WHERE p.failure IS NOT NULL RETURN p.id") == []
    )


def test_a_sample_shows_those_with_the_most_descriptions(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[dict[str, str | int]]:
        await write_graph(graph, SAID)
        await copy_all(graph)
        await merge_all(graph)
        return await summaries.summary_sample(graph, 5)

    assert on(clean_address, work) == [{"name": "Ann", "descriptions": 2, "summary": "Merged Ann."}]
