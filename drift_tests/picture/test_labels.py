"""Names stand where they can be read."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from drift_assets.picture.labels import GAP, HEIGHT, SIGN, Box, label_places


def box(foot: tuple[int, int], label: str) -> Box:
    half = len(label) * SIGN / 2
    return Box(foot[0] - half, foot[1] - HEIGHT, foot[0] + half, foot[1] + 2)


def test_a_name_stands_above_its_circle_where_nothing_is_in_the_way() -> None:
    assert label_places([(500, 500)], [10.0], ["Reeve"], 1000) == [(500, 500 - 10 - round(GAP))]


def test_of_two_circles_side_by_side_the_names_do_not_cover_each_other() -> None:
    labels = ["Captain Walter Drummond", "Captain Edmund Hale"]
    first, second = label_places([(500, 500), (520, 500)], [8.0, 8.0], labels, 1000)
    assert box(first, labels[0]).shared(box(second, labels[1])) == 0
    assert first == (500, 489), "the weightier one chooses first"


def test_at_the_edge_a_name_stays_inside() -> None:
    ((x, y),) = label_places([(2, 500)], [5.0], ["The Merrin Ferry Company"], 1000)
    assert box((x, y), "The Merrin Ferry Company").left >= 0


def test_areas_are_those_that_both_cover() -> None:
    assert Box(0, 0, 2, 2).shared(Box(1, 1, 3, 4)) == 1
    assert Box(0, 0, 2, 2).shared(Box(2, 0, 4, 2)) == 0


@given(st.lists(st.tuples(st.integers(60, 940), st.integers(60, 940)), max_size=30, unique=True))
@settings(max_examples=20, deadline=None)
def test_the_same_picture_has_the_same_names_in_the_same_places(places: list[tuple[int, int]]) -> None:
    labels = [f"Name {n}" for n in range(len(places))]
    found = label_places(places, [6.0] * len(places), labels, 1000)
    assert found == label_places(places, [6.0] * len(places), labels, 1000)
    apart = [one for one in combinations(range(len(places)), 2) if abs(places[one[0]][1] - places[one[1]][1]) > 60]
    assert all(box(found[a], labels[a]).shared(box(found[b], labels[b])) == 0 for a, b in apart)
