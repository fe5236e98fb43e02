"""Regrouping: what nobody touched stays, what changed finds its place, and the whole stays as good as a fresh one."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given, settings

from drift_assets.clustering import Community, Edge, communities
from drift_assets.regrouping import coarsest, modularity, nearer, regroup
from drift_tests.test_clustering import EDGES, clique, ends, leaves

MAX_SIZE, SEED = 4, 42


def chains(found: list[Community]) -> dict[str, tuple[str, ...]]:
    """The communities of each entity, from level 0 to the leaf."""
    placed: dict[str, list[str]] = {}
    for community in found:
        for name in community.members:
            placed.setdefault(name, []).append(community.id)
    return {name: tuple(ids) for name, ids in placed.items()}


def touched(before: list[Edge], after: list[Edge]) -> set[str]:
    """The ends of the edges that only one of two graphs has; each pair stands in them once."""
    return {name for source, target, _ in set(before) ^ set(after) for name in (source, target)}


def fresh(edges: list[Edge], max_size: int = MAX_SIZE) -> list[Community]:
    return communities(ends(edges), edges, max_size=max_size, seed=SEED)


def kept(before: list[Edge], after: list[Edge], max_size: int = MAX_SIZE) -> list[Community]:
    names = ends(after)
    placed = {name: ids for name, ids in chains(fresh(before, max_size)).items() if name in names}
    return regroup(names, after, placed, touched(before, after), max_size=max_size, seed=SEED)


def villages(count: int, seed: int = 3) -> list[Edge]:
    """Groups of nine close neighbours, each with a few looser ties to others."""
    chance = random.Random(seed)
    names = [[f"V{village:02}N{n}" for n in range(9)] for village in range(count)]
    pairs = [pair for village in names for pair in combinations(village, 2) if chance.random() < 0.6]
    edges = {pair: chance.choice([4.0, 6.0, 9.0]) for pair in pairs}
    for _ in range(3 * count):
        one, other = chance.sample(names, 2)
        edges[min(one[0], other[1]), max(one[0], other[1])] = 1.0
    return [(source, target, weight) for (source, target), weight in sorted(edges.items())]


@given(EDGES)
@settings(max_examples=60, deadline=None)
def test_a_graph_that_nobody_touched_keeps_every_community(edges: list[Edge]) -> None:
    found = fresh(edges)

    assert regroup(ends(edges), edges, chains(found), (), max_size=MAX_SIZE, seed=SEED) == found


@given(EDGES, EDGES)
@settings(max_examples=100, deadline=None)
def test_whatever_changes_every_name_is_in_one_leaf_and_children_divide_their_parent(
    before: list[Edge], after: list[Edge]
) -> None:
    found = kept(before, after)

    assert sorted(name for leaf in leaves(found) for name in leaf.members) == ends(after)
    by_id = {community.id: community for community in found}
    assert len(by_id) == len(found)
    for parent in found:
        children = [community for community in found if community.parent == parent.id]
        if children:
            assert len(children) > 1
            assert len(parent.members) >= MAX_SIZE
            assert sorted(name for child in children for name in child.members) == list(parent.members)
            assert {child.level for child in children} == {parent.level + 1}
    assert all((community.parent is None) == (community.level == 0) for community in found)


@given(EDGES, EDGES)
@settings(max_examples=60, deadline=None)
def test_a_community_with_ties_hangs_together(before: list[Edge], after: list[Edge]) -> None:
    for community in kept(before, after):
        members = set(community.members)
        reached, border = {community.members[0]}, [community.members[0]]
        inside = [(a, b) for a, b, _ in after if a in members and b in members]
        while border:
            name = border.pop()
            for pair in inside:
                if name in pair:
                    border += [other for other in pair if other not in reached]
                    reached.update(pair)
        assert reached == members


def test_the_first_graph_is_clustered_afresh() -> None:
    edges = villages(4)

    assert regroup(ends(edges), edges, {}, ends(edges), max_size=MAX_SIZE, seed=SEED) == fresh(edges)


def test_a_newcomer_joins_the_group_that_holds_it() -> None:
    before = [*clique("A", 3), *clique("B", 3), ("A0", "B0", 0.1)]
    after = [*before, ("A0", "new", 2.0), ("B1", "new", 1.0)]

    assert [community.members for community in kept(before, after, 10)] == [
        ("A0", "A1", "A2", "new"),
        ("B0", "B1", "B2"),
    ]


def test_a_group_that_falls_apart_is_divided() -> None:
    before = [("A", "B", 5.0), ("B", "C", 4.0), ("C", "D", 5.0), ("A", "C", 4.0), ("B", "D", 4.0)]
    after = [("A", "B", 5.0), ("C", "D", 5.0)]

    assert [community.members for community in fresh(before, 10)] == [("A", "B", "C", "D")]
    assert [community.members for community in kept(before, after, 10)] == [("A", "B"), ("C", "D")]


def test_who_lost_all_ties_is_alone_and_who_found_some_is_not() -> None:
    before = [*clique("A", 3), ("A0", "loose", 1.0)]
    names, changed = ends(before), ("A0", "loose")

    alone = regroup(names, clique("A", 3), chains(fresh(before, 10)), changed, max_size=10, seed=SEED)
    again = regroup(names, before, chains(alone), changed, max_size=10, seed=SEED)

    assert [community.members for community in alone] == [("A0", "A1", "A2"), ("loose",)]
    assert [community.members for community in again] == [("A0", "A1", "A2", "loose")]


def test_a_small_change_in_a_large_graph_changes_few_communities_and_hardly_the_modularity() -> None:
    before = villages(40)
    after = [*before, ("V03N2", "stranger", 5.0), ("V03N4", "stranger", 3.0), ("V17N0", "stranger", 1.0)]

    found, ids = kept(before, after), {community.id for community in fresh(before)}

    assert sum(community.id not in ids for community in found) <= 4
    best = modularity(after, coarsest(fresh(after)))
    assert modularity(after, coarsest(found)) >= 0.99 * best > 0.5


def test_the_order_of_the_input_does_not_matter() -> None:
    before = villages(8)
    after = [*before, ("V03N2", "stranger", 5.0), ("V01N3", "V05N3", 20.0)]
    placed, changed = chains(fresh(before)), sorted(touched(before, after))
    found = regroup(ends(after), after, placed, changed, max_size=MAX_SIZE, seed=SEED)
    turned = [(target, source, weight) for source, target, weight in reversed(after)]

    again = regroup(
        ends(after)[::-1], turned, dict(reversed(placed.items())), changed[::-1], max_size=MAX_SIZE, seed=SEED
    )

    assert again == found


def test_modularity_is_that_of_its_definition() -> None:
    edges = [("A", "B", 1.0), ("C", "D", 1.0)]

    assert modularity(edges, {"A": "x", "B": "x", "C": "y", "D": "y"}) == pytest.approx(0.5)
    assert modularity(edges, dict.fromkeys("ABCD", "x")) == pytest.approx(0.0)
    assert modularity([], {}) == 0.0


def drifted(before: list[Edge], after: list[Edge], share: float = 0.99) -> tuple[list[Community], list[Community]]:
    """What is made of the groups of another graph, nobody having been touched, and the fresh ones to be neared."""
    names, possible = ends(after), fresh(after)
    placed = {name: ids for name, ids in chains(fresh(before)).items() if name in names}
    old = regroup(names, after, placed, (), max_size=MAX_SIZE, seed=SEED)
    least = share * modularity(after, coarsest(possible))
    return nearer(names, after, old, possible, least, max_size=MAX_SIZE, seed=SEED), possible


@given(EDGES, EDGES)
@settings(max_examples=100, deadline=None)
def test_a_partition_that_lags_behind_comes_near_to_the_fresh_one(before: list[Edge], after: list[Edge]) -> None:
    found, possible = drifted(before, after)

    assert modularity(after, coarsest(found)) >= 0.99 * modularity(after, coarsest(possible)) - 1e-9
    assert sorted(name for one in leaves(found) for name in one.members) == sorted(ends(after))
    by_id = {one.id: one for one in found}
    assert all(set(one.members) <= set(by_id[one.parent].members) for one in found if one.parent)


def test_of_a_fresh_partition_only_what_is_needed_is_taken_over() -> None:
    before = villages(12)
    # Two pairs of villages grow together, which nobody told the groups of.
    joined = [
        (f"V{one:02}N{n}", f"V{one + 1:02}N{m}", 9.0) for one in (0, 6) for n in range(9) for m in range(9) if n != m
    ]
    after = sorted({(source, target): weight for source, target, weight in [*before, *joined]}.items())
    edges = [(source, target, weight) for (source, target), weight in after]
    found, possible = drifted(before, edges)
    old = {one.id for one in fresh(before)}

    assert modularity(edges, coarsest(found)) >= 0.99 * modularity(edges, coarsest(possible))
    assert len({one.id for one in found} - old) <= len({one.id for one in possible} - old)
    untouched = {f"V{village:02}N0" for village in range(12)} - {f"V{village:02}N0" for village in (0, 1, 6, 7)}
    before_of, now = coarsest(fresh(before)), coarsest(found)
    assert sum(before_of[name] == now[name] for name in untouched) >= len(untouched) - 2
