"""What evidence stands for in the index: looked up to judge a search, not to make one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drift_assets.graph.connection import Graph


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """A chunk and where it stands; `position` counts from 0 within the document, whose id is `document`."""

    id: str
    document: str
    position: int
    text: str


async def chunks_of(graph: Graph, *, ids: Sequence[str]) -> list[PlacedChunk]:
    """The chunks with these ids that exist, by document and position."""
    rows = await graph.read(
        "MATCH (c:__Chunk__)-[:PART_OF]->(d:__Document__) WHERE c.id IN $ids "
        "RETURN c.id AS id, d.id AS document, c.position AS position, c.text AS text ORDER BY document, position, id",
        ids=list(ids),
    )
    return [PlacedChunk(**row) for row in rows]


@dataclass(frozen=True, slots=True)
class ChunkStart:
    """The character of its document at which a chunk begins, its text, and the document's path below the corpus."""

    start: int
    text: str
    uri: str


async def chunk_starts(graph: Graph, *, ids: Sequence[str]) -> dict[str, ChunkStart]:
    """By id, where those of these chunks begin that exist."""
    rows = await graph.read(
        "MATCH (c:__Chunk__)-[:PART_OF]->(d:__Document__) WHERE c.id IN $ids AND c.start IS NOT NULL "
        "RETURN c.id AS id, c.start AS start, c.text AS text, coalesce(d.uri, d.id) AS uri ORDER BY id",
        ids=list(ids),
    )
    return {row["id"]: ChunkStart(row["start"], row["text"], row["uri"]) for row in rows}


async def chunks_below(graph: Graph, *, communities: Sequence[str]) -> list[PlacedChunk]:
    """The chunks that the reports of these communities rest on: those that mention a member, each once."""
    rows = await graph.read(
        "MATCH (m:__Community__)<-[:IN_COMMUNITY*1..]-(:__Entity__)<-[:MENTIONS]-(c:__Chunk__) WHERE m.id IN $ids "
        "WITH DISTINCT c MATCH (c)-[:PART_OF]->(d:__Document__) "
        "RETURN c.id AS id, d.id AS document, c.position AS position, c.text AS text ORDER BY document, position, id",
        ids=list(communities),
    )
    return [PlacedChunk(**row) for row in rows]


async def existing_sources(graph: Graph, *, ids: Sequence[str]) -> set[str]:
    """Those of the ids that a chunk, community, relationship or entity of the index has."""
    rows = await graph.read(
        "CALL () { MATCH (c:__Chunk__) WHERE c.id IN $ids RETURN c.id AS id "
        "UNION MATCH (m:__Community__) WHERE m.id IN $ids RETURN m.id AS id "
        "UNION MATCH (e:__Entity__) WHERE e.name IN $ids RETURN e.name AS id "
        "UNION MATCH (:__Entity__)-[r:SUMMARIZED_RELATIONSHIP]->(:__Entity__) WHERE r.id IN $ids RETURN r.id AS id } "
        "RETURN id ORDER BY id",
        ids=list(ids),
    )
    return {row["id"] for row in rows}
