"""Reads that are asked alike at the same time, sent as one query.

The questions of a round look around themselves side by side. The server takes most of the time of such a small query
to begin and to end it, so that five in one take little longer than one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, LiteralString

from drift_assets.graph.connection import Graph, Row, Through

# Turns of the event loop in which tasks that go on at the same time come to their next read.
_TURNS = 3


@dataclass(slots=True)
class _Waiting:
    each: list[Row] = field(default_factory=list)
    rows: asyncio.Task[list[list[Row]]] | None = None


class Together(Through):
    """An open database in which `read_each` of one query, begun in the same turns of the event loop, is sent once."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._waiting: dict[tuple[str, str], _Waiting] = {}

    async def read_each(self, query: LiteralString, each: Row, **parameters: Any) -> list[Row]:
        """As that of the graph. What one query raises is raised to all whom it was sent for."""
        alike = query, repr(parameters)
        waiting = self._waiting.setdefault(alike, _Waiting())
        place = len(waiting.each)
        waiting.each.append(each)
        if waiting.rows is None:
            waiting.rows = asyncio.create_task(self._send(alike, query, parameters))
        # Who is given up leaves the others what they wait for.
        return (await asyncio.shield(waiting.rows))[place]

    async def _send(self, alike: tuple[str, str], query: LiteralString, parameters: Row) -> list[list[Row]]:
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        return await self._graph.read_for_each(query, self._waiting.pop(alike).each, **parameters)
