"""What a search reads: the nearest nodes to a vector, and what lies around the entities found.

Every list is ordered, and ties are broken by id, so that the same question to the same index reads the same.
Relationships and entities carry the document that they rest on when it is a single one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, LiteralString

from drift_assets.graph.connection import Graph, Row

# Neo4j 2026.04 deprecates the procedure in favour of the SEARCH clause, which is generally available by then.
_SEARCH_CLAUSE = (2026, 4)

Kind = Literal["chunk", "report", "relationship", "entity"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of the index as a search reads it.

    `id` is the chunk's, community's or relationship's id, or the entity's key. `document` is the id of the one
    document that it rests on, None when there are several.
    """

    kind: Kind
    id: str
    title: str
    text: str
    document: str | None


# The title of a document, with the page where it has pages.
TITLE: LiteralString = (
    "d.title + CASE WHEN node.page IS NULL THEN '' WHEN node.last_page > node.page "
    "THEN ', pages ' + node.page + '–' + node.last_page ELSE ', page ' + node.page END AS title"
)
_CHUNK: LiteralString = (
    "CALL (node) { MATCH (node)-[:PART_OF]->(d:__Document__) RETURN d ORDER BY d.id LIMIT 1 } "
    "RETURN node.id AS id, " + TITLE + ", node.text AS text, [d.id] AS documents "
)
_ENTITY: LiteralString = (
    "CALL (node) { MATCH (node)<-[:MENTIONS]-(:__Chunk__)-[:PART_OF]->(d:__Document__) "
    "WITH DISTINCT d LIMIT 2 RETURN collect(d.id) AS documents } "
    "RETURN node.name AS id, coalesce(node.aliases[0], node.name) AS title, "
    "coalesce(node.summary, node.description) AS text, documents "
)
_ID: LiteralString = "RETURN node.id AS id "
REPORT: LiteralString = (
    "CALL (node) { MATCH (node)<-[:IN_COMMUNITY*1..]-(:__Entity__)<-[:MENTIONS]-(:__Chunk__)-[:PART_OF]->"
    "(d:__Document__) WITH DISTINCT d LIMIT 2 RETURN collect(d.id) AS documents } "
    "RETURN node.id AS id, node.title AS title, node.summary AS text, node.findings AS findings, documents "
)


async def nearest_reports(graph: Graph, *, vectors: str, vector: Sequence[float], count: int) -> list[Piece]:
    """The `count` reports nearest to `vector` among those with a vector, nearest first."""
    return await _nearest(graph, "report", _entry(graph, "community", vectors), REPORT, vector, count)


async def nearest_entities(graph: Graph, *, vectors: str, vector: Sequence[float], count: int) -> list[Piece]:
    """The `count` entities nearest to `vector`, nearest first; the text of one without a summary may be empty."""
    return await _nearest(graph, "entity", _entry(graph, "entity", vectors), _ENTITY, vector, count)


async def entities_by_name(graph: Graph, *, names: Sequence[str]) -> list[Piece]:
    """The entities with these keys, in this order; those that do not exist are left out."""
    rows = await graph.read_each(
        "UNWIND range(0, size(each.names) - 1) AS place MATCH (node:__Entity__ {name: each.names[place]}) "
        + _ENTITY
        + ", place ORDER BY place",
        {"names": list(dict.fromkeys(names))},
    )
    return [piece_of("entity", row) for row in rows]


async def nearest_chunks(graph: Graph, *, vectors: str, vector: Sequence[float], count: int) -> list[Piece]:
    """The `count` chunks nearest to `vector`, nearest first."""
    return await _nearest(graph, "chunk", _entry(graph, "chunk", vectors), _CHUNK, vector, count)


async def nearest_chunk_ids(graph: Graph, *, vectors: str, vector: Sequence[float], count: int) -> list[str]:
    """Ids of what `nearest_chunks` brings."""
    return [row["id"] for row in await _rows(graph, _entry(graph, "chunk", vectors), _ID, vector, count)]


async def chunks_mentioning(
    graph: Graph, *, names: Sequence[str], vectors: str, vector: Sequence[float], count: int
) -> list[Piece]:
    """Chunks by how many of the named entities they mention, then by nearness to `vector`, then by id."""
    rows = await graph.read_each(
        "UNWIND each.names AS name MATCH (:__Entity__ {name: name})<-[:MENTIONS]-(node:__Chunk__) "
        "WITH node, count(DISTINCT name) AS mentioned "
        "WITH node, mentioned, CASE WHEN node[$property] IS NULL THEN 0.0 "
        "ELSE vector.similarity.cosine(node[$property], each.vector) END AS score "
        "ORDER BY mentioned DESC, score DESC, node.id LIMIT $count " + _CHUNK + ", mentioned, score "
        "ORDER BY mentioned DESC, score DESC, id",
        {"names": list(dict.fromkeys(names)), "vector": list(vector)},
        property=f"embedding{vectors}",
        count=count,
    )
    return [piece_of("chunk", row) for row in rows]


async def reports_above(
    graph: Graph, *, names: Sequence[str], count: int, levels: tuple[int, int] | None = None
) -> list[Piece]:
    """Reports above the named entities by rating, then by how many of these they hold, then by id; None: all levels."""
    rows = await graph.read_each(
        "UNWIND each.names AS name MATCH (:__Entity__ {name: name})-[:IN_COMMUNITY*1..]->(node:__Community__) "
        "WHERE node.summary IS NOT NULL AND ($levels IS NULL OR $levels[0] <= node.level <= $levels[1]) "
        "WITH node, count(DISTINCT name) AS members "
        "WITH node, members, coalesce(node.rating, 0.0) AS score "
        "ORDER BY score DESC, members DESC, node.id LIMIT $count " + REPORT + ", members, score "
        "ORDER BY score DESC, members DESC, id",
        {"names": list(dict.fromkeys(names))},
        count=count,
        levels=None if levels is None else list(levels),
    )
    return [piece_of("report", row) for row in rows]


async def relationships_between(graph: Graph, *, names: Sequence[str], count: int) -> list[Piece]:
    """Summarised relationships with both ends among the named entities, by weight, then by id."""
    rows = await graph.read_each(
        "MATCH (a:__Entity__)-[r:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WHERE a.name IN each.names "
        "AND b.name IN each.names "
        "WITH a, r, b ORDER BY r.weight DESC, r.id LIMIT $count "
        "CALL (a, b) { MATCH (a)-[s:RELATIONSHIP]-(b) MATCH (:__Chunk__ {id: s.chunk_id})-[:PART_OF]->(d:__Document__) "
        "WITH DISTINCT d LIMIT 2 RETURN collect(d.id) AS documents } "
        "RETURN r.id AS id, coalesce(a.aliases[0], a.name) + ' – ' + coalesce(b.aliases[0], b.name) AS title, "
        "coalesce(r.summary, r.description) AS text, documents, r.weight AS weight ORDER BY weight DESC, id",
        {"names": list(dict.fromkeys(names))},
        count=count,
    )
    return [piece_of("relationship", row) for row in rows]


async def missing_vector_indexes(graph: Graph, *, vectors: str) -> list[str]:
    """Names of the vector indexes that searches need and the database lacks."""
    rows = await graph.read("SHOW VECTOR INDEXES YIELD name RETURN collect(name) AS names")
    return [
        name
        for name in (f"{kind}{vectors}" for kind in ("entity", "community", "chunk"))
        if name not in rows[0]["names"]
    ]


def _entry(graph: Graph, index: Literal["entity", "community", "chunk"], vectors: str) -> LiteralString:
    """The beginning of a query that binds `node` and `score` to the nearest nodes of a vector index."""
    if re.fullmatch(r"(_\d+)?", vectors) is None:
        raise ValueError(f"{vectors!r} is no suffix of a vector index")
    name = index + vectors
    if graph.server < _SEARCH_CLAUSE:
        return "CALL db.index.vector.queryNodes('" + name + "', $near, each.vector) YIELD node, score "
    label: LiteralString = {"entity": "__Entity__", "community": "__Community__", "chunk": "__Chunk__"}[index]
    return (
        "CYPHER 25 MATCH (node:" + label + ") SEARCH node IN (VECTOR INDEX `" + name + "` FOR each.vector LIMIT $near) "
        "SCORE AS score "
    )


async def _nearest(
    graph: Graph, kind: Kind, entry: LiteralString, fields: LiteralString, vector: Sequence[float], count: int
) -> list[Piece]:
    return [piece_of(kind, row) for row in await _rows(graph, entry, fields, vector, count)]


async def _rows(
    graph: Graph, entry: LiteralString, fields: LiteralString, vector: Sequence[float], count: int
) -> list[Row]:
    key: LiteralString = "node.name" if fields is _ENTITY else "node.id"
    return await graph.read_each(
        entry + "WITH node, score ORDER BY score DESC, " + key + " LIMIT $count " + fields + ", score "
        "ORDER BY score DESC, id",
        {"vector": list(vector)},
        # The index is approximate and cuts ties as it likes: a wider look makes the first `count` dependable.
        near=2 * count + 8,
        count=count,
    )


def piece_of(kind: Kind, row: dict[str, Any]) -> Piece:
    text = row["text"]
    if isinstance(text, list):
        text = " ".join(text)
    if row.get("findings"):
        text = _report_text(text or "", row["findings"])
    documents = row["documents"]
    return Piece(
        kind=kind,
        id=row["id"],
        title=row["title"] or row["id"],
        text=(text or "").strip(),
        document=documents[0] if len(documents) == 1 else None,
    )


def _report_text(summary: str, findings: Sequence[str]) -> str:
    """The report as it is read: its summary, then a paragraph per finding; nothing twice."""
    parts = [summary]
    for finding in map(json.loads, findings):
        for part in (finding.get("summary", ""), finding.get("explanation", "")):
            if part and all(part not in earlier for earlier in parts):
                parts.append(part)
    return "\n".join(parts)


_BELOW: dict[Kind, LiteralString] = {
    "report": "MATCH (:__Community__ {id: $id})<-[:IN_COMMUNITY*1..]-(e:__Entity__)<-[:MENTIONS]-(c:__Chunk__) ",
    "entity": "MATCH (e:__Entity__ {name: $id})<-[:MENTIONS]-(c:__Chunk__) ",
    "relationship": (
        "MATCH (e:__Entity__)-[:SUMMARIZED_RELATIONSHIP {id: $id}]-() MATCH (e)<-[:MENTIONS]-(c:__Chunk__) "
    ),
}


async def chunks_below(graph: Graph, *, kind: Kind, id: str, word: str) -> list[Piece]:
    """The chunks that mention an entity of this report, relationship or entity and hold `word`, by text."""
    if kind == "chunk":
        return []
    rows = await graph.read(
        _BELOW[kind] + "WITH DISTINCT c AS node WHERE node.text CONTAINS $word "
        "MATCH (node)-[:PART_OF]->(d:__Document__) "
        "RETURN node.id AS id, " + TITLE + ", node.text AS text, d.id AS document ORDER BY node.text_hash, id",
        id=id,
        word=word,
    )
    return [Piece("chunk", row["id"], row["title"], row["text"], row["document"]) for row in rows]
