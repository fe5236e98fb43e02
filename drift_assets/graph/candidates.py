"""What may bear on a question, found by vectors, by words and by mentions: wide and unordered, to be ranked.

Words are looked up in the full-text indexes `entity_names` and `chunk_texts`. An index made before these existed is
searched without them until `drift index` runs again.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from drift_assets.graph import within
from drift_assets.graph.connection import Graph, Row
from drift_assets.graph.retrieval import Piece, nearest_chunk_ids
from drift_assets.graph.texts import Texts

NAMES, TEXTS = "entity_names", "chunk_texts"
# Lucene refuses more clauses than 1,024, and a question needs no more words than these.
_MOST_WORDS = 200
# Of words alone so many chunks are looked through for those of chosen documents.
_LOOKED_THROUGH = 2_000
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk as a whole, its place in its document (-1 where unknown) and its cosine similarity as Neo4j's 0–1."""

    piece: Piece
    position: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: the suffix of the vector indexes, the full-text indexes at hand, the documents, None for all."""

    vectors: str
    words: Collection[str]
    documents: Sequence[str] | None = None


async def word_indexes(graph: Graph) -> frozenset[str]:
    """Names of the full-text indexes that are online."""
    rows = await graph.read(
        "SHOW FULLTEXT INDEXES YIELD name, state WHERE state = 'ONLINE' RETURN collect(name) AS names"
    )
    return frozenset({NAMES, TEXTS} & set(rows[0]["names"]))


async def named_entities(graph: Graph, *, text: str, count: int, words: Collection[str]) -> list[str]:
    """Keys of the entities of which a name or spelling stands in `text`, best match first, `count` at most.

    `words` are the full-text indexes at hand; without `entity_names` there are none.
    """
    wanted = _lucene(text)
    if not wanted or NAMES not in words:
        return []
    rows = await graph.read_each(
        "CALL db.index.fulltext.queryNodes($index, each.wanted, {limit: $limit}) YIELD node, score "
        "RETURN node.name AS name, coalesce(node.aliases, []) AS aliases ORDER BY score DESC, name",
        {"wanted": wanted},
        index=NAMES,
        limit=8 * count + 40,
    )
    said = f" {_folded(text)} "
    named = [
        row["name"]
        for row in rows
        if any((folded := _folded(name)) and f" {folded} " in said for name in (row["name"], *row["aliases"]))
    ]
    return named[:count]


async def candidate_chunks(
    graph: Graph,
    scope: Scope,
    texts: Texts,
    *,
    vector: Sequence[float],
    text: str,
    names: Sequence[str],
    count: int,
) -> list[Candidate]:
    """Chunks near to `vector`, holding words of `text`, or mentioning the named entities: up to `count` of each.

    By document and position.
    """
    of = None if scope.documents is None else list(scope.documents)
    near, holding, mentioning = await asyncio.gather(
        nearest_chunk_ids(graph, vectors=scope.vectors, vector=vector, count=count)
        if of is None
        else within.nearest_chunk_ids(graph, documents=of, vectors=scope.vectors, vector=vector, count=count),
        _holding(graph, text=text, count=count, words=scope.words, documents=of),
        _mentioning(graph, names=names, count=count, documents=of),
    )
    ids = sorted({*near, *holding, *mentioning})
    placed, known = await asyncio.gather(_placed(graph, scope, ids, vector), texts.of(graph, ids))
    return [
        Candidate(
            Piece("chunk", row["id"], row["title"] or row["document"], known[row["id"]], row["document"]),
            row["position"],
            row["similarity"],
        )
        for row in placed
        if row["id"] in known
    ]


async def _placed(graph: Graph, scope: Scope, ids: Sequence[str], vector: Sequence[float]) -> list[Row]:
    return await graph.read_each(
        "MATCH (node:__Chunk__) WHERE node.id IN each.ids "
        "CALL (node) { MATCH (node)-[:PART_OF]->(d:__Document__) WHERE $documents IS NULL OR d.id IN $documents "
        "RETURN d ORDER BY d.id LIMIT 1 } "
        "RETURN node.id AS id, d.title AS title, d.id AS document, "
        "coalesce(node.position, -1) AS position, CASE WHEN node[$property] IS NULL THEN 0.0 "
        "ELSE vector.similarity.cosine(node[$property], each.vector) END AS similarity ORDER BY document, position, id",
        {"ids": list(ids), "vector": list(vector)},
        property=f"embedding{scope.vectors}",
        documents=None if scope.documents is None else list(scope.documents),
    )


async def _holding(
    graph: Graph, *, text: str, count: int, words: Collection[str], documents: list[str] | None
) -> list[str]:
    wanted = _lucene(text)
    if not wanted or TEXTS not in words:
        return []
    rows = await graph.read_each(
        "CALL db.index.fulltext.queryNodes($index, each.wanted, {limit: $limit}) YIELD node, score "
        "WHERE $documents IS NULL OR EXISTS { (node)-[:PART_OF]->(d:__Document__) WHERE d.id IN $documents } "
        "RETURN node.id AS id ORDER BY score DESC, id LIMIT $count",
        {"wanted": wanted},
        index=TEXTS,
        # Ties are cut as the index likes: a wider look makes the first `count` dependable.
        limit=2 * count if documents is None else max(2 * count, _LOOKED_THROUGH),
        count=count,
        documents=documents,
    )
    return [row["id"] for row in rows]


async def _mentioning(graph: Graph, *, names: Sequence[str], count: int, documents: list[str] | None) -> list[str]:
    rows = await graph.read_each(
        "UNWIND each.names AS name MATCH (:__Entity__ {name: name})<-[:MENTIONS]-(node:__Chunk__) "
        "WHERE $documents IS NULL OR EXISTS { (node)-[:PART_OF]->(d:__Document__) WHERE d.id IN $documents } "
        "RETURN node.id AS id, count(DISTINCT name) AS mentioned ORDER BY mentioned DESC, id LIMIT $count",
        {"names": list(dict.fromkeys(names))},
        count=count,
        documents=documents,
    )
    return [row["id"] for row in rows]


def _lucene(text: str) -> str:
    """The distinct words of a text, in lower case so that none of them is an operator."""
    return " ".join(list(dict.fromkeys(_WORD.findall(text.lower())))[:_MOST_WORDS])


def _folded(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
