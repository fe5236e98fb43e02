"""What must hold of the index: each query finds those that break one rule, how many they are and the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from drift_assets.graph.connection import Graph

SHOWN = 10


@dataclass(frozen=True, slots=True)
class Offenders:
    """How many break a rule, of how many that were looked at, and the first of them."""

    count: int
    looked_at: int
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MentionedName:
    """A name as a chunk is said to mention it, with the chunk's text."""

    chunk: str
    spelling: str
    text: str


async def _offenders(graph: Graph, rule: LiteralString, **parameters: object) -> Offenders:
    """Offenders of a query that returns `item` (a string when it breaks the rule, else null) per thing looked at."""
    rows = await graph.read(
        rule + " RETURN count(item) AS count, count(*) AS looked_at, collect(item)[..$shown] AS first",
        shown=SHOWN,
        **parameters,
    )
    return Offenders(rows[0]["count"], rows[0]["looked_at"], tuple(rows[0]["first"]))


async def _entities_without(graph: Graph, what: LiteralString) -> Offenders:
    """Entities `e` of which the condition does not hold, by name."""
    return await _offenders(
        graph,
        "MATCH (e:__Entity__) WITH e ORDER BY e.name WITH CASE WHEN " + what + " THEN null ELSE e.name END AS item",
    )


async def empty_documents(graph: Graph) -> Offenders:
    """Documents without a chunk of text; an index without any document is one offender."""
    found = await _offenders(
        graph,
        "MATCH (d:__Document__) WITH d ORDER BY d.id WITH CASE WHEN "
        "EXISTS { (d)<-[:PART_OF]-(c:__Chunk__) WHERE trim(c.text) <> '' } THEN null ELSE d.id END AS item",
    )
    return found if found.looked_at else Offenders(1, 0, ("the index holds no document",))


async def orphan_chunks(graph: Graph) -> Offenders:
    """Chunks that are part of no document, or of several."""
    return await _offenders(
        graph,
        "MATCH (c:__Chunk__) WITH c ORDER BY c.id "
        "WITH CASE COUNT { (c)-[:PART_OF]->(:__Document__) } WHEN 1 THEN null ELSE c.id END AS item",
    )


async def broken_relationships(graph: Graph) -> Offenders:
    """RELATIONSHIPs whose chunk is gone or does not mention both ends."""
    return await _offenders(
        graph,
        "MATCH (a:__Entity__)-[r:RELATIONSHIP]->(b) OPTIONAL MATCH (c:__Chunk__ {id: r.chunk_id}) "
        "WITH a, r, b, c ORDER BY a.name, b.name "
        "WITH CASE WHEN c IS NOT NULL AND EXISTS { (c)-[:MENTIONS]->(a) } AND EXISTS { (c)-[:MENTIONS]->(b) } "
        "THEN null ELSE a.name + ' – ' + coalesce(b.name, '?') END AS item",
    )


async def unmentioned_entities(graph: Graph) -> Offenders:
    """Entities that no chunk mentions."""
    return await _entities_without(graph, "EXISTS { (e)<-[:MENTIONS]-(:__Chunk__) }")


async def chunks_without_entities(graph: Graph) -> Offenders:
    """Chunks that were extracted and mention nothing."""
    return await _offenders(
        graph,
        "MATCH (c:__Chunk__) WHERE c.extraction IS NOT NULL WITH c ORDER BY c.id "
        "WITH CASE WHEN EXISTS { (c)-[:MENTIONS]->() } THEN null ELSE c.id END AS item",
    )


async def isolated_entities(graph: Graph) -> Offenders:
    """Entities without a relationship."""
    return await _entities_without(graph, "EXISTS { (e)-[:SUMMARIZED_RELATIONSHIP]-() }")


async def names_alike(graph: Graph) -> Offenders:
    """Entities whose name differs from another's only by blanks, hyphens and apostrophes."""
    return await _offenders(
        graph,
        "MATCH (e:__Entity__) WITH e.name AS name, reduce(plain = e.name, sign IN $signs | "
        "replace(plain, sign, '')) AS plain ORDER BY name WITH plain, collect(name) AS names UNWIND names AS name "
        "WITH name, names ORDER BY name WITH CASE WHEN size(names) = 1 THEN null ELSE name END AS item",
        signs=list(" -.'’"),
    )


async def mentioned_names(graph: Graph, *, limit: int) -> list[MentionedName]:
    """Up to `limit` mentions, in the order of their texts' hashes, which is as good as by chance."""
    rows = await graph.read(
        "MATCH (c:__Chunk__) WITH c ORDER BY c.text_hash LIMIT $limit MATCH (c)-[m:MENTIONS]->() "
        "RETURN c.id AS chunk, m.spelling AS spelling, c.text AS text ORDER BY c.text_hash, spelling LIMIT $limit",
        limit=limit,
    )
    return [MentionedName(**row) for row in rows]


async def misplaced_entities(graph: Graph) -> Offenders:
    """Entities that are not in exactly one community, or in one that has children."""
    return await _entities_without(
        graph,
        "COUNT { (e)-[:IN_COMMUNITY]->(:__Community__) } = 1 "
        "AND NOT EXISTS { (e)-[:IN_COMMUNITY]->(:__Community__)<-[:IN_COMMUNITY]-(:__Community__) }",
    )


async def unsummarised(graph: Graph) -> Offenders:
    """Entities without a summary of their present descriptions."""
    return await _entities_without(graph, "e.summary IS NOT NULL AND e.summary_key STARTS WITH e.description_hash")


async def unsummarised_pairs(graph: Graph) -> Offenders:
    """Pairs of related entities without a summary of their present descriptions."""
    return await _offenders(
        graph,
        "MATCH (a:__Entity__)-[p:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WITH a, p, b ORDER BY a.name, b.name "
        "WITH CASE WHEN p.summary IS NOT NULL AND p.summary_key STARTS WITH p.description_hash THEN null "
        "ELSE a.name + ' – ' + b.name END AS item",
    )


async def misplaced_communities(graph: Graph) -> Offenders:
    """Communities of level 0 with a parent, and others without exactly one, on the level above."""
    return await _offenders(
        graph,
        "MATCH (m:__Community__) WITH m ORDER BY m.id "
        "WITH m, [(m)-[:IN_COMMUNITY]->(p:__Community__) | p.level] AS above "
        "WITH CASE WHEN above = CASE m.level WHEN 0 THEN [] ELSE [m.level - 1] END THEN null ELSE m.id END AS item",
    )


async def large_leaves(graph: Graph, *, most: int) -> Offenders:
    """Communities without children that have more than `most` entities, by size; single entities are left out."""
    return await _offenders(
        graph,
        "MATCH (m:__Community__) WHERE m.size > 1 AND NOT EXISTS { (m)<-[:IN_COMMUNITY]-(:__Community__) } "
        "WITH m ORDER BY m.size DESC, m.id "
        "WITH CASE WHEN m.size <= $most THEN null "
        "ELSE m.id + ': ' + m.size + ' entities on level ' + m.level END AS item",
        most=most,
    )


async def unreported_communities(graph: Graph) -> Offenders:
    """Communities without a report."""
    return await _offenders(
        graph,
        "MATCH (m:__Community__) WITH m ORDER BY m.id "
        "WITH CASE WHEN m.title IS NOT NULL AND m.summary IS NOT NULL THEN null ELSE m.id END AS item",
    )


async def wrong_vectors(graph: Graph, *, suffix: str, dimensions: int, min_rating: float) -> Offenders:
    """Nodes that lack a vector of this dimension though they should have one, or have one though they should not."""
    return await _offenders(
        graph,
        "MATCH (n:__Entity__|__Community__|__Chunk__) "
        "WITH n, coalesce(n.name, n.id) AS key, size(n[$property]) AS size, "
        "n:__Entity__ OR n:__Chunk__ OR (n.size > 1 AND coalesce(n.rating, -1.0) > $min_rating) AS wanted ORDER BY key "
        "WITH CASE WHEN wanted AND size = $dimensions OR NOT wanted AND size IS NULL THEN null ELSE key END AS item",
        property=f"embedding{suffix}",
        dimensions=dimensions,
        min_rating=min_rating,
    )


async def foreign_vectors(graph: Graph, *, suffix: str, model: str) -> Offenders:
    """Nodes with a vector that is by another model than `model`."""
    return await _offenders(
        graph,
        "MATCH (n:__Entity__|__Community__|__Chunk__) WHERE n[$property] IS NOT NULL "
        "WITH n, coalesce(n.name, n.id) AS key ORDER BY key "
        "WITH CASE WHEN n.embedded = $model THEN null ELSE key END AS item",
        property=f"embedding{suffix}",
        model=model,
    )


async def count_items(graph: Graph) -> int:
    """How many chunks, entities, pairs and communities there are."""
    rows = await graph.read(
        "RETURN COUNT { (:__Chunk__) } + COUNT { (:__Entity__) } + COUNT { (:__Community__) } "
        "+ COUNT { (:__Entity__)-[:SUMMARIZED_RELATIONSHIP]->() } AS count"
    )
    return int(rows[0]["count"])


async def offline_indexes(graph: Graph, *, names: Sequence[str]) -> Offenders:
    """Indexes of these names that do not exist or are not online."""
    rows = await graph.read(
        "SHOW INDEXES YIELD name, state WHERE name IN $names AND state = 'ONLINE' RETURN collect(name) AS online",
        names=list(names),
    )
    missing = sorted(set(names) - set(rows[0]["online"]))
    return Offenders(len(missing), len(names), tuple(missing))
