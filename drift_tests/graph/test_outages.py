"""What becomes of writes when the line to Neo4j is lost, and when a transaction is too large for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest
from neo4j import exceptions

from drift_assets.errors import GraphTooLarge, GraphUnavailable
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, Transaction, Waiting, open_graph
from drift_assets.graph.driver_errors import is_too_large, translate
from drift_assets.reconcile import Done, Failed, in_parts, reconcile
from drift_tests.database import query
from drift_tests.graph.link import Link, link_to


async def add(graph: Graph, name: str) -> None:
    """A node of this name is there, however often that is sent; `times` counts how often."""

    async def work(transaction: Transaction) -> None:
        await transaction.run("MERGE (n:Outage {name: $name}) SET n.times = coalesce(n.times, 0) + 1", name=name)

    await graph.write_together(work)


def stored(address: Address) -> list[tuple[str, int]]:
    rows = query(address, "MATCH (n:Outage) RETURN n.name AS name, n.times AS times ORDER BY name")
    return [(row["name"], row["times"]) for row in rows]


def test_a_commit_whose_outcome_is_unknown_is_sent_again(clean_address: Address) -> None:
    async def work(link: Link) -> None:
        async with open_graph(link.address) as graph:
            link.commits_to_cut = 1
            await add(graph, "a")

    with link_to(clean_address) as link:
        asyncio.run(work(link))
        assert link.commits_to_cut == 0
    assert [name for name, _ in stored(clean_address)] == ["a"]


def test_a_database_that_is_away_is_waited_for_and_that_is_said_once(clean_address: Address) -> None:
    notes: list[str] = []
    said = asyncio.Event()

    def note(line: str) -> None:
        notes.append(line)
        said.set()

    async def work(link: Link) -> None:
        async with open_graph(link.address, Waiting(30, note, pause=0.1)) as graph:
            await add(graph, "before")
            link.down = True
            link.cut()

            async def back() -> None:
                await said.wait()
                link.down = False

            await asyncio.gather(add(graph, "a"), add(graph, "b"), back())

    with link_to(clean_address) as link:
        asyncio.run(work(link))
    assert [name for name, _ in stored(clean_address)] == ["a", "b", "before"]
    assert "it is waited for, 0.5 minutes at most" in notes[0]
    assert "answers again" in notes[-1]
    assert len(notes) == 2


def test_a_database_that_comes_back_at_another_address_is_gone_on_with_there(clean_address: Address) -> None:
    revived: list[Address] = []

    async def work(link: Link) -> None:
        async def revive() -> Address:
            revived.append(clean_address)
            return clean_address

        async with open_graph(link.address, Waiting(30, lambda line: None, pause=0.1, revive=revive)) as graph:
            await add(graph, "before")
            link.down = True
            link.cut()
            await asyncio.gather(*(add(graph, name) for name in "abcd"))
            assert graph.address == clean_address

    with link_to(clean_address) as link:
        asyncio.run(work(link))
    assert [name for name, _ in stored(clean_address)] == ["a", "b", "before", "c", "d"]
    assert revived == [clean_address]


def test_it_is_not_waited_for_for_ever(clean_address: Address) -> None:
    async def work(link: Link) -> float:
        async with open_graph(link.address, Waiting(0.3, lambda line: None, pause=0.1)) as graph:
            link.down = True
            link.cut()
            started = time.monotonic()
            with pytest.raises(GraphUnavailable, match="is not reachable"):
                await add(graph, "a")
            return time.monotonic() - started

    with link_to(clean_address) as link:
        assert asyncio.run(work(link)) < 10


@pytest.mark.parametrize("name", ["MemoryPoolOutOfMemoryError", "TransactionMemoryLimit"])
def test_a_transaction_that_is_too_large_is_no_passing_trouble(neo4j_server: Address, name: str) -> None:
    error = exceptions.Neo4jError._hydrate_neo4j(code=f"Neo.TransientError.General.{name}", message="Too much.")
    assert is_too_large(error)
    told = translate(error, neo4j_server)
    assert isinstance(told, GraphTooLarge)
    assert "db.memory.transaction.max" in str(told)


def too_large(most: int, written: list[list[int]]) -> Any:
    async def write(items: Sequence[int]) -> None:
        if len(items) > most:
            raise GraphTooLarge("too large")
        written.append(list(items))

    return write


def test_what_is_too_large_is_split_until_it_fits() -> None:
    written: list[list[int]] = []
    asyncio.run(in_parts(list(range(10)), too_large(3, written)))
    assert [item for part in written for item in part] == list(range(10))
    assert max(map(len, written)) <= 3
    with pytest.raises(GraphTooLarge):
        asyncio.run(in_parts([1], too_large(0, written)))


def test_finished_results_that_are_too_many_for_one_transaction_are_written_in_parts() -> None:
    written: list[int] = []

    async def items() -> Any:
        for number in range(20):
            yield number

    async def work(item: int) -> int:
        return item

    async def write(done: Sequence[Done[int, int]], failed: Sequence[Failed[int]]) -> None:
        await asyncio.sleep(0)
        if len(done) > 2:
            raise GraphTooLarge("too large")
        written.extend(one.result for one in done)

    tally = asyncio.run(reconcile(items(), work, write, concurrency=8))
    assert (sorted(written), tally.done) == (list(range(20)), 20)
