"""One open database: the way every query takes to Neo4j.

`Graph.read` and `Graph.write` own the database name, the access mode and the retry of transient errors (the driver's
managed transactions). Errors of the driver become ours (`drift_assets/graph/driver_errors.py`).
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar
from urllib.parse import urlsplit

from drift_assets.errors import GraphRefused, GraphUnavailable
from drift_assets.graph.address import Address
from drift_assets.graph.driver import open_driver
from drift_assets.graph.driver_errors import is_too_large, translate

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncManagedTransaction

    Version = tuple[int, int]
    # By address and whether the driver tries again for long.
    Kept = dict[tuple[Address, bool], tuple[AsyncDriver, Version]]

OLDEST_SERVER = (5, 26)
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_RETRY_SECONDS = 30.0
_ALL = 2**31 - 1
_RESENDS = 3
_kept: dict[asyncio.AbstractEventLoop, Kept] = {}
T = TypeVar("T")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Waiting:
    """For how many seconds a database that is away is waited for, and who is told so.

    `revive` brings it back where that is in our hands, and tells its address, which may be another one; None: not yet.
    """

    seconds: float
    note: Callable[[str], None]
    pause: float = 1.0
    revive: Callable[[], Awaitable[Address | None]] | None = None


class Transaction:
    """Several statements that are committed together or not at all."""

    def __init__(self, transaction: AsyncManagedTransaction, address: Address) -> None:
        self._transaction = transaction
        self._address = address

    async def run(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """Rows of one statement, in order. Raises GraphTooLarge, which unlike the driver's own error ends the tries."""
        from neo4j.exceptions import Neo4jError

        if is_for_none(query, parameters):
            return []
        try:
            result = await self._transaction.run(query, parameters)
            return [record.data() for record in await result.fetch(_ALL)]
        except Neo4jError as error:
            if is_too_large(error):
                raise translate(error, self._address) from error
            raise


class Graph:
    """An open database of one server; `server` is its version, such as (5, 26).

    A statement for each row of an empty list is not sent: planning it would take the server longer than most queries.
    A commit whose outcome is unknown is sent again, since every write is safe to repeat. With `waiting`, so is
    everything else while the database is away; else GraphUnavailable is raised soon.
    """

    def __init__(
        self, driver: AsyncDriver, address: Address, server: tuple[int, int], waiting: Waiting | None = None
    ) -> None:
        self._driver = driver
        self._left: list[AsyncDriver] = []
        self._reviving = asyncio.Lock()
        self._away = False
        self.address = address
        self.server = server
        self.waiting = waiting

    async def read(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """Rows of a query that changes nothing."""
        return await self._run(query, parameters, write=False)

    async def read_each(self, query: LiteralString, each: Row, **parameters: Any) -> list[Row]:
        """Rows of a query that knows by `each.name` what it is asked for this once, beside its parameters.

        Where readers ask alike they may be asked together (graph/together.py).
        """
        [rows] = await self.read_for_each(query, [each], **parameters)
        return rows

    async def read_for_each(self, query: LiteralString, each: Sequence[Row], **parameters: Any) -> list[list[Row]]:
        """The rows that `read_each` brings for each of these, by one query."""
        found: list[list[Row]] = [[] for _ in each]
        for row in await self.read(_once_for_each(query), each=list(each), **parameters):
            found[row.pop("at")].append(row)
        return found

    async def write(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """Rows of a statement, of the schema too, in a transaction of its own; it must be safe to send twice."""
        return await self._run(query, parameters, write=True)

    async def write_together(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Result of `work`, whose statements are committed together; it must be safe to run twice."""

        async def inside(transaction: AsyncManagedTransaction) -> T:
            return await work(Transaction(transaction, self.address))

        async def send() -> T:
            async with self._driver.session(database=self.address.database) as session:
                return await session.execute_write(inside)

        return await self._persist(send)

    async def _run(self, query: LiteralString, parameters: Row, *, write: bool) -> list[Row]:
        from neo4j import RoutingControl

        if is_for_none(query, parameters):
            return []

        async def send() -> list[Row]:
            result = await self._driver.execute_query(
                query,
                parameters,
                routing_=RoutingControl.WRITE if write else RoutingControl.READ,
                database_=self.address.database,
            )
            return [record.data() for record in result.records]

        return await self._persist(send)

    async def _persist(self, send: Callable[[], Awaitable[T]]) -> T:
        """What `send` brings, sent as often as the class says."""
        from neo4j.exceptions import DriverError, IncompleteCommit, Neo4jError

        resent, until = 0, None
        while True:
            driver = self._driver
            try:
                result = await send()
            except (DriverError, Neo4jError) as error:
                failure = translate(error, self.address)
                if isinstance(error, IncompleteCommit) and resent < _RESENDS:
                    resent += 1
                    continue
                now = time.monotonic()
                until = until or (now + self.waiting.seconds if self.waiting else now)
                if self.waiting is None or now >= until or not isinstance(failure, GraphUnavailable):
                    raise failure from error
                if not self._away:
                    self.waiting.note(f"{failure}; it is waited for, {self.waiting.seconds / 60:.3g} minutes at most")
                self._away = True
                await asyncio.sleep(self.waiting.pause)
                await self._revive(driver)
                continue
            if self._away and self.waiting:
                self.waiting.note(f"Neo4j at {self.address.uri} answers again")
            self._away = False
            return result

    async def _revive(self, driver: AsyncDriver) -> None:
        """The database is back if that is in our hands, unless somebody else saw to it since `driver` failed."""
        if self.waiting is None or self.waiting.revive is None:
            return
        async with self._reviving:
            if driver is not self._driver:
                return
            address = await self.waiting.revive()
            if address not in (None, self.address):
                self._left.append(driver)
                self._driver, self.address = open_driver(address, _retry_seconds(self.waiting)), address

    async def close(self, keep: Kept | None = None) -> None:
        """No connection stays open, but those that `keep` takes because it has none like them."""
        place = self.address, self.waiting is None
        if keep is not None and place not in keep:
            keep[place] = self._driver, self.server
        else:
            self._left.append(self._driver)
        for driver in self._left:
            await driver.close()


class Through(Graph):
    """An open database whose queries are looked at on their way.

    All is sent by the graph itself, which may have to go on at another address.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.address, self.server, self.waiting = graph.address, graph.server, graph.waiting

    async def read(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """As that of the graph."""
        return await self._graph.read(query, **parameters)

    async def write(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """As that of the graph."""
        return await self._graph.write(query, **parameters)

    async def write_together(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """As that of the graph."""
        return await self._graph.write_together(work)


def _once_for_each(query: LiteralString) -> LiteralString:
    """The query for each of a list, in its order; the rows say by `at` which of them they are for."""
    dialect: LiteralString = "CYPHER 25 " if query.startswith("CYPHER 25 ") else ""
    inner = query.removeprefix(dialect).replace("each.", "$each[at].")
    return dialect + "UNWIND range(0, size($each) - 1) AS at CALL (at) { " + inner + " } RETURN *"


def is_for_none(query: str, parameters: Row) -> bool:
    """Whether a statement unwinds an empty list and tells nothing; a sum would be told even then."""
    rows = re.match(r"UNWIND \$(\w+) AS ", query)
    return rows is not None and not parameters[rows[1]] and "RETURN" not in query


@asynccontextmanager
async def open_graph(address: Address, waiting: Waiting | None = None) -> AsyncIterator[Graph]:
    """The database at `address`, checked for reachability, rights and version; closed at the end, if it is not kept.

    Once it was reached it is waited for as `waiting` says.

    Raises GraphUnavailable or GraphRefused with one line that says what to do.
    """
    kept = _kept.get(asyncio.get_running_loop())
    known = kept.pop((address, waiting is None), None) if kept else None
    driver, server = known or await _opened(address, waiting)
    graph = Graph(driver, address, server, waiting)
    try:
        yield graph
    finally:
        await graph.close(keep=kept)


async def keep_connections() -> None:
    """Graphs that are opened on this event loop leave their connections to later ones, up to `close_connections`.

    To open and check a connection takes as long as ten queries.
    """
    _kept[asyncio.get_running_loop()] = {}


async def close_connections() -> None:
    """The connections that were kept on this event loop are closed."""
    for driver, _ in _kept.pop(asyncio.get_running_loop()).values():
        await driver.close()


def _retry_seconds(waiting: Waiting | None) -> float:
    return min(_RETRY_SECONDS, waiting.pause) if waiting else _RETRY_SECONDS


async def _opened(address: Address, waiting: Waiting | None) -> tuple[AsyncDriver, Version]:
    """A driver that has reached the server, with the server's version."""
    from neo4j.exceptions import ConfigurationError, DriverError, Neo4jError

    _check_uri(address.uri)
    try:
        driver = open_driver(address, _retry_seconds(waiting))
    except (ConfigurationError, ValueError) as error:
        raise translate(error, address) from error
    # One query tells whether server, user and database answer, and which version they are. A query of a session
    # is not tried again: whoever waits for a server that is down is told at once.
    try:
        async with driver.session(database=address.database) as session:
            found = await session.run("CALL dbms.components() YIELD name, versions RETURN name, versions[0]")
            kernel = {name: version for name, version in await found.values()}
        return driver, server_version(kernel.get("Neo4j Kernel", ""), address)
    except (DriverError, Neo4jError) as error:
        await driver.close()
        raise translate(error, address) from error
    except BaseException:
        await driver.close()
        raise


def _check_uri(uri: str) -> None:
    if "@" in uri:
        raise GraphRefused("NEO4J_URI holds a user name: give it as NEO4J_USERNAME, and the password as NEO4J_PASSWORD")
    try:
        parts = urlsplit(uri)
        complete = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        complete = False
    if not complete:
        raise GraphRefused(f"NEO4J_URI {uri} is no Neo4j address; it looks like neo4j://localhost:7687")


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
