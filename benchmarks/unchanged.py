"""Time and peak memory of an index run in which nothing has changed, with many chunks in the graph.

    python -m benchmarks.unchanged --chunks 100000

The chunks are synthetic, a hundred to a document and three mentions to a chunk, and stand in the graph as if they had
been extracted and embedded. One run completes what is left to do without a call; the next finds nothing to do. What the
same run takes with a hundred chunks is its start-up.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.home import Home, fresh_home
from benchmarks.index import STAGES, Measured, measure
from benchmarks.machine import machine
from benchmarks.output import say
from drift_assets.assets.versions import chunks_version, entities_version
from drift_assets.documents import Document, scan
from drift_assets.embedding.choose import embedding_name
from drift_assets.fingerprint import fingerprint
from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.graph.schema import prepare
from drift_assets.local import server
from drift_assets.markdown import figures_table
from drift_assets.settings import Settings, load_settings
from drift_tests.database import driver, run

PER_DOCUMENT, PER_CHUNK, BATCH = 100, 3, 2_000
# No call is made of it: everything is as if embedded.
SETTINGS = {"DRIFT_EMBEDDING": "openai", "OPENAI_API_KEY": "none", "DRIFT_LANGUAGE": "extractive"}
WORDS = "the keeper of the light wrote down what the sea had brought to the harbour in the night "
COLUMNS = ("chunks", "seconds", "of processor", "peak MB", *STAGES)


@dataclass(frozen=True, slots=True)
class Made:
    """The folder of documents, and the settings that the graph is of."""

    folder: Path
    settings: Settings


def write_folder(folder: Path, documents: int) -> None:
    """So many documents of a line each."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(documents):
        (folder / f"{number:06}.txt").write_text(f"This is document number {number}.", "utf-8")


def chunk_rows(made: Made, document: str, number: int) -> Iterator[dict[str, Any]]:
    """The chunks of a document, in order, each with text of its own."""
    for position in range(PER_DOCUMENT):
        text = f"Chunk {position} of document {number}: {WORDS * 6}"
        text_hash = fingerprint("text", text)
        at = number * PER_DOCUMENT + position
        yield {
            "document": document,
            "names": [f"ENTITY {(at * PER_CHUNK + n) % 20_000}" for n in range(PER_CHUNK)],
            "held": {
                "id": fingerprint("chunk", document, text_hash, 1),
                "text": text,
                "text_hash": text_hash,
                "position": position,
                "start": 0,
                "end": len(text),
                "tokens": 100,
                "extraction": entities_version(made.settings),
                "origin": "extractive",
                "embedded": embedding_name(made.settings),
                "embedding": [0.6, 0.8],
            },
        }


def write_graph(address: Address, made: Made) -> int:
    """The documents of the folder stand in the graph with their chunks; returns how many chunks."""
    version, count, batch = chunks_version(made.settings), 0, list[dict[str, Any]]()
    with driver(address) as opened:
        for number, found in enumerate(found for found in scan(made.folder) if isinstance(found, Document)):
            held = {"id": found.id, "title": found.title, "content_hash": found.content_hash, "chunking": version}
            run(opened, address, "CREATE (d:__Document__) SET d = $held", held=held)
            batch += chunk_rows(made, found.id, number)
            if len(batch) >= BATCH:
                _write(opened, address, batch)
                count, batch = count + len(batch), []
        _write(opened, address, batch)
        count += len(batch)
        run(
            opened,
            address,
            "MATCH (e:__Entity__) CALL (e) { SET e.aliases = [e.name], e.description = ['Told.'], "
            "e.description_hash = 'told', e.summary = 'Told.', e.summary_key = 'told', e.origin = 'extractive', "
            "e.embedded = $model, e.embedding = [0.6, 0.8] } IN TRANSACTIONS OF 2000 ROWS",
            model=embedding_name(made.settings),
        )
    return count


def _write(opened: Any, address: Address, rows: Sequence[dict[str, Any]]) -> None:
    run(
        opened,
        address,
        "UNWIND $rows AS row MATCH (d:__Document__ {id: row.document}) CREATE (c:__Chunk__)-[:PART_OF]->(d) "
        "SET c = row.held WITH c, row UNWIND row.names AS name MERGE (e:__Entity__ {name: name}) "
        "CREATE (c)-[:MENTIONS {description: 'Told.', spelling: name, type: ''}]->(e)",
        rows=list(rows),
    )


def unchanged(home: Home, address: Address, folder: Path, chunks: int) -> Measured:
    """A run that finds nothing to do. Raises RuntimeError when it, or the one before it, made a call."""
    write_folder(folder, max(1, chunks // PER_DOCUMENT))
    settings = load_settings(home=home.folder, embedding="openai", openai_api_key="none", language="extractive")
    asyncio.run(_prepare(address))
    write_graph(address, Made(folder, settings))
    first, again = (measure(home, "index", str(folder)) for _ in range(2))
    if calls := sum(first.finished.output["calls"].values()) + sum(again.finished.output["calls"].values()):
        raise RuntimeError(f"{calls} calls were made where nothing was to do")
    return again


async def _prepare(address: Address) -> None:
    async with open_graph(address) as graph:
        await prepare(graph)


def row(chunks: int, again: Measured) -> list[object]:
    """As a line of the table."""
    watched = again.finished.watched
    return [chunks, again.seconds, watched.computed(), again.peak(), *(again.spent(name) for name in STAGES)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unchanged", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--chunks", type=int, default=100_000, help="in the graph")
    options = parser.parse_args(arguments)
    say(f"On {machine()}\n")
    rows = []
    for chunks in (PER_DOCUMENT, options.chunks):
        with fresh_home(**SETTINGS) as home:
            address = server.start(load_settings(home=home.folder))
            rows.append(row(chunks, unchanged(home, address, home.folder.parent / "corpus", chunks)))
    say(figures_table(COLUMNS, rows))


if __name__ == "__main__":
    main()
