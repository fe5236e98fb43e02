"""Where in its document a quoted passage stands: a character, and in a text file the line.

The index keeps the characters at which a chunk begins and ends. Lines are counted in the file itself, as long as it
still says there what the index was made from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from drift_assets.documents import TEXTS, text_of
from drift_assets.graph.connection import Graph
from drift_assets.graph.evidence import ChunkStart, chunk_starts
from drift_assets.graph.schema import index_state
from drift_assets.graph.searches import StoredPassage
from drift_assets.search.citations import quotation

# Whoever asks does not wait for files larger than that, in bytes, to be read.
_LARGEST = 5_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """`start` counts characters of the document from 0, `line` lines from 1; None in what is no text file any more."""

    start: int
    line: int | None = None


async def places_of(graph: Graph, passages: Sequence[StoredPassage], answer: str) -> dict[int, Place]:
    """By its number, where each passage of a chunk that is still indexed begins, or if cited its quotation."""
    wanted = [passage for passage in passages if passage.kind == "chunk" and not passage.gone]
    if not wanted:
        return {}
    starts = await chunk_starts(graph, ids=[passage.source_id for passage in wanted])
    found: dict[int, tuple[ChunkStart, int]] = {}
    for passage in wanted:
        chunk = starts.get(passage.source_id)
        if chunk is not None and (within := chunk.text.find(passage.text)) >= 0:
            quoted = start_of(quotation(answer, passage.number, passage.text), passage.text)
            found[passage.number] = (chunk, within + quoted)
    state = await index_state(graph)
    texts = _texts(state.corpus if state else None, {chunk.uri for chunk, _ in found.values()})
    return {number: _place(chunk, within, texts) for number, (chunk, within) in found.items()}


def start_of(quoted: str, text: str) -> int:
    """Where the first run of a quotation, whose white space is folded, begins in the text; 0 where it does not."""
    words = quoted.split(" … ")[0].strip("…").split()
    match = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return match.start() if match else 0


def _place(chunk: ChunkStart, within: int, texts: Mapping[str, str]) -> Place:
    text, start = texts.get(chunk.uri, ""), chunk.start + within
    if not text.startswith(chunk.text, chunk.start):
        return Place(start)
    return Place(start, text.count("\n", 0, start) + 1)


def _texts(corpus: str | None, uris: Iterable[str]) -> dict[str, str]:
    """The texts of these files of the corpus, of those that are texts and can be read."""
    found = {}
    for uri in sorted(uris) if corpus else ():
        path = Path(corpus or "") / uri
        if path.suffix.lower() in TEXTS and (text := text_of(path, _LARGEST)) is not None:
            found[uri] = text
    return found
