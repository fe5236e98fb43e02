"""One open database: the way every query takes to Neo4j.

`Graph.read` and `Graph.write` own the database name, the access mode, the retry of transient errors (the driver's
managed transactions) and the translation of the driver's errors to ours.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar, cast

from drift_assets.errors import GraphError, GraphRefused, GraphUnavailable
from drift_assets.graph.address import Address

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncManagedTransaction

OLDEST_SERVER = (5, 26)
_CONNECT_SECONDS = 10.0
_RETRY_SECONDS = 30.0
_ALL = 2**31 - 1
T = TypeVar("T")
Row = dict[str, Any]


class Transaction:
    """Several statements that are committed together or not at all."""

    def __init__(self, transaction: AsyncManagedTransaction) -> None:
        self._transaction = transaction

    async def run(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """Rows of one statement, in order."""
        result = await self._transaction.run(query, parameters)
        return [record.data() for record in await result.fetch(_ALL)]


class Graph:
    """An open database of one server; `server` is its version, such as (5, 26)."""

    def __init__(self, driver: AsyncDriver, address: Address, server: tuple[int, int]) -> None:
        self._driver = driver
        self.address = address
        self.server = server

    async def read(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """Rows of a query that changes nothing."""
        return await self._run(query, parameters, write=False)

    async def write(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """Rows of a statement in a transaction of its own; it must be safe to send twice."""
        return await self._run(query, parameters, write=True)

    async def write_together(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Result of `work`, whose statements are committed together; it must be safe to run twice."""

        async def inside(transaction: AsyncManagedTransaction) -> T:
            return await work(Transaction(transaction))

        from neo4j.exceptions import DriverError, Neo4jError

        try:
            async with self._driver.session(database=self.address.database) as session:
                return await session.execute_write(inside)
        except (DriverError, Neo4jError) as error:
            raise translate(error, self.address) from error

    async def apply(self, statement: LiteralString) -> None:
        """Run a schema statement, or one that batches by itself, outside a managed transaction."""
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            async with self._driver.session(database=self.address.database) as session:
                await (await session.run(statement)).consume()
        except (DriverError, Neo4jError) as error:
            raise translate(error, self.address) from error

    async def _run(self, query: LiteralString, parameters: Row, *, write: bool) -> list[Row]:
        from neo4j import RoutingControl
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            result = await self._driver.execute_query(
                query,
                parameters,
                routing_=RoutingControl.WRITE if write else RoutingControl.READ,
                database_=self.address.database,
            )
        except (DriverError, Neo4jError) as error:
            raise translate(error, self.address) from error
        return [record.data() for record in result.records]


@asynccontextmanager
async def open_graph(address: Address) -> AsyncIterator[Graph]:
    """The database at `address`, checked for reachability, rights and version; closed at the end.

    Raises GraphUnavailable or GraphRefused with one line that says what to do.
    """
    from neo4j import AsyncGraphDatabase, NotificationMinimumSeverity
    from neo4j.exceptions import ConfigurationError, DriverError, Neo4jError

    try:
        driver = AsyncGraphDatabase.driver(
            address.uri,
            auth=(address.username, address.password),
            connection_timeout=_CONNECT_SECONDS,
            connection_acquisition_timeout=60.0,
            max_transaction_retry_time=_RETRY_SECONDS,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
        )
    except (ConfigurationError, ValueError) as error:
        raise GraphRefused(
            f"NEO4J_URI {address.uri} is no Neo4j address: {_first_line(error)}; use for instance neo4j://localhost:7687"
        ) from error
    async with driver:
        # One query tells whether server, user and database answer, and which version they are.
        try:
            found = await driver.execute_query(
                "CALL dbms.components() YIELD name, versions RETURN name, versions[0] AS version",
                database_=address.database,
            )
        except (DriverError, Neo4jError) as error:
            raise translate(error, address) from error
        kernel = {record["name"]: record["version"] for record in found.records}
        yield Graph(driver, address, server_version(kernel.get("Neo4j Kernel", ""), address))


def server_version(version: str, address: Address) -> tuple[int, int]:
    """Numbers of a version such as `5.26.30`; GraphRefused when it is older than 5.26."""
    match = re.match(r"(\d+)\.(\d+)", version)
    numbers = (int(match.group(1)), int(match.group(2))) if match else (0, 0)
    if numbers < OLDEST_SERVER:
        raise GraphRefused(
            f"the server at {address.uri} is Neo4j {version or 'of unknown version'}; 5.26 or later is needed: "
            "upgrade it, or unset NEO4J_URI to use the managed server"
        )
    return numbers


def translate(error: Exception, address: Address) -> GraphError:
    """The error of ours that says what a driver's or server's error means and what to do about it."""
    from neo4j import exceptions as driver

    code = str(getattr(error, "code", "") or "")
    where = f"{address.uri} (database {address.database})"
    if isinstance(error, driver.AuthError) or code.startswith("Neo.ClientError.Security.Unauthorized"):
        return GraphRefused(f"{address.uri} refused user {address.username!r}: check NEO4J_USERNAME and NEO4J_PASSWORD")
    if code == "Neo.ClientError.Database.DatabaseNotFound":
        return GraphRefused(f"there is no database {address.database!r} at {address.uri}: set NEO4J_DATABASE")
    if isinstance(error, driver.Forbidden) or code.startswith("Neo.ClientError.Security."):
        return GraphRefused(
            f"user {address.username!r} lacks a right at {where}: {_first_line(error)}; "
            "the index needs a user who may write and create indexes and constraints"
        )
    if isinstance(error, driver.UnsupportedServerProduct):
        return GraphRefused(f"the server at {address.uri} is no Neo4j 5.26 or later: {_first_line(error)}")
    if isinstance(error, driver.TransientError | driver.ServiceUnavailable | driver.SessionExpired):
        return GraphUnavailable(
            f"Neo4j at {where} is not reachable: {_first_line(error)}; start it, check NEO4J_URI, then run again"
        )
    if isinstance(error, driver.ConnectionPoolError):
        return GraphUnavailable(f"Neo4j at {where} gave no connection in time; check its load, then run again")
    if isinstance(error, driver.ConfigurationError):
        return GraphRefused(f"cannot connect to {address.uri}: {_first_line(error)}; check NEO4J_URI")
    return GraphError(f"Neo4j at {where} answered {code or type(error).__name__}: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    text = cast(str | None, getattr(error, "message", None)) or str(error)
    return text.strip().splitlines()[0][:300] if text.strip() else type(error).__name__
