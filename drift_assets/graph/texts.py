"""Texts of chunks, each read once however many questions look at it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from drift_assets.graph.connection import Graph


@dataclass(slots=True)
class Texts:
    """What was read so far, or is being read, by the chunk's id."""

    reading: dict[str, asyncio.Task[Mapping[str, str]]] = field(default_factory=dict)

    async def of(self, graph: Graph, ids: Iterable[str]) -> dict[str, str]:
        """The texts of those of these chunks that exist, by id."""
        wanted = list(ids)
        unread = [id for id in wanted if id not in self.reading]
        if unread:
            self.reading.update(dict.fromkeys(unread, asyncio.create_task(_read(graph, unread))))
        # Who is given up leaves the others what they wait for.
        texts = {id: await asyncio.shield(self.reading[id]) for id in wanted}
        return {id: texts[id][id] for id in wanted if id in texts[id]}


async def _read(graph: Graph, ids: list[str]) -> dict[str, str]:
    rows = await graph.read(
        "MATCH (c:__Chunk__) WHERE c.id IN $ids RETURN c.id AS id, c.text AS text ORDER BY id", ids=ids
    )
    return {row["id"]: row["text"] for row in rows}
