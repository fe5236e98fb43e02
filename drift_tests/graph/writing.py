"""Documents, extractions and descriptions in short, written by the queries of the stages themselves."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from drift_assets.extraction import describe_entities, describe_pairs
from drift_assets.graph import chunks, entities
from drift_assets.graph.address import Address
from drift_assets.graph.chunks import ChunkRow, DocumentRow
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.graph.entities import ExtractionRow, MentionRow, StatementRow
from drift_assets.graph.schema import prepare
from drift_tests.database import query

T = TypeVar("T")


def on(address: Address, work: Callable[[Graph], Awaitable[T]]) -> T:
    """What `work` returns on the prepared graph."""

    async def inside() -> T:
        async with open_graph(address) as graph:
            await prepare(graph)
            return await work(graph)

    return asyncio.run(inside())


def document(id_: str, *texts: str) -> DocumentRow:
    """A document whose chunks have these texts; a text's hash is `#` and the text."""
    seen: Counter[str] = Counter()
    rows = []
    for position, text in enumerate(texts):
        seen[text] += 1
        rows.append(ChunkRow(f"{id_}/{text}/{seen[text]}", text, f"#{text}", position, position, position + 1, 1))
    return DocumentRow(id_, f"Title of {id_}", id_, f"hash of {texts}", "cut", len(texts), "{}", tuple(rows))


def extraction(text: str, mentions: Sequence[str] = (), ties: Sequence[tuple[str, str]] = ()) -> ExtractionRow:
    """What the chunks with this text say: of each `Name` or `Name:TYPE`, and of each pair, with strength 1."""
    said = []
    for mention in mentions:
        name, _, type_ = mention.partition(":")
        said.append(MentionRow(name.upper(), name, type_, f"{name} in {text}."))
    stated = [StatementRow(a.upper(), b.upper(), f"{a} and {b} in {text}.", 1.0) for a, b in ties]
    return ExtractionRow(f"#{text}", "scripted", tuple(said), tuple(stated))


async def describe(graph: Graph) -> int:
    """Touched entities and pairs are described, as the stage does it; returns how many are gone."""
    gone = 0
    while names := await entities.touched_entities(graph):
        gone += await entities.write_described(
            graph,
            names,
            describe_entities(await entities.mentions_of(graph, names)),
            describe_pairs(await entities.statements_of(graph, names)),
        )
    return gone


async def write_graph(graph: Graph, said: dict[str, Sequence[ExtractionRow]], *, version: str = "v1") -> None:
    """Documents by id, each with one chunk per extraction, extracted and described."""
    await chunks.write_documents(
        graph, [document(id_, *(row.text_hash.removeprefix("#") for row in rows)) for id_, rows in said.items()]
    )
    await entities.write_extractions(graph, [row for rows in said.values() for row in rows], version=version)
    await describe(graph)


def values(address: Address, text: str, **parameters: Any) -> list[Any]:
    """The rows of a query: the only value of each, or a tuple."""
    rows = [tuple(row.values()) for row in query(address, text, **parameters)]
    return [row[0] if len(row) == 1 else row for row in rows]
