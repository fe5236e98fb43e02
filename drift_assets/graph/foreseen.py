"""The queries of an index run, planned by the server while the run waits for something else.

Neo4j plans a query when it first sees it, and a server that has just started takes up to a fifth of a second for each:
for a small corpus more than a language model takes. `foreseen.json` lists the queries of each stage with the kinds and
sizes of their parameters, on which a plan depends; `scripts/pin_queries.py` records it. It is only ever a gain: what it
lacks is planned when it is needed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib.resources import files
from typing import Any, LiteralString, cast

from drift_assets.errors import GraphError
from drift_assets.graph.connection import Graph
from drift_assets.graph.schema import prepare


def likeness(value: Any) -> Any:
    """What a plan depends on of a parameter, as JSON: its kind, and for texts and lists (`[length]`) their length."""
    if isinstance(value, str):
        return "." * len(value)
    return [len(value)] if isinstance(value, list) else value


@cache
def foreseen() -> dict[str, list[tuple[LiteralString, dict[str, Any]]]]:
    """By stage, the queries that it and its checks send, each where it comes first, with lifelike parameters."""
    recorded = json.loads(files("drift_assets.graph").joinpath("foreseen.json").read_text("utf-8"))
    return {
        stage: [
            (cast(LiteralString, query), {name: _like(one) for name, one in given.items()}) for query, given in sent
        ]
        for stage, sent in recorded.items()
    }


def _like(one: Any) -> Any:
    return [None] * one[0] if isinstance(one, list) else one


async def plan(graph: Graph, stages: Sequence[str]) -> None:
    """The server has planned what these stages send; nothing is read or changed."""
    for stage in stages:
        for query, parameters in foreseen()[stage]:
            await graph.write("EXPLAIN " + query, **parameters)


async def plan_beginning(graph: Graph) -> None:
    """The schema stands and the first stages are planned. Raises as `prepare`."""
    await prepare(graph)
    await plan(graph, list(foreseen())[:2])


@asynccontextmanager
async def planning_ahead(graph: Graph, stage: str) -> AsyncIterator[None]:
    """In the block the server is made to plan the rest of the stage and the stage after it."""
    stages = list(foreseen())
    at = stages.index(stage)

    async def ahead() -> None:
        with suppress(GraphError):
            await plan(graph, stages[at : at + 2])

    task = asyncio.create_task(ahead())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
