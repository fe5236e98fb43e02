"""Which stored searches stay."""

from __future__ import annotations

import pytest

from drift_assets.graph import searches
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.kept import forget_searches
from drift_assets.graph.searches import Reading
from drift_tests.database import on, query
from drift_tests.graph.test_searches import create, passage

DAY = 86_400.0
NOW = 100 * DAY


@pytest.fixture
def stored(neo4j_server: Address) -> Address:
    """Searches of 1, 2, 3 and 4 days ago, each with a passage; the oldest and `b` still run."""
    query(neo4j_server, "MATCH (n) DETACH DELETE n")

    async def work(graph: Graph) -> None:
        for age, id in enumerate(("a", "a-b", "b", "c"), 1):
            await create(graph, id, created=NOW - age * DAY + 1)
            await searches.store_reading(graph, id, passages=[passage(1)], readings=[Reading(f"{id}.0.0", (1,))])

    on(neo4j_server, work)
    query(neo4j_server, "MATCH (s:__Search__) WHERE s.id IN ['a-b', 'c'] SET s.status = 'complete'")
    return neo4j_server


def left(address: Address) -> list[str]:
    found = [
        {row["id"] for row in query(address, f"MATCH (n:{label}) RETURN DISTINCT n.{name} AS id")}
        for label, name in (("__Search__", "id"), ("__Question__", "search_id"), ("__Passage__", "search_id"))
    ]
    assert found[0] == found[1] == found[2]
    return sorted(found[0])


def test_the_newest_stay_with_all_that_is_theirs(stored: Address) -> None:
    assert on(stored, lambda graph: forget_searches(graph, number=2, seconds=None, now=NOW)) == 2
    assert left(stored) == ["a", "a-b"]


def test_what_is_too_old_goes(stored: Address) -> None:
    assert on(stored, lambda graph: forget_searches(graph, number=None, seconds=1.5 * DAY, now=NOW)) == 3
    assert left(stored) == ["a"]


def test_a_search_that_still_runs_stays_for_a_day(stored: Address) -> None:
    assert on(stored, lambda graph: forget_searches(graph, number=1, seconds=None, now=NOW - 2.5 * DAY)) == 2
    assert left(stored) == ["a", "b"]


def test_without_bounds_all_stay(stored: Address) -> None:
    assert on(stored, lambda graph: forget_searches(graph, number=None, seconds=None, now=NOW)) == 0
    assert left(stored) == ["a", "a-b", "b", "c"]
