"""The way to Neo4j: what cannot be opened says why and what to do, what is written together is written whole."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import LiteralString, TypeVar

import pytest

from drift_assets.errors import GraphError, GraphRefused, GraphUnavailable
from drift_assets.graph.address import Address
from drift_assets.graph.connection import (
    Graph,
    Transaction,
    close_connections,
    keep_connections,
    open_graph,
    server_version,
)
from drift_tests.database import query

T = TypeVar("T")
SECRET = "a-secret-password"
NOWHERE = Address("bolt://127.0.0.1:9", "neo4j", SECRET, "neo4j")


def on(address: Address, work: Callable[[Graph], Awaitable[T]]) -> T:
    async def inside() -> T:
        async with open_graph(address) as graph:
            return await work(graph)

    return asyncio.run(inside())


async def nothing(_graph: Graph) -> None:
    raise AssertionError("the graph must not open")


def refusal(address: Address) -> GraphError:
    with pytest.raises(GraphError) as caught:
        on(address, nothing)
    return caught.value


def test_an_open_graph_knows_its_server(neo4j_server: Address) -> None:
    async def server(graph: Graph) -> tuple[int, int]:
        return graph.server

    assert on(neo4j_server, server) >= (5, 26)


def test_a_wrong_password_names_the_settings_and_never_the_password(neo4j_server: Address) -> None:
    error = refusal(replace(neo4j_server, password=SECRET))
    assert isinstance(error, GraphRefused)
    assert "NEO4J_PASSWORD" in str(error)
    assert SECRET not in str(error)


def test_a_database_that_does_not_exist_is_named(neo4j_server: Address) -> None:
    error = refusal(replace(neo4j_server, database="elsewhere"))
    assert isinstance(error, GraphRefused)
    assert "no database 'elsewhere'" in str(error)
    assert "NEO4J_DATABASE" in str(error)


@pytest.mark.parametrize(
    "uri", ["bolt://127.0.0.1:9", "neo4j://127.0.0.1:9", "bolt://no-such-host.invalid", "neo4j://no-such-host.invalid"]
)
def test_a_host_that_cannot_be_reached_is_told_at_once(uri: str) -> None:
    begun = time.monotonic()
    error = refusal(replace(NOWHERE, uri=uri))
    assert isinstance(error, GraphUnavailable)
    assert error.transient
    assert f"{uri} (database neo4j) is not reachable" in str(error)
    assert "start it, check NEO4J_URI" in str(error)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    "uri",
    ["http://localhost:7474", "localhost:7687", "", "bolt://", "bolt://host:99999", "bolt://host:port", "file:///x"],
)
def test_what_is_no_address_is_shown_beside_one_that_is(uri: str) -> None:
    error = refusal(replace(NOWHERE, uri=uri))
    assert str(error) == f"NEO4J_URI {uri} is no Neo4j address; it looks like neo4j://localhost:7687"


def test_a_password_inside_the_address_is_not_repeated() -> None:
    error = refusal(replace(NOWHERE, uri=f"neo4j://neo4j:{SECRET}@localhost:7687"))
    assert SECRET not in str(error)
    assert "NEO4J_USERNAME" in str(error)


@pytest.mark.parametrize("version", ["5.26.0", "5.27.0-aura", "2026.08.1"])
def test_a_server_that_is_new_enough_is_taken(version: str) -> None:
    assert server_version(version, NOWHERE) >= (5, 26)


@pytest.mark.parametrize("version", ["4.4.40", "5.25.1", "5.3.0", ""])
def test_an_older_server_is_refused_with_its_version(version: str) -> None:
    with pytest.raises(GraphRefused, match=r"5\.26 or later is needed: upgrade it, or unset NEO4J_URI") as caught:
        server_version(version, NOWHERE)
    assert (version or "unknown version") in str(caught.value)


def test_what_is_read_cannot_write(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        with pytest.raises(GraphError):
            await graph.read("CREATE (:Trace)")

    on(clean_address, work)
    assert query(clean_address, "MATCH (n) RETURN count(n) AS count") == [{"count": 0}]


def test_rows_come_in_order_with_their_parameters(neo4j_server: Address) -> None:
    async def work(graph: Graph) -> list[dict[str, object]]:
        return await graph.read("UNWIND $names AS name RETURN name ORDER BY name DESC", names=["a", "c", "b"])

    assert [row["name"] for row in on(neo4j_server, work)] == ["c", "b", "a"]


def test_a_statement_for_no_rows_is_sent_only_where_it_tells_a_sum(neo4j_server: Address) -> None:
    async def work(graph: Graph) -> list[list[dict[str, object]]]:
        return [
            await graph.write("UNWIND $rows AS row MERGE (n:Trace) SET n.wrong = this_is_not_planned()", rows=[]),
            await graph.read("UNWIND $rows AS row RETURN sum(row) AS total", rows=[]),
        ]

    assert on(neo4j_server, work) == [[], [{"total": 0}]]


def test_a_transaction_whose_work_fails_has_written_nothing(clean_address: Address) -> None:
    async def half(transaction: Transaction) -> None:
        await transaction.run("CREATE (:Trace)")
        raise ZeroDivisionError

    async def work(graph: Graph) -> None:
        with pytest.raises(ZeroDivisionError):
            await graph.write_together(half)

    on(clean_address, work)
    assert query(clean_address, "MATCH (n:Trace) RETURN count(n) AS count") == [{"count": 0}]


def test_a_transaction_with_a_failing_statement_has_written_nothing(clean_address: Address) -> None:
    async def half(transaction: Transaction) -> None:
        await transaction.run("CREATE (:Trace)")
        await transaction.run("RETURN 1 / 0")

    async def work(graph: Graph) -> None:
        with pytest.raises(GraphError, match="by zero"):
            await graph.write_together(half)

    on(clean_address, work)
    assert query(clean_address, "MATCH (n:Trace) RETURN count(n) AS count") == [{"count": 0}]


def test_a_transaction_returns_what_its_work_returns_and_all_rows_of_a_statement(clean_address: Address) -> None:
    async def whole(transaction: Transaction) -> int:
        await transaction.run("UNWIND range(1, 2500) AS n CREATE (:Trace {n: n})")
        return len(await transaction.run("MATCH (t:Trace) RETURN t.n AS n"))

    async def work(graph: Graph) -> int:
        return await graph.write_together(whole)

    assert on(clean_address, work) == 2500


def test_a_schema_statement_that_fails_is_an_error_of_ours(neo4j_server: Address) -> None:
    async def work(graph: Graph) -> None:
        with pytest.raises(GraphError, match="SyntaxError"):
            await graph.write("CREATE INDEX FOR")

    on(neo4j_server, work)


CONNECTIONS: LiteralString = "CALL dbms.listConnections() YIELD connectionId RETURN connectionId AS id"


async def seen(address: Address) -> set[object]:
    async with open_graph(address) as graph:
        return {row["id"] for row in await graph.read(CONNECTIONS)}


def test_connections_are_kept_for_the_next_graph_where_that_is_asked_for(neo4j_server: Address) -> None:
    async def twice() -> tuple[set[object], set[object]]:
        return await seen(neo4j_server), await seen(neo4j_server)

    async def keeping() -> tuple[set[object], set[object]]:
        await keep_connections()
        try:
            return await twice()
        finally:
            await close_connections()

    others = {row["id"] for row in query(neo4j_server, CONNECTIONS)}
    first, second = asyncio.run(keeping())
    assert first == second
    assert first & asyncio.run(seen(neo4j_server)) <= others
    first, second = asyncio.run(twice())
    assert first & second <= others


def test_graphs_that_are_open_at_once_have_connections_of_their_own(neo4j_server: Address) -> None:
    others = {row["id"] for row in query(neo4j_server, CONNECTIONS)}

    async def both() -> int:
        await keep_connections()
        try:
            async with open_graph(neo4j_server) as one, open_graph(neo4j_server) as other:
                await one.read(CONNECTIONS)
                return len({row["id"] for row in await other.read(CONNECTIONS)} - others)
        finally:
            await close_connections()

    assert asyncio.run(both()) == 2
