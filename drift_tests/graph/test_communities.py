"""Memberships of communities: read as one weighted graph, swapped as a whole."""

from __future__ import annotations

import pytest

from drift_assets.clustering import Community
from drift_assets.errors import GraphError
from drift_assets.graph import chunks, communities
from drift_assets.graph.address import Address
from drift_assets.graph.communities import Placed, Swapped, WeightedGraph
from drift_assets.graph.connection import Graph
from drift_assets.graph.entities import ExtractionRow
from drift_tests.database import query
from drift_tests.graph.writing import describe, extraction, on, values, write_graph

NAMES = ["Ann", "Bob", "Eve", "Tom"]
TREE = [
    Community("all", 0, ("ANN", "BOB", "EVE"), None),
    Community("pair", 1, ("ANN", "BOB"), "all"),
    Community("rest", 1, ("EVE",), "all"),
    Community("tom", 0, ("TOM",), None),
]
FLAT = [Community("all", 0, ("ANN", "BOB", "EVE"), None), Community("tom", 0, ("TOM",), None)]
MEMBERS = "MATCH (e:__Entity__)-[:IN_COMMUNITY]->(m) RETURN e.name, m.id ORDER BY e.name"
PARENTS = "MATCH (c:__Community__)-[:IN_COMMUNITY]->(p) RETURN c.id, p.id ORDER BY c.id"
FRESH = "MATCH (m:__Community__) REMOVE m.stale SET m.title = 'Report ' + m.id"


async def people(graph: Graph) -> None:
    ties = [("Bob", "Ann"), ("Ann", "Eve")]
    await write_graph(graph, {"a": [extraction("one", NAMES, ties), extraction("two", NAMES[:2], ties[:1])]})


async def swap(graph: Graph, *found: list[Community], version: str = "v1") -> list[Swapped]:
    return [await communities.swap_communities(graph, tree, version=version) for tree in found]


def test_the_graph_to_cluster_has_every_entity_and_each_pair_once(clean_address: Address) -> None:
    async def work(graph: Graph) -> WeightedGraph:
        await people(graph)
        return await communities.weighted_graph(graph)

    assert on(clean_address, work) == WeightedGraph(
        ["ANN", "BOB", "EVE", "TOM"], [("ANN", "BOB", 2.0), ("ANN", "EVE", 1.0)]
    )


def test_an_empty_index_is_an_empty_graph(clean_address: Address) -> None:
    assert on(clean_address, communities.weighted_graph) == WeightedGraph([], [])


def test_each_entity_is_in_its_finest_community_and_each_community_in_its_parent(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[Swapped]:
        await people(graph)
        return await swap(graph, TREE)

    assert on(clean_address, work) == [Swapped(new=4, kept=0, deleted=0)]
    assert values(clean_address, MEMBERS) == [("ANN", "pair"), ("BOB", "pair"), ("EVE", "rest"), ("TOM", "tom")]
    assert values(clean_address, PARENTS) == [("pair", "all"), ("rest", "all")]
    assert values(
        clean_address, "MATCH (m:__Community__) RETURN m.id, m.level, m.size, m.leaf, m.stale ORDER BY m.id"
    ) == [("all", 0, 3, False, True), ("pair", 1, 2, True, True), ("rest", 1, 1, True, True), ("tom", 0, 1, True, True)]


def test_a_community_that_stays_keeps_its_node_and_report(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[Swapped]:
        await people(graph)
        await swap(graph, TREE)
        query(clean_address, FRESH)
        return await swap(graph, [*TREE[:1], Community("new", 1, ("ANN",), "all"), *TREE[3:]])

    assert on(clean_address, work) == [Swapped(new=1, kept=2, deleted=2)]
    assert values(clean_address, "MATCH (m:__Community__) RETURN m.id, m.title ORDER BY m.id") == [
        ("all", "Report all"),
        ("new", None),
        ("tom", "Report tom"),
    ]


def test_a_community_whose_children_are_gone_is_to_be_looked_at(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await people(graph)
        await swap(graph, TREE)
        query(clean_address, FRESH)
        await swap(graph, FLAT)

    on(clean_address, work)
    assert values(clean_address, "MATCH (m:__Community__) RETURN m.id, m.stale, m.leaf ORDER BY m.id") == [
        ("all", True, True),
        ("tom", None, True),
    ]
    assert values(clean_address, MEMBERS) == [("ANN", "all"), ("BOB", "all"), ("EVE", "all"), ("TOM", "tom")]


def test_the_same_swap_again_makes_nothing_stale(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[Swapped]:
        await people(graph)
        await swap(graph, TREE)
        query(clean_address, FRESH)
        return await swap(graph, TREE)

    assert on(clean_address, work) == [Swapped(new=0, kept=4, deleted=0)]
    assert values(clean_address, "MATCH (m:__Community__ {stale: true}) RETURN m.id") == []


def test_a_swap_that_fails_half_way_leaves_the_old_memberships(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await people(graph)
        await swap(graph, TREE)
        # An id that is too long for its index breaks the transaction after the deletions.
        broken = Community("x" * 40_000, 1, ("EVE",), "all")
        with pytest.raises(GraphError):
            await swap(graph, [TREE[0], broken])

    on(clean_address, work)
    assert values(clean_address, MEMBERS) == [("ANN", "pair"), ("BOB", "pair"), ("EVE", "rest"), ("TOM", "tom")]
    assert values(clean_address, PARENTS) == [("pair", "all"), ("rest", "all")]


def test_the_clustering_holds_for_its_version_until_an_entity_or_a_pair_comes_goes_or_changes_its_weight(
    clean_address: Address,
) -> None:
    async def work(graph: Graph) -> list[bool]:
        await people(graph)
        seen = [await communities.is_clustered(graph, version="v1")]
        for said in (
            extraction("three", ["Ann"]),
            extraction("four", ["Ann", "Eve"], [("Ann", "Eve")]),
            extraction("five", ["Ann", "Tom"], [("Ann", "Tom")]),
            extraction("six", ["Stranger"]),
        ):
            await swap(graph, TREE)
            seen += [await communities.is_clustered(graph, version=version) for version in ("v1", "v2")]
            await write_graph(graph, {said.text_hash: [said]})
        return [*seen, await communities.is_clustered(graph, version="v1")]

    asked = on(clean_address, work)
    assert asked[0] is False
    assert asked[1:-1] == [True, False] * 4
    assert asked[-1] is False


@pytest.mark.parametrize(
    ("said", "clustered", "relinked"),
    [
        (extraction("three", ["Ann"]), True, set()),
        (extraction("three", ["Ann", "Bob"], [("Ann", "Bob")]), False, {"ANN", "BOB"}),
        (extraction("three", ["Stranger"]), False, set()),
        (extraction("three", ["Stranger", "Tom"], [("Stranger", "Tom")]), False, {"STRANGER", "TOM"}),
    ],
)
def test_entities_are_relinked_by_what_changes_their_ties(
    clean_address: Address, said: ExtractionRow, clustered: bool, relinked: set[str]
) -> None:
    async def work(graph: Graph) -> tuple[bool, Placed]:
        await people(graph)
        await swap(graph, TREE)
        await write_graph(graph, {"b": [said]})
        return await communities.is_clustered(graph, version="v1"), await communities.placed_entities(graph)

    assert on(clean_address, work) == (
        clustered,
        Placed(
            "v1", {"ANN": ("all", "pair"), "BOB": ("all", "pair"), "EVE": ("all", "rest"), "TOM": ("tom",)}, relinked
        ),
    )


def test_who_is_left_is_relinked_when_a_tie_goes_and_no_longer_after_the_next_swap(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[Placed]:
        await people(graph)
        await swap(graph, TREE)
        await write_graph(graph, {"a": [extraction("two", NAMES[:2], [("Bob", "Ann")])]})
        await chunks.delete_orphans(graph)
        await describe(graph)
        seen = [await communities.placed_entities(graph)]
        await swap(graph, [Community("pair", 0, ("ANN", "BOB"), None)])
        return [*seen, await communities.placed_entities(graph)]

    after, swapped = on(clean_address, work)
    assert (after.relinked, sorted(after.chains)) == ({"ANN", "BOB"}, ["ANN", "BOB"])
    assert swapped == Placed("v1", {"ANN": ("pair",), "BOB": ("pair",)}, set())


def test_an_index_that_was_never_clustered_places_nobody(clean_address: Address) -> None:
    assert on(clean_address, communities.placed_entities) == Placed(None, {}, set())


def test_levels_are_told_coarsest_first_without_single_entities(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[list[dict[str, int]], int]:
        await people(graph)
        await swap(graph, TREE)
        return await communities.community_levels(graph), await communities.count_communities(graph)

    levels, count = on(clean_address, work)
    assert levels == [
        {"level": 0, "communities": 1, "largest": 3},
        {"level": 1, "communities": 1, "largest": 2},
    ]
    assert count == 4
