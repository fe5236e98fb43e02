"""Reads that are asked alike at the same time are one query."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from drift_assets.errors import GraphError
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, Row
from drift_assets.graph.texts import Texts
from drift_assets.graph.together import Together
from drift_tests.database import empty, on, query
from drift_tests.graph.sent import sent_in_order

SUM = "UNWIND each.numbers AS number RETURN sum(number) * $factor AS total"


async def total(graph: Graph, numbers: Sequence[Any], factor: int = 1) -> list[Row]:
    return await graph.read_each(SUM, {"numbers": list(numbers)}, factor=factor)


def test_reads_asked_alike_at_the_same_time_are_one_query_and_each_has_its_own_rows(neo4j_server: Address) -> None:
    async def work(graph: Graph) -> list[list[Row]]:
        together = Together(graph)

        async def after_another(n: int) -> list[Row]:
            await total(together, [n], factor=2)
            return await total(together, range(n))

        return await asyncio.gather(*map(after_another, range(4)))

    with sent_in_order() as sent:
        assert on(neo4j_server, work) == [[{"total": n}] for n in (0, 0, 1, 3)]
    assert len(sent) == 2


def test_rows_stay_in_the_order_of_the_query_and_nothing_found_is_no_rows(neo4j_server: Address) -> None:
    async def work(graph: Graph) -> list[list[Row]]:
        several = "UNWIND each.numbers AS number RETURN number ORDER BY number DESC"
        asked: list[Row] = [{"numbers": [1, 3, 2]}, {"numbers": []}, {"numbers": [5, 4]}]
        return await graph.read_for_each(several, asked)

    assert on(neo4j_server, work) == [[{"number": n} for n in numbers] for numbers in ([3, 2, 1], [], [5, 4])]


def test_reads_with_other_parameters_are_queries_of_their_own(neo4j_server: Address) -> None:
    async def work(graph: Graph) -> list[list[Row]]:
        together = Together(graph)
        return await asyncio.gather(total(together, [1]), total(together, [1], factor=2))

    with sent_in_order() as sent:
        assert on(neo4j_server, work) == [[{"total": 1}], [{"total": 2}]]
    assert len(sent) == 2


def test_a_failure_is_told_to_all_and_leaves_the_next_read_alone(neo4j_server: Address) -> None:
    async def work(graph: Graph) -> list[Row]:
        together = Together(graph)
        outcomes = await asyncio.gather(total(together, [1]), total(together, ["a", {}]), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [GraphError, GraphError]
        return await total(together, [2])

    assert on(neo4j_server, work) == [{"total": 2}]


def test_one_that_is_given_up_leaves_the_others_their_rows(neo4j_server: Address) -> None:
    async def work(graph: Graph) -> list[Row]:
        together = Together(graph)
        given_up = asyncio.create_task(total(together, [1]))
        other = asyncio.create_task(total(together, [2]))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        return await other

    assert on(neo4j_server, work) == [{"total": 2}]


def test_the_text_of_a_chunk_is_read_once(neo4j_server: Address) -> None:
    empty(neo4j_server)
    query(neo4j_server, "UNWIND ['a', 'b', 'c'] AS id CREATE (:__Chunk__ {id: id, text: toUpper(id)})")
    texts = Texts()

    async def work(graph: Graph) -> list[dict[str, str]]:
        found = await asyncio.gather(texts.of(graph, ["a", "b"]), texts.of(graph, ["c", "b", "gone"]))
        return [*found, await texts.of(graph, ["c", "a"])]

    with sent_in_order() as sent:
        found = on(neo4j_server, work)
    assert found == [{"a": "A", "b": "B"}, {"c": "C", "b": "B"}, {"c": "C", "a": "A"}]
    assert len(sent) == 2
