"""Entities and their relationships: which chunks lack an extraction, what they say, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import LiteralString

from drift_assets.graph.chunks import clear_extraction
from drift_assets.graph.connection import Graph, Transaction
from drift_assets.graph.failures import Failure

_NAMES_PAGE = 500


@dataclass(frozen=True, slots=True)
class StaleText:
    """A distinct chunk text without an extraction of the wanted version; it may stand in several chunks."""

    text_hash: str
    text: str


@dataclass(frozen=True, slots=True)
class MentionRow:
    """What one chunk says of one entity: `name` is the key, `spelling` the name as written, `type` maybe empty."""

    name: str
    spelling: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A statement about two entities (keys), in the direction stated."""

    source: str
    target: str
    description: str
    strength: float


@dataclass(frozen=True, slots=True)
class ExtractionRow:
    """All that the chunks with this text say."""

    text_hash: str
    origin: str
    mentions: tuple[MentionRow, ...]
    statements: tuple[StatementRow, ...]


@dataclass(frozen=True, slots=True)
class StoredMention:
    """A mention of an entity, with the hash of the chunk's text as its place in any order, and who extracted it."""

    name: str
    text_hash: str
    spelling: str
    type: str
    description: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """A relationship with its chunk's text hash, and who extracted it."""

    source: str
    target: str
    text_hash: str
    description: str
    strength: float
    origin: str = ""


@dataclass(frozen=True, slots=True)
class EntityRow:
    """What an entity's mentions amount to; `type` is a label of the allow-list or None, `origin` who extracted them."""

    name: str
    aliases: tuple[str, ...]
    type: str | None
    description: tuple[str, ...]
    description_hash: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class PairRow:
    """What the statements about a pair amount to; `source` is the lesser name, `weight` the sum of strengths."""

    id: str
    source: str
    target: str
    description: tuple[str, ...]
    description_hash: str
    weight: float
    origin: str = ""


# A chunk without an extraction of this version, unless that has failed for good or was set aside.
STALE: LiteralString = (
    "coalesce(c.extraction, '') <> $version AND coalesce(c.failed_for, '') <> $version AND c.skipped IS NULL "
)


async def count_stale_texts(graph: Graph, *, version: str) -> int:
    """How many distinct texts `stale_texts` brings in all."""
    rows = await graph.read(
        "MATCH (c:__Chunk__) WHERE " + STALE + "RETURN count(DISTINCT c.text_hash) AS count",
        version=version,
    )
    return int(rows[0]["count"])


async def stale_texts(graph: Graph, *, version: str, after: str, limit: int) -> list[StaleText]:
    """Texts without an extraction of this version, in the order of their hashes, after the hash `after`."""
    rows = await graph.read(
        "MATCH (c:__Chunk__) WHERE c.text_hash > $after AND "
        + STALE
        + "WITH c.text_hash AS text_hash, c.text AS text ORDER BY text_hash LIMIT $limit "
        "RETURN DISTINCT text_hash, text ORDER BY text_hash",
        after=after,
        version=version,
        limit=limit,
    )
    return [StaleText(**row) for row in rows]


async def write_extractions(graph: Graph, rows: Sequence[ExtractionRow], *, version: str) -> None:
    """Each chunk with one of these texts says exactly what its row says; the entities concerned are touched."""
    by_hash = {row.text_hash: row for row in rows}

    async def work(transaction: Transaction) -> None:
        chunks = await transaction.run(
            "MATCH (c:__Chunk__) WHERE c.text_hash IN $hashes AND coalesce(c.extraction, '') <> $version "
            "RETURN c.id AS id, c.text_hash AS text_hash ORDER BY id",
            hashes=sorted(by_hash),
            version=version,
        )
        said = [(chunk["id"], by_hash[chunk["text_hash"]]) for chunk in chunks]
        # Asked first: a name may be known from nothing but what is cleared.
        standing = await _standing(transaction, {m.name for _, row in said for m in row.mentions})
        await clear_extraction(transaction, [chunk["id"] for chunk in chunks])
        mentions = [
            {**asdict(m), "entity": standing.get(m.name, m.name), "own": m.name not in standing, "chunk": chunk}
            for chunk, row in said
            for m in row.mentions
        ]
        statements = [
            {
                **asdict(s),
                "from": standing.get(s.source, s.source),
                "to": standing.get(s.target, s.target),
                "own_source": s.source not in standing,
                "own_target": s.target not in standing,
                "chunk": chunk,
            }
            for chunk, row in said
            for s in row.statements
        ]
        await transaction.run(
            "UNWIND $rows AS row MERGE (e:__Entity__ {name: row.entity}) SET e.touched = true "
            "WITH e, row MATCH (c:__Chunk__ {id: row.chunk}) "
            "CREATE (c)-[m:MENTIONS {description: row.description, spelling: row.spelling, type: row.type}]->(e) "
            "SET m.name = CASE WHEN row.own THEN null ELSE row.name END",
            rows=sorted(mentions, key=lambda row: (row["entity"], row["chunk"], row["name"])),
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (a:__Entity__ {name: row.from}), (b:__Entity__ {name: row.to}) "
            "CREATE (a)-[r:RELATIONSHIP {chunk_id: row.chunk}]->(b) "
            "SET r.description = row.description, r.strength = row.strength, "
            "r.source = CASE WHEN row.own_source THEN null ELSE row.source END, "
            "r.target = CASE WHEN row.own_target THEN null ELSE row.target END",
            rows=sorted(statements, key=lambda row: (row["from"], row["to"], row["chunk"])),
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (c:__Chunk__ {id: row.id}) "
            "SET c.extraction = $version, c.origin = row.origin REMOVE c.failure, c.failed_for, c.skipped",
            rows=[{"id": chunk, "origin": row.origin} for chunk, row in said],
            version=version,
        )

    await graph.write_together(work)


async def _standing(transaction: Transaction, names: set[str]) -> dict[str, str]:
    """The entity of another name that each of these names stands at, where it is merged."""
    rows = await transaction.run(
        "UNWIND $names AS name CALL (name) { MATCH ()-[m:MENTIONS {name: name}]->(e:__Entity__) "
        "RETURN e.name AS entity LIMIT 1 } RETURN name, entity",
        names=sorted(names),
    )
    return {row["name"]: row["entity"] for row in rows}


async def write_failed_extractions(graph: Graph, failures: dict[str, Failure], *, version: str) -> None:
    """The failure stands on every chunk with these texts (by their hash)."""
    await graph.write(
        "UNWIND $rows AS row MATCH (c:__Chunk__ {text_hash: row.text_hash}) "
        "SET c.failure = row.reason, c.failed_for = CASE WHEN row.lasting THEN $version END",
        rows=[{"text_hash": key, **asdict(failure)} for key, failure in sorted(failures.items())],
        version=version,
    )


async def drop_old_failures(graph: Graph, *, version: str) -> None:
    """Chunks with an extraction of this version have not failed, whatever another version did."""
    await graph.write(
        "MATCH (c:__Chunk__) WHERE c.failure IS NOT NULL AND c.extraction = $version "
        "REMOVE c.failure, c.failed_for, c.skipped",
        version=version,
    )


async def touched_entities(graph: Graph) -> list[str]:
    """Up to 500 names of entities whose mentions or relationships changed since they were last described."""
    rows = await graph.read(
        "MATCH (e:__Entity__ {touched: true}) RETURN e.name AS name ORDER BY name LIMIT $limit", limit=_NAMES_PAGE
    )
    return [row["name"] for row in rows]


async def count_touched(graph: Graph) -> int:
    """How many entities are to be described anew, or are gone with what mentioned them."""
    rows = await graph.read("MATCH (e:__Entity__ {touched: true}) RETURN count(e) AS count")
    return int(rows[0]["count"])


async def mentions_of(graph: Graph, names: Sequence[str]) -> list[StoredMention]:
    """All mentions of the named entities, ordered by name, then by the text that holds them."""
    rows = await graph.read(
        "UNWIND $names AS name MATCH (c:__Chunk__)-[m:MENTIONS]->(:__Entity__ {name: name}) "
        "RETURN name, c.text_hash AS text_hash, m.spelling AS spelling, m.type AS type, m.description AS description, "
        "coalesce(c.origin, '') AS origin "
        "ORDER BY name, text_hash, description, spelling",
        names=list(names),
    )
    return [StoredMention(**row) for row in rows]


async def statements_of(graph: Graph, names: Sequence[str]) -> list[StoredStatement]:
    """All relationships of one of the named entities with another, ordered by pair, then by text."""
    rows = await graph.read(
        "UNWIND $names AS name MATCH (e:__Entity__ {name: name})-[r:RELATIONSHIP]-(other) WHERE e <> other "
        "WITH DISTINCT r MATCH (c:__Chunk__ {id: r.chunk_id}) "
        "RETURN startNode(r).name AS source, endNode(r).name AS target, c.text_hash AS text_hash, "
        "r.description AS description, r.strength AS strength, coalesce(c.origin, '') AS origin "
        "ORDER BY source, target, text_hash, description, strength",
        names=list(names),
    )
    return [StoredStatement(**row) for row in rows]


async def write_described(
    graph: Graph, names: Sequence[str], entities: Sequence[EntityRow], pairs: Sequence[PairRow]
) -> int:
    """The touched entities `names` are as described, or gone when not in `entities`; returns how many are gone.

    `pairs` are all pairs with an end among `names`; pairs without statements are gone. Reports above are stale. Where
    an entity or the weight of a pair is another than before, the clustering is to be made anew, and the entities
    concerned are marked as `relinked`.
    """

    async def work(transaction: Transaction) -> int:
        await transaction.run(
            "UNWIND $names AS name MATCH (:__Entity__ {name: name})-[:IN_COMMUNITY*1..]->(m:__Community__) "
            "SET m.stale = true",
            names=list(names),
        )
        relinked = await _write_pairs(transaction, names, pairs)
        await _write_entities(transaction, entities)
        gone = sorted(set(names) - {entity.name for entity in entities})
        await transaction.run("MATCH (e:__Entity__) WHERE e.name IN $gone DETACH DELETE e", gone=gone)
        unplaced = await transaction.run(
            "UNWIND $names AS name MATCH (e:__Entity__ {name: name}) WHERE NOT (e)-[:IN_COMMUNITY]->() "
            "RETURN count(e) AS count",
            names=list(names),
        )
        if relinked or gone or unplaced[0]["count"]:
            await transaction.run("MATCH (i:__Index__ {id: 'drift'}) REMOVE i.clustering")
        return len(gone)

    return await graph.write_together(work)


async def _write_pairs(transaction: Transaction, names: Sequence[str], pairs: Sequence[PairRow]) -> int:
    """The pairs are as described; returns how many came, went or changed their weight."""
    dropped = await transaction.run(
        "UNWIND $names AS name MATCH (e:__Entity__ {name: name})-[p:SUMMARIZED_RELATIONSHIP]-(other) "
        "WHERE NOT p.id IN $ids SET e.relinked = true, other.relinked = true "
        "WITH DISTINCT p DELETE p RETURN count(*) AS count",
        names=list(names),
        ids=[pair.id for pair in pairs],
    )
    changed = await transaction.run(
        "UNWIND $rows AS row MATCH (a:__Entity__ {name: row.source}), (b:__Entity__ {name: row.target}) "
        "MERGE (a)-[p:SUMMARIZED_RELATIONSHIP {id: row.id}]->(b) "
        "WITH a, b, p, row, CASE WHEN p.weight = row.weight THEN [] ELSE [1] END AS changed "
        "FOREACH (_ IN changed | SET a.relinked = true, b.relinked = true) "
        "SET p.weight = row.weight, p.description = row.description, p.description_hash = row.description_hash, "
        "p.described_by = row.origin "
        "RETURN sum(size(changed)) AS count",
        rows=[asdict(pair) for pair in pairs],
    )
    return int(dropped[0]["count"]) + int(changed[0]["count"])


async def _write_entities(transaction: Transaction, entities: Sequence[EntityRow]) -> None:
    await transaction.run(
        "UNWIND $rows AS row MATCH (e:__Entity__ {name: row.name}) WHERE e.type IS NOT NULL "
        "AND e.type <> coalesce(row.type, '') REMOVE e:$(e.type)",
        rows=[asdict(entity) for entity in entities],
    )
    await transaction.run(
        "UNWIND $rows AS row MATCH (e:__Entity__ {name: row.name}) "
        "FOREACH (_ IN CASE WHEN head(e.aliases) = head(row.aliases) THEN [] ELSE [1] END | REMOVE e.embedded) "
        "SET e.aliases = row.aliases, e.type = row.type, e.description = row.description, "
        "e.description_hash = row.description_hash, e.described_by = row.origin, "
        "e:$(CASE WHEN row.type IS NULL THEN [] ELSE [row.type] END) "
        "REMOVE e.touched",
        rows=[asdict(entity) for entity in entities],
    )


@dataclass(frozen=True, slots=True)
class ExtractionCounts:
    """What is extracted: distinct texts, entities, statements, and chunks without an entity."""

    texts: int
    entities: int
    statements: int
    empty: int


async def extraction_counts(graph: Graph, *, version: str) -> ExtractionCounts:
    """What the extractions of this version amount to."""
    rows = await graph.read(
        "CALL () { MATCH (c:__Chunk__ {extraction: $version}) RETURN count(DISTINCT c.text_hash) AS texts, "
        "sum(CASE WHEN EXISTS { (c)-[:MENTIONS]->() } THEN 0 ELSE 1 END) AS empty } "
        "RETURN texts, COUNT { (:__Entity__) } AS entities, COUNT { (:__Entity__)-[:RELATIONSHIP]->() } AS statements, "
        "empty",
        version=version,
    )
    return ExtractionCounts(**rows[0])


async def entity_sample(graph: Graph, limit: int) -> list[dict[str, str | int | None]]:
    """The entities with the most mentions: name as shown, type, mentions and the first description."""
    return await graph.read(
        "MATCH (e:__Entity__) WITH e, COUNT { (e)<-[:MENTIONS]-() } AS mentions "
        "ORDER BY mentions DESC, e.name LIMIT $limit "
        "RETURN e.aliases[0] AS name, e.type AS type, mentions, "
        "left(coalesce(e.description[0], ''), 160) AS description",
        limit=limit,
    )
