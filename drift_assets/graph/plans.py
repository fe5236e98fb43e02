"""What an index run would find to be done already, asked before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from drift_assets.graph.connection import Graph
from drift_assets.graph.entities import STALE

# Halves of fewer documents differ too much to tell anything.
_FEW_DOCUMENTS = 6


@dataclass(frozen=True, slots=True)
class Said:
    """How many things have so many descriptions (`told`), and the characters of these and of their summaries."""

    told: int
    count: int
    chars: int
    summary_chars: int


@dataclass(frozen=True, slots=True)
class Halves:
    """Texts, and the entities that they tell of: in all documents, and on average in each half of the documents."""

    texts: int
    things: int
    half_texts: float
    half_things: float


@dataclass(frozen=True, slots=True)
class Sample:
    """What the extracted part of a corpus holds: `texts` of them, of which `kept` stay as they are.

    `communities` are of each that wants a report how many descriptions its entities have together, and how many
    entities these are. `decided` are the pairs of names that a model decided.
    """

    texts: int
    kept: int
    entities: tuple[Said, ...]
    pairs: tuple[Said, ...]
    communities: tuple[tuple[int, int], ...]
    decided: int
    halves: Halves | None = None


async def sample(graph: Graph, *, version: str, origin: str, without: Sequence[str], known: int) -> Sample | None:
    """What was extracted, None where most of it was by others than `origin`.

    What documents `without` hold does not stay, but for `known` texts of it.
    """
    texts = await graph.read(
        "MATCH (c:__Chunk__) WHERE c.extraction IS NOT NULL WITH DISTINCT c.text_hash AS hash, "
        "coalesce(c.origin, '') = $origin AS own RETURN count(*) AS texts, sum(CASE WHEN own THEN 1 ELSE 0 END) AS own",
        origin=origin,
    )
    if not texts[0]["own"] or 2 * texts[0]["own"] < texts[0]["texts"]:
        return None
    kept = await graph.read(
        "MATCH (d:__Document__)<-[:PART_OF]-(c:__Chunk__ {extraction: $version}) WHERE NOT d.id IN $without "
        "RETURN count(DISTINCT c.text_hash) AS kept",
        version=version,
        without=list(without),
    )
    communities = await graph.read(
        "MATCH (m:__Community__)<-[:IN_COMMUNITY*1..]-(e:__Entity__) WHERE m.size > 1 WITH m, "
        "sum(size(coalesce(e.description, []))) AS told, count(e) AS things RETURN told, things"
    )
    decided = await graph.read("MATCH (d:__Decision__ {origin: $origin}) RETURN count(d) AS count", origin=origin)
    return Sample(
        texts=texts[0]["texts"],
        kept=kept[0]["kept"] + known,
        entities=await _said(graph, "MATCH (x:__Entity__) "),
        pairs=await _said(graph, "MATCH (:__Entity__)-[x:SUMMARIZED_RELATIONSHIP]->() "),
        communities=tuple((row["told"], row["things"]) for row in communities),
        decided=decided[0]["count"],
        halves=await _halves(graph),
    )


async def _halves(graph: Graph) -> Halves | None:
    """The documents go into two halves by turns, in the order of their hashes, which says nothing of what they tell."""
    rows = await graph.read(
        "MATCH (d:__Document__)<-[:PART_OF]-(c:__Chunk__) WHERE c.extraction IS NOT NULL "
        "WITH DISTINCT d ORDER BY d.content_hash, d.id WITH collect(d) AS documents "
        "UNWIND range(0, size(documents) - 1) AS place WITH size(documents) AS count, documents[place] AS d, "
        "place % 2 AS half MATCH (d)<-[:PART_OF]-(c:__Chunk__)-[:MENTIONS]->(e:__Entity__) "
        "RETURN count, half, count(DISTINCT c.text_hash) AS texts, count(DISTINCT e) AS things"
    )
    if len(rows) < 2 or rows[0]["count"] < _FEW_DOCUMENTS:
        return None
    things = await graph.read("MATCH (e:__Entity__) WHERE EXISTS { (e)<-[:MENTIONS]-() } RETURN count(e) AS count")
    texts, told = (sum(row[name] for row in rows) for name in ("texts", "things"))
    return Halves(texts, things[0]["count"], texts / 2, told / 2)


async def _said(graph: Graph, things: LiteralString) -> tuple[Said, ...]:
    rows = await graph.read(
        things + "WHERE size(x.description) > 0 RETURN size(x.description) AS told, count(x) AS count, "
        "sum(reduce(chars = 0, one IN x.description | chars + size(one))) AS chars, "
        "sum(size(coalesce(x.summary, ''))) AS summary_chars ORDER BY told"
    )
    return tuple(Said(**row) for row in rows)


async def extracted_texts(graph: Graph, hashes: Sequence[str], *, version: str) -> set[str]:
    """Those of the text hashes that some chunk has an extraction of this version of."""
    rows = await graph.read(
        "UNWIND $hashes AS hash MATCH (c:__Chunk__ {text_hash: hash}) WHERE c.extraction = $version "
        "RETURN DISTINCT hash",
        hashes=list(hashes),
        version=version,
    )
    return {row["hash"] for row in rows}


async def stale_texts_of_others(graph: Graph, documents: Sequence[str], *, version: str) -> dict[str, int]:
    """Tokens by text hash of the texts that `stale_texts` brings of all but these documents."""
    rows = await graph.read(
        "MATCH (d:__Document__)<-[:PART_OF]-(c:__Chunk__) "
        "WHERE NOT d.id IN $documents AND " + STALE + "RETURN c.text_hash AS hash, max(c.tokens) AS tokens",
        documents=list(documents),
        version=version,
    )
    return {row["hash"]: row["tokens"] for row in rows}
