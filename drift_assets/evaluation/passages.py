"""What a search has read, as texts in which a quote can be looked for: neighbouring chunks are joined again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from drift_assets.graph.evidence import PlacedChunk


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that was given to a model; `id` is that of the chunk, community or relationship, or the entity's key."""

    kind: str
    id: str
    text: str


Span = tuple[int, int]


def folded(text: str) -> str:
    """The text with all white space reduced to single blanks and nothing else changed."""
    return " ".join(text.split())


def read_texts(passages: Iterable[Passage], chunks: Mapping[str, PlacedChunk]) -> list[str]:
    """The folded texts of the passages, those of `chunks` joined where they were read without a gap.

    Only white space lies between neighbouring chunks, and a passage of a chunk may be a part of it. Each text stands
    once: those of chunks by document and position, then the others in their order.
    """
    spans: dict[str, list[Span]] = defaultdict(list)
    others: list[str] = []
    for passage in passages:
        chunk = chunks.get(passage.id) if passage.kind == "chunk" else None
        start = chunk.text.find(passage.text) if chunk else -1
        if chunk and start >= 0:
            spans[chunk.id].append((start, start + len(passage.text)))
        else:
            others.append(folded(passage.text))
    parts = [
        (chunks[id], span)
        for id in sorted(spans, key=lambda id: (chunks[id].document, chunks[id].position))
        for span in _united(spans[id])
    ]
    return list(dict.fromkeys([*_runs(parts), *others]))


def _united(spans: Sequence[Span]) -> list[Span]:
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


def _runs(parts: Sequence[tuple[PlacedChunk, Span]]) -> list[str]:
    if not parts:
        return []
    runs = [[_text(*parts[0])]]
    for (chunk, span), (following, next_span) in pairwise(parts):
        if _adjoin(chunk, span, following, next_span):
            runs[-1].append(_text(following, next_span))
        else:
            runs.append([_text(following, next_span)])
    return [folded(" ".join(run)) for run in runs]


def _adjoin(chunk: PlacedChunk, span: Span, following: PlacedChunk, next_span: Span) -> bool:
    neighbours = chunk.document == following.document and chunk.position + 1 == following.position
    return neighbours and not chunk.text[span[1] :].strip() and not following.text[: next_span[0]].strip()


def _text(chunk: PlacedChunk, span: Span) -> str:
    return chunk.text[span[0] : span[1]]
