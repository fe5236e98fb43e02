"""What a search reads when it may read some documents only: as `retrieval`, but of the documents with these ids.

Nothing that rests on another document is told. Of entities and relationships that other documents speak of as well, the
statements of the documents that may be read take the place of the summary; such reports are left out. Nodes are
compared one by one, since a vector index looks at all documents and might bring none of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from drift_assets.graph.connection import Graph, Row
from drift_assets.graph.retrieval import REPORT, TITLE, Kind, Piece, piece_of

# Statements of one entity that are read; the first of each document say who or what it is.
_MOST_SAID = 12

_CHUNK: LiteralString = (
    "CALL (node) { MATCH (node)-[:PART_OF]->(d:__Document__) WHERE d.id IN $documents "
    "RETURN d ORDER BY d.id LIMIT 1 } RETURN node.id AS id, " + TITLE + ", node.text AS text, [d.id] AS documents "
)
_BEYOND: LiteralString = "-[:PART_OF]->(o:__Document__) WHERE NOT o.id IN $documents "
_ENTITY: LiteralString = (
    "CALL (node) { MATCH (node)<-[m:MENTIONS]-(c:__Chunk__)-[:PART_OF]->(d:__Document__) WHERE d.id IN $documents "
    "WITH d.id AS document, m.description AS said, coalesce(c.position, 0) AS position "
    "ORDER BY document, position, said "
    "RETURN collect(DISTINCT document)[..2] AS documents, collect(DISTINCT said)[..$said] AS said } "
    "RETURN node.name AS id, coalesce(node.aliases[0], node.name) AS title, documents, "
    "CASE WHEN EXISTS { (node)<-[:MENTIONS]-(:__Chunk__)" + _BEYOND + "} "
    "THEN said ELSE coalesce(node.summary, node.description) END AS text "
)
_WITHIN: LiteralString = (
    "EXISTS { (node)<-[:IN_COMMUNITY*1..]-(:__Entity__)<-[:MENTIONS]-(:__Chunk__) } "
    "AND NOT EXISTS { (node)<-[:IN_COMMUNITY*1..]-(:__Entity__)<-[:MENTIONS]-(:__Chunk__)" + _BEYOND + "} "
)


async def documents_below(graph: Graph) -> list[tuple[str, str, str]]:
    """Id, title and metadata (JSON) of every document, by id."""
    rows = await graph.read(
        "MATCH (d:__Document__) RETURN d.id AS id, coalesce(d.title, d.id) AS title, "
        "coalesce(d.metadata, '{}') AS metadata ORDER BY id"
    )
    return [(row["id"], row["title"], row["metadata"]) for row in rows]


async def nearest_chunks(
    graph: Graph, *, documents: Sequence[str], vectors: str, vector: Sequence[float], count: int
) -> list[Piece]:
    """The `count` chunks of these documents nearest to `vector`, nearest first."""
    return _pieces("chunk", await _nearest_chunks(graph, documents, vectors, vector, count, _CHUNK))


async def nearest_chunk_ids(
    graph: Graph, *, documents: Sequence[str], vectors: str, vector: Sequence[float], count: int
) -> list[str]:
    """Ids of what `nearest_chunks` brings."""
    rows = await _nearest_chunks(graph, documents, vectors, vector, count, "RETURN node.id AS id ")
    return [row["id"] for row in rows]


async def _nearest_chunks(
    graph: Graph, documents: Sequence[str], vectors: str, vector: Sequence[float], count: int, fields: LiteralString
) -> list[Row]:
    return await graph.read_each(
        "UNWIND $documents AS id MATCH (:__Document__ {id: id})<-[:PART_OF]-(node:__Chunk__) "
        "WHERE node[$property] IS NOT NULL WITH DISTINCT node "
        "WITH node, vector.similarity.cosine(node[$property], each.vector) AS score "
        "ORDER BY score DESC, node.id LIMIT $count " + fields + ", score ORDER BY score DESC, id",
        {"vector": list(vector)},
        documents=list(documents),
        property=f"embedding{vectors}",
        count=count,
    )


async def nearest_entities(
    graph: Graph, *, documents: Sequence[str], vectors: str, vector: Sequence[float], count: int
) -> list[Piece]:
    """The `count` entities that these documents mention nearest to `vector`, nearest first."""
    rows = await graph.read_each(
        "UNWIND $documents AS id MATCH (:__Document__ {id: id})<-[:PART_OF]-(:__Chunk__)-[:MENTIONS]->"
        "(node:__Entity__) WHERE node[$property] IS NOT NULL WITH DISTINCT node "
        "WITH node, vector.similarity.cosine(node[$property], each.vector) AS score "
        "ORDER BY score DESC, node.name LIMIT $count " + _ENTITY + ", score ORDER BY score DESC, id",
        {"vector": list(vector)},
        documents=list(documents),
        property=f"embedding{vectors}",
        count=count,
        said=_MOST_SAID,
    )
    return _pieces("entity", rows)


async def entities_by_name(graph: Graph, *, documents: Sequence[str], names: Sequence[str]) -> list[Piece]:
    """The entities with these keys that the documents mention, in this order."""
    rows = await graph.read_each(
        "UNWIND range(0, size(each.names) - 1) AS place MATCH (node:__Entity__ {name: each.names[place]}) "
        "WHERE EXISTS { (node)<-[:MENTIONS]-(:__Chunk__)-[:PART_OF]->(d:__Document__) WHERE d.id IN $documents } "
        + _ENTITY
        + ", place ORDER BY place",
        {"names": list(dict.fromkeys(names))},
        documents=list(documents),
        said=_MOST_SAID,
    )
    return _pieces("entity", rows)


async def chunks_mentioning(
    graph: Graph, *, documents: Sequence[str], names: Sequence[str], vectors: str, vector: Sequence[float], count: int
) -> list[Piece]:
    """Chunks of these documents by how many of the named entities they mention, then by nearness, then by id."""
    rows = await graph.read_each(
        "UNWIND each.names AS name MATCH (:__Entity__ {name: name})<-[:MENTIONS]-(node:__Chunk__)"
        "-[:PART_OF]->(d:__Document__) WHERE d.id IN $documents "
        "WITH node, count(DISTINCT name) AS mentioned "
        "WITH node, mentioned, CASE WHEN node[$property] IS NULL THEN 0.0 "
        "ELSE vector.similarity.cosine(node[$property], each.vector) END AS score "
        "ORDER BY mentioned DESC, score DESC, node.id LIMIT $count " + _CHUNK + ", mentioned, score "
        "ORDER BY mentioned DESC, score DESC, id",
        {"names": list(dict.fromkeys(names)), "vector": list(vector)},
        documents=list(documents),
        property=f"embedding{vectors}",
        count=count,
    )
    return _pieces("chunk", rows)


async def relationships_between(
    graph: Graph, *, documents: Sequence[str], names: Sequence[str], count: int
) -> list[Piece]:
    """Relationships between the named entities that these documents state, by the strength stated there, then by id."""
    rows = await graph.read_each(
        "MATCH (a:__Entity__)-[r:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WHERE a.name IN each.names "
        "AND b.name IN each.names "
        "CALL (a, b) { MATCH (a)-[s:RELATIONSHIP]-(b) "
        "MATCH (:__Chunk__ {id: s.chunk_id})-[:PART_OF]->(d:__Document__) WHERE d.id IN $documents "
        "WITH d.id AS document, s ORDER BY document, s.description "
        "RETURN collect(DISTINCT document)[..2] AS documents, collect(DISTINCT s.description)[..$said] AS said, "
        "sum(coalesce(s.strength, 0.0)) AS weight } "
        "WITH a, b, r, documents, said, weight WHERE size(documents) > 0 "
        "WITH a, b, r, documents, said, weight ORDER BY weight DESC, r.id LIMIT $count "
        "RETURN r.id AS id, coalesce(a.aliases[0], a.name) + ' – ' + coalesce(b.aliases[0], b.name) AS title, "
        "documents, CASE WHEN EXISTS { (a)-[s:RELATIONSHIP]-(b) WHERE EXISTS { (:__Chunk__ {id: s.chunk_id})"
        + _BEYOND
        + "} } "
        "THEN said ELSE coalesce(r.summary, r.description) END AS text, weight ORDER BY weight DESC, id",
        {"names": list(dict.fromkeys(names))},
        documents=list(documents),
        count=count,
        said=_MOST_SAID,
    )
    return _pieces("relationship", rows)


async def nearest_reports(
    graph: Graph,
    *,
    documents: Sequence[str],
    vectors: str,
    vector: Sequence[float],
    count: int,
    levels: tuple[int, int] | None = None,
) -> list[Piece]:
    """The `count` reports nearest to `vector` that rest on nothing but these documents; None: of all levels."""
    rows = await graph.read_each(
        "MATCH (node:__Community__) WHERE node[$property] IS NOT NULL "
        "AND ($levels IS NULL OR $levels[0] <= node.level <= $levels[1]) AND " + _WITHIN + "WITH node, "
        "vector.similarity.cosine(node[$property], each.vector) AS score "
        "ORDER BY score DESC, node.id LIMIT $count " + REPORT + ", score ORDER BY score DESC, id",
        {"vector": list(vector)},
        documents=list(documents),
        property=f"embedding{vectors}",
        count=count,
        levels=None if levels is None else list(levels),
    )
    return _pieces("report", rows)


async def reports_above(
    graph: Graph,
    *,
    documents: Sequence[str],
    names: Sequence[str],
    count: int,
    levels: tuple[int, int] | None = None,
) -> list[Piece]:
    """Reports above the named entities that rest on nothing but these documents, by rating, then by members, by id."""
    rows = await graph.read_each(
        "UNWIND each.names AS name MATCH (:__Entity__ {name: name})-[:IN_COMMUNITY*1..]->(node:__Community__) "
        "WHERE node.summary IS NOT NULL AND ($levels IS NULL OR $levels[0] <= node.level <= $levels[1]) "
        "WITH node, count(DISTINCT name) AS members WHERE " + _WITHIN + "WITH node, members, "
        "coalesce(node.rating, 0.0) AS score ORDER BY score DESC, members DESC, node.id LIMIT $count "
        + REPORT
        + ", members, score ORDER BY score DESC, members DESC, id",
        {"names": list(dict.fromkeys(names))},
        documents=list(documents),
        count=count,
        levels=None if levels is None else list(levels),
    )
    return _pieces("report", rows)


def _pieces(kind: Kind, rows: Sequence[dict[str, object]]) -> list[Piece]:
    return [piece_of(kind, row) for row in rows]
