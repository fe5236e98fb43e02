"""What a run waits for, begun while the run itself is still being prepared."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress

from drift_assets.embedding.choose import begin_embedder
from drift_assets.errors import DriftError
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.graph.driver import load_driver
from drift_assets.language.choose import begin_language
from drift_assets.local.server import neo4j_address, status
from drift_assets.settings import Settings

Queries = Callable[[Graph], Awaitable[None]]


def begin_server(settings: Settings, queries: Queries | None = None) -> Future[None]:
    """Neo4j is being started if need be; the result is there when it answers, or raises what `neo4j_address` raises.

    Then `queries` are sent, for which nobody waits: whoever needs the graph meets its errors.
    """
    # Threads that import numpy at the same moment, by libraries of their own, can see it half-made.
    import numpy  # noqa: F401

    begun: Future[None] = Future()

    def start() -> None:
        try:
            address = neo4j_address(settings)
            load_driver()
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            begun.set_exception(error)
        else:
            begun.set_result(None)
            if queries is not None:
                with suppress(DriftError):
                    asyncio.run(_send(address, queries))

    # No run may be kept from ending by a server that is slow to start.
    threading.Thread(target=start, daemon=True, name="begin-server").start()
    return begun


def is_standing(settings: Settings) -> bool:
    """Whether Neo4j is there already, as far as can be told without asking it."""
    return settings.neo4j_uri is not None or status(settings).running


def planning_index() -> Queries:
    """The queries to send ahead of an index run."""
    from drift_assets.graph.foreseen import plan_beginning

    return plan_beginning


def planning_search() -> Queries:
    """The queries to send ahead of a search."""
    from drift_assets.search.ahead import plan_queries

    return plan_queries


async def _send(address: Address, queries: Queries) -> None:
    async with open_graph(address) as graph:
        await queries(graph)


def begin_models(settings: Settings) -> None:
    """The models of the settings are being loaded; whoever uses them meets their errors."""
    with suppress(DriftError):
        begin_language(settings)
        begin_embedder(settings)
