"""The layout: the same for the same graph, within its square, communities together."""

from __future__ import annotations

from itertools import combinations
from math import dist
from statistics import mean

from hypothesis import given, settings
from hypothesis import strategies as st

from drift_assets.picture.layout import layout

CLIQUES = [(a, b, 1.0) for start in (0, 5, 10) for a, b in combinations(range(start, start + 5), 2)]
GROUPS = [0] * 5 + [1] * 5 + [2] * 5


def test_the_same_graph_gives_the_same_picture() -> None:
    assert layout(15, CLIQUES, GROUPS) == layout(15, CLIQUES, GROUPS)


def test_what_belongs_together_stands_together() -> None:
    places = layout(15, [*CLIQUES, (0, 5, 1.0), (5, 10, 1.0)], GROUPS)

    near = mean(dist(places[a], places[b]) for a, b in combinations(range(15), 2) if GROUPS[a] == GROUPS[b])
    far = mean(dist(places[a], places[b]) for a, b in combinations(range(15), 2) if GROUPS[a] != GROUPS[b])
    assert near < far / 2


@given(st.integers(0, 20), st.data())
@settings(max_examples=15, deadline=None)
def test_every_node_has_a_place_of_its_own_in_the_square(count: int, data: st.DataObject) -> None:
    node = st.integers(0, max(count - 1, 0))
    ties = data.draw(st.lists(st.tuples(node, node, st.floats(0, 1e6)), max_size=20)) if count > 1 else []

    places = layout(count, ties, data.draw(st.lists(st.integers(-1, 3), min_size=count, max_size=count)))

    assert len(set(places)) == count
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places)
