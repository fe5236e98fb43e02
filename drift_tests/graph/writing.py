"""Documents, extractions and descriptions in short, written by the queries of the stages themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from drift_assets.clustering import Community
from drift_assets.extraction import describe_entities, describe_pairs
from drift_assets.graph import chunks, embeddings, entities, former, reports, summaries
from drift_assets.graph.address import Address
from drift_assets.graph.chunks import ChunkRow, DocumentRow
from drift_assets.graph.communities import swap_communities
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.graph.embeddings import VectorRow
from drift_assets.graph.entities import ExtractionRow, MentionRow, StatementRow
from drift_assets.graph.reports import ReportRow
from drift_assets.graph.schema import await_online, prepare
from drift_assets.graph.summaries import SummaryRow
from drift_tests.database import query, run_on

T = TypeVar("T")


def on(address: Address, work: Callable[[Graph], Awaitable[T]]) -> T:
    """What `work` returns on the prepared graph."""

    async def inside() -> T:
        async with open_graph(address) as graph:
            await prepare(graph)
            return await work(graph)

    return run_on(address, inside())


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


async def write_whole(graph: Graph, *, indexes: bool = True) -> None:
    """A sound index of every kind of thing: two documents, Ann tied to Bob, Tom alone, reports, vectors, indexes.

    Without the vector indexes it is quicker: Neo4j plans every query anew when one comes or goes.
    """
    said = {
        "a": [extraction("Ann meets Bob", ["Ann:PERSON", "Bob"], [("Ann", "Bob")]), extraction("Nothing")],
        "b": [extraction("Tom and Ann", ["Tom", "Ann:PERSON"])],
    }
    await write_graph(graph, said)
    for kind in summaries.KINDS:
        await summaries.copy_summaries(graph, kind, origin="scripted")
        for item in await summaries.stale_summaries(graph, kind, version="v1", after="", limit=10):
            row = SummaryRow(item.key, f"All of {item.subject}.", "scripted", item.summary_key)
            await summaries.write_summaries(graph, kind, [row], {})
    tree = [Community("pair", 0, ("ANN", "BOB"), None), Community("tom", 0, ("TOM",), None)]
    await swap_communities(graph, tree, version="v1")
    await reports.copy_single_reports(graph)
    report = ReportRow("pair", "The pair", "They meet.", 7.0, "They matter.", (), "scripted", "key")
    await reports.write_reports(graph, [report], [], {}, version="v1")
    for embedded in embeddings.KINDS:
        found = await embeddings.stale_vectors(graph, embedded, model="m", min_rating=3.0, after="", limit=10)
        rows = [VectorRow(item.kind, item.key, [0.6, 0.8]) for item in found]
        await embeddings.write_vectors(graph, rows, [], model="m", suffix="")
    if indexes:
        await embeddings.ensure_vector_indexes(graph, dimensions=2, suffix="")
        await await_online(graph)
    await former.finish(graph, former.Switch(model="m", dimensions=2, suffix=""))
