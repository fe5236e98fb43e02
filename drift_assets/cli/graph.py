"""The graph as the commands reach it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from drift_assets.graph.connection import Graph
    from drift_assets.settings import Settings

T = TypeVar("T")


def with_graph(settings: Settings, work: Callable[[Graph], Awaitable[T]]) -> T:
    """Result of `work` on the open graph of the settings; a managed server is started if need be."""
    from drift_assets.graph.connection import open_graph
    from drift_assets.interrupts import run
    from drift_assets.local.server import neo4j_address

    address = neo4j_address(settings)

    async def inside() -> T:
        async with open_graph(address) as graph:
            return await work(graph)

    return run(inside())


def never_used(settings: Settings) -> bool:
    """Whether there is only a managed server, and it has stored nothing yet: not worth a download and a start."""
    from drift_assets.local.server import status

    found = status(settings)
    return not settings.neo4j_uri and found.pid is None and not (found.folder / "database").exists()
