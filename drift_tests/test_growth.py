"""What most of a corpus holds, foreseen from a part of it, where things are told of as names in texts are."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from drift_assets.growth import Growth, growth


def told(times: int, *, things: int, seed: int) -> list[int]:
    """Things told of one after the other: the n-th of them half as often as the n/2-th."""
    chance = random.Random(seed)
    return chance.choices(range(things), [1 / (place + 3) for place in range(things)], k=times)


def counts(things: list[int]) -> dict[int, int]:
    """How many things are told of how often."""
    return dict(Counter(Counter(things).values()))


# So many things that new ones never end, as in books.
@pytest.mark.parametrize("things", [5_000, 100_000])
def test_how_many_things_ten_times_as_many_texts_tell_of_more_than_once_is_foreseen(things: int) -> None:
    wrong = []
    for seed in range(6):
        every = told(20_000, things=things, seed=seed)
        part, whole = Counter(every[:2_000]), Counter(every)
        found = growth(counts(every[:2_000]))
        merged = [*found.known(10, 1.0), found.unknown(10)]
        anew = [count for thing, count in whole.items() if count > 1 and count > part[thing]]
        wrong.append(sum(group.count for group in merged) / len(anew) - 1)
        assert sum(group.count * group.told for group in merged) == pytest.approx(sum(anew), rel=0.1)

    assert abs(sum(wrong) / len(wrong)) < 0.2
    assert max(map(abs, wrong)) < 0.3


def test_a_small_world_is_soon_known() -> None:
    every = told(10_000, things=100, seed=1)

    assert growth(counts(every[:1_000])).things_at(10) == pytest.approx(100, rel=0.1)


def test_nothing_more_brings_nothing_new() -> None:
    found = growth(counts(told(1_000, things=300, seed=1)))

    assert found.things_at(1.0) == found.things
    assert found.known(1.0, 1.0) == []
    assert found.unknown(1.0).count == 0
    assert found.untouched(50, 5, 1.0, 1.0) == 1.0


def test_a_text_more_concerns_mostly_what_is_told_of_often() -> None:
    found = growth(counts(told(1_000, things=300, seed=1)))
    few = found.known(1.01, 1.0)

    assert 5 < sum(group.count for group in few) < 11
    assert few[-1].count > 0.1
    assert few[0].count < 0.02 * found.counts[1]


def test_what_is_read_anew_is_told_of_anew() -> None:
    found = Growth({1: 10, 3: 4}, 0.5, 0.0)

    assert [(group.count, group.told) for group in found.known(1.0, 0.0)] == [(10, 1), (4, 3)]
    assert found.untouched(3, 1, 1.0, 0.5) == 0.125


def test_a_part_that_holds_nothing_foresees_nothing() -> None:
    found = growth({})
    assert (found.things_at(10), found.known(10, 1.0), found.unknown(10).count) == (0, [], 0)
