"""Communities: seeded hierarchical Leiden that ignores the order of its input."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drift_assets.clustering import Community, Edge, communities

RECORDED = json.loads((Path(__file__).parent / "golden" / "partition.json").read_text("utf-8"))

NAMES = st.sampled_from([f"N{number:02}" for number in range(24)])
WEIGHTS = st.integers(1, 40).map(lambda quarters: quarters / 4)
EDGES = st.lists(st.tuples(NAMES, NAMES, WEIGHTS), max_size=60)


def clique(prefix: str, size: int, weight: float = 1.0) -> list[Edge]:
    names = [f"{prefix}{number}" for number in range(size)]
    return [(one, other, weight) for at, one in enumerate(names) for other in names[at + 1 :]]


def ends(edges: list[Edge]) -> list[str]:
    return sorted({name for source, target, _ in edges for name in (source, target)})


def cluster(edges: list[Edge], names: list[str] | None = None, max_size: int = 4, seed: int = 42) -> list[Community]:
    return communities(ends(edges) if names is None else names, edges, max_size=max_size, seed=seed)


def leaves(found: list[Community]) -> list[Community]:
    parents = {community.parent for community in found}
    return [community for community in found if community.id not in parents]


def test_the_partition_is_that_of_graspologic() -> None:
    """The file holds what the full package found for its graph."""
    edges = [(source, target, float(weight)) for source, target, weight in RECORDED["edges"]]

    found = cluster(edges, max_size=RECORDED["max_size"], seed=RECORDED["seed"])

    by_id = {community.id: community for community in found}
    assert [row(community, by_id) for community in found] == RECORDED["communities"]


def row(community: Community, by_id: dict[str, Community]) -> dict[str, Any]:
    parent = " ".join(by_id[community.parent].members) if community.parent else None
    return {"level": community.level, "members": " ".join(community.members), "parent": parent}


def test_groups_that_hang_together_are_communities() -> None:
    edges = [*clique("A", 3), *clique("B", 3), ("A0", "B0", 0.1)]

    assert [(community.level, community.members) for community in cluster(edges)] == [
        (0, ("A0", "A1", "A2")),
        (0, ("B0", "B1", "B2")),
    ]


def test_weight_decides_where_the_graph_is_divided() -> None:
    path = [("A", "B", 9.0), ("B", "C", 1.0), ("C", "D", 9.0)]

    assert [community.members for community in cluster(path)] == [("A", "B"), ("C", "D")]


def test_a_name_without_edges_is_a_community_of_one_at_the_coarsest_level() -> None:
    found = cluster(clique("A", 3), names=["A0", "A1", "A2", "alone"])

    assert Community(found[-1].id, 0, ("alone",), None) in found


def test_a_graph_without_edges_is_no_error() -> None:
    assert [community.members for community in cluster([], names=["B", "A"])] == [("A",), ("B",)]
    assert cluster([], names=[]) == []


def test_a_name_given_twice_counts_once() -> None:
    assert [community.members for community in cluster([], names=["A", "A"])] == [("A",)]


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf])
def test_edges_without_a_positive_finite_weight_say_nothing(weight: float) -> None:
    edges = clique("A", 3)

    assert cluster([*edges, ("A0", "B", weight)], names=[*ends(edges), "B"]) == cluster(
        edges, names=[*ends(edges), "B"]
    )


def test_edges_from_a_name_to_itself_say_nothing() -> None:
    edges = clique("A", 3)

    assert cluster([*edges, ("A0", "A0", 50.0)]) == cluster(edges)
    assert [community.members for community in cluster([("A", "A", 1.0)])] == [("A",)]


def test_the_weights_of_a_pair_are_summed() -> None:
    edges = [*clique("A", 4), *clique("B", 4)]

    assert cluster([*edges, ("A0", "B0", 2.0), ("B0", "A0", 3.0)]) == cluster([*edges, ("A0", "B0", 5.0)])


def test_an_edge_to_an_unknown_name_is_an_error_that_names_both_ends() -> None:
    with pytest.raises(ValueError, match="'A' to 'B'"):
        cluster([("A", "B", 1.0)], names=["A"])


def test_no_level_repeats_the_members_of_the_level_above() -> None:
    found = cluster(clique("A", 12), max_size=4)

    assert max(Counter(community.members for community in found).values()) == 1


def test_an_id_follows_from_level_and_members_alone() -> None:
    edges = [*clique("A", 3), *clique("B", 3)]

    alone = {community.members: community.id for community in cluster(clique("A", 3))}
    together = {community.members: community.id for community in cluster(edges, seed=7)}

    assert together[("A0", "A1", "A2")] == alone[("A0", "A1", "A2")]


def test_a_graph_of_a_thousand_names_is_divided_without_losing_one(large_graph: list[Edge]) -> None:
    found = cluster(large_graph, max_size=10)

    assert sorted(name for leaf in leaves(found) for name in leaf.members) == ends(large_graph)


@pytest.fixture
def large_graph() -> list[Edge]:
    source = random.Random(1)
    names = [f"N{number}" for number in range(1000)]
    return [(source.choice(names), source.choice(names[:300]), source.random()) for _ in range(5000)]


@given(EDGES, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_and_direction_of_the_input_do_not_matter(edges: list[Edge], source: random.Random) -> None:
    turned = [
        (target, start, weight) if source.random() < 0.5 else (start, target, weight) for start, target, weight in edges
    ]
    source.shuffle(turned)
    names = ends(edges)

    found = cluster(edges, names)
    source.shuffle(names)

    assert cluster(turned, names) == found


@given(EDGES)
@settings(max_examples=60, deadline=None)
def test_every_name_is_in_exactly_one_leaf(edges: list[Edge]) -> None:
    found = cluster(edges)

    assert sorted(name for leaf in leaves(found) for name in leaf.members) == ends(edges)


@given(EDGES)
@settings(max_examples=60, deadline=None)
def test_children_divide_their_parent_one_level_down(edges: list[Edge]) -> None:
    found = cluster(edges)

    by_id = {community.id: community for community in found}
    for parent in found:
        children = [community for community in found if community.parent == parent.id]
        if children:
            assert len(children) > 1
            assert sorted(name for child in children for name in child.members) == list(parent.members)
            assert {child.level for child in children} == {parent.level + 1}
    assert all(community.parent in by_id for community in found if community.level)
    assert all(community.parent is None for community in found if not community.level)


@given(EDGES)
@settings(max_examples=60, deadline=None)
def test_communities_come_by_level_and_members_with_ids_of_their_own(edges: list[Edge]) -> None:
    found = cluster(edges)

    assert len({community.id for community in found}) == len(found)
    assert all((one.level, one.members) < (next_.level, next_.members) for one, next_ in pairwise(found))
    assert all(list(community.members) == sorted(set(community.members)) for community in found)
