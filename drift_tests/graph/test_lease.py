"""The lease on `__Index__`, with two that want it."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import pytest

from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.lease import current_lease, release, renew, take
from drift_tests.database import SmallIndex, on, query

T = TypeVar("T")


@pytest.fixture
def address(neo4j_server: Address) -> Address:
    SmallIndex().write(neo4j_server)
    return neo4j_server


def test_the_first_holds_it_and_the_second_is_told_who_does(address: Address) -> None:
    async def work(graph: Graph) -> None:
        assert await take(graph, run="one", worker="here", seconds=60) is None
        held = await take(graph, run="two", worker="there", seconds=60)
        assert held is not None
        assert (held.run, held.worker) == ("one", "here")
        assert 50_000 < held.left <= 60_000
        assert await take(graph, run="one", worker="elsewhere", seconds=60) is None
        assert (await current_lease(graph) or held).worker == "elsewhere"

    on(address, work)


def test_one_of_many_who_want_it_at_once_gets_it(address: Address) -> None:
    async def work(graph: Graph) -> None:
        asked = await asyncio.gather(*(take(graph, run=f"run {n}", worker="", seconds=60) for n in range(12)))
        assert asked.count(None) == 1
        assert len({held.run for held in asked if held}) == 1

    on(address, work)


def test_what_was_given_back_leaves_no_trace_and_only_the_holder_can_give_it_back(address: Address) -> None:
    before = query(address, "MATCH (i:__Index__) RETURN properties(i) AS p")

    async def work(graph: Graph) -> None:
        await take(graph, run="one", worker="", seconds=60)
        await release(graph, run="two")
        assert await current_lease(graph) is not None
        await release(graph, run="one")
        assert await current_lease(graph) is None

    on(address, work)
    assert query(address, "MATCH (i:__Index__) RETURN properties(i) AS p") == before


def test_it_runs_out_unless_it_is_renewed(address: Address) -> None:
    async def work(graph: Graph) -> None:
        await take(graph, run="one", worker="", seconds=0.3)
        assert await renew(graph, run="one", worker="", seconds=60)
        await asyncio.sleep(0.4)
        assert await take(graph, run="two", worker="", seconds=60) is not None
        assert await renew(graph, run="one", worker="", seconds=0.1)
        await asyncio.sleep(0.2)
        assert await current_lease(graph) is None
        assert await take(graph, run="two", worker="", seconds=60) is None
        assert not await renew(graph, run="one", worker="", seconds=60)

    on(address, work)


def test_a_dead_holders_lease_is_taken_unless_it_was_renewed_since(address: Address) -> None:
    async def work(graph: Graph) -> None:
        await take(graph, run="one", worker="", seconds=60)
        seen = await take(graph, run="two", worker="", seconds=60)
        await asyncio.sleep(0.01)
        await renew(graph, run="one", worker="", seconds=60)
        again = await take(graph, run="two", worker="", seconds=60, dead=seen)
        assert again is not None
        assert await take(graph, run="two", worker="", seconds=60, dead=again) is None

    on(address, work)
