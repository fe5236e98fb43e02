"""Reports by their place in the hierarchy."""

from __future__ import annotations

from typing import TypeVar

import pytest

from drift_assets.graph.address import Address
from drift_assets.graph.levels import deepest_level, nearest_reports_of, relatives, report_by_number
from drift_assets.graph.retrieval import reports_above
from drift_tests.database import on
from drift_tests.search.archive import INDEX

T = TypeVar("T")
LAMP = [1.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def archive(neo4j_server: Address) -> Address:
    INDEX.write(neo4j_server)
    return neo4j_server


@pytest.mark.parametrize(("levels", "found"), [((0, 0), ["shore"]), ((1, 1), ["light", "sea"]), ((5, 9), [])])
def test_only_reports_of_the_wanted_levels_compete(archive: Address, levels: tuple[int, int], found: list[str]) -> None:
    near = on(archive, lambda graph: nearest_reports_of(graph, vectors="", vector=LAMP, count=2, levels=levels))
    above = on(archive, lambda graph: reports_above(graph, names=["LAMP", "BOAT"], count=9, levels=levels))

    assert [piece.id for piece in near] == found
    assert [piece.id for piece in above] == found


def test_the_finest_level_has_the_highest_number(archive: Address) -> None:
    assert on(archive, deepest_level) == 1


def test_a_number_stands_for_one_report_of_all(archive: Address) -> None:
    chosen = [
        on(archive, lambda graph, number=number: report_by_number(graph, vectors="", number=number))[0].id  # type: ignore[misc]
        for number in range(4)
    ]

    assert chosen == ["light", "sea", "shore", "light"]


def test_relatives_are_pairs_of_lower_and_upper(archive: Address) -> None:
    found = on(archive, lambda graph: relatives(graph, ids=["light", "sea", "shore"]))

    assert found == {("light", "shore"), ("sea", "shore")}
