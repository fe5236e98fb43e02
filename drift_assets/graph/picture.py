"""What a picture of the graph shows: its weightiest entities, or those around one, with their communities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drift_assets.graph.candidates import NAMES, named_entities, word_indexes
from drift_assets.graph.connection import Graph
from drift_assets.names import entity_key


@dataclass(frozen=True, slots=True)
class DrawnEntity:
    """An entity of a picture.

    `weight` is the sum of all its relationships' weights. `community` is the id of its coarsest community, None when
    that holds it alone, and `report` the title of that community's report, "" while there is none.
    """

    key: str
    name: str
    type: str
    text: str
    weight: float
    community: str | None = None
    report: str = ""


@dataclass(frozen=True, slots=True)
class DrawnTie:
    """A relationship between two entities of a picture, by their keys."""

    source: str
    target: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """Entities and relationships, weightiest first, and how many of both the index holds in all."""

    entities: tuple[DrawnEntity, ...]
    ties: tuple[DrawnTie, ...]
    all_entities: int
    all_ties: int


async def weightiest(graph: Graph, *, nodes: int, ties: int) -> Drawn:
    """The entities with the weightiest relationships, and the weightiest relationships between them."""
    rows = await graph.read(
        "MATCH (e:__Entity__) OPTIONAL MATCH (e)-[r:SUMMARIZED_RELATIONSHIP]-() "
        "WITH e, sum(coalesce(r.weight, 0.0)) AS weight ORDER BY weight DESC, e.name LIMIT $nodes "
        "RETURN e.name AS name",
        nodes=nodes,
    )
    return await _drawn(graph, [row["name"] for row in rows], ties)


async def around(graph: Graph, key: str, *, nodes: int, ties: int) -> Drawn:
    """The entity with this key, those related to it and those related to these, until `nodes` are found."""
    names = [key]
    for _ in range(2):
        rows = await graph.read(
            "UNWIND $names AS name MATCH (:__Entity__ {name: name})-[r:SUMMARIZED_RELATIONSHIP]-(e:__Entity__) "
            "WHERE NOT e.name IN $names WITH e, sum(r.weight) AS weight ORDER BY weight DESC, e.name LIMIT $room "
            "RETURN e.name AS name",
            names=names,
            room=nodes - len(names),
        )
        names += [row["name"] for row in rows]
    return await _drawn(graph, names, ties)


async def find_entity(graph: Graph, name: str) -> tuple[str | None, list[str]]:
    """The key of the entity with this name or spelling, and when there is none, names that are like it."""
    key = entity_key(name)
    rows = await graph.read("MATCH (e:__Entity__ {name: $key}) RETURN e.name AS name", key=key)
    if rows:
        return rows[0]["name"], []
    words = await word_indexes(graph)
    spelled = await named_entities(graph, text=name, count=20, words=words)
    alike = [found for found in spelled if len(found.split()) == len(key.split())]
    if alike:
        return alike[0], []
    if NAMES not in words:
        return None, []
    rows = await graph.read(
        "CALL db.index.fulltext.queryNodes($index, $wanted, {limit: 20}) YIELD node, score "
        "RETURN coalesce(node.aliases[0], node.name) AS name ORDER BY score DESC, name LIMIT 5",
        index=NAMES,
        wanted=" ".join(f"{word}~" for word in key.lower().split() if word.isalnum()) or "nothing",
    )
    return None, [row["name"] for row in rows]


async def _drawn(graph: Graph, names: Sequence[str], ties: int) -> Drawn:
    entities = await graph.read(
        "UNWIND range(0, size($names) - 1) AS place MATCH (e:__Entity__ {name: $names[place]}) "
        "CALL (e) { OPTIONAL MATCH (e)-[r:SUMMARIZED_RELATIONSHIP]-() RETURN sum(coalesce(r.weight, 0.0)) AS weight } "
        "CALL (e) { OPTIONAL MATCH (e)-[:IN_COMMUNITY*1..]->(m:__Community__ {level: 0}) "
        "WHERE coalesce(m.size, 2) > 1 RETURN m ORDER BY m.id LIMIT 1 } "
        "RETURN e.name AS key, coalesce(e.aliases[0], e.name) AS name, coalesce(e.type, '') AS type, "
        "coalesce(e.summary, '') AS text, weight, m.id AS community, coalesce(m.title, '') AS report ORDER BY place",
        names=list(names),
    )
    related = await graph.read(
        "MATCH (a:__Entity__)-[r:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) WHERE a.name IN $names AND b.name IN $names "
        "RETURN a.name AS source, b.name AS target, coalesce(r.summary, '') AS text, coalesce(r.weight, 0.0) AS weight "
        "ORDER BY weight DESC, source, target LIMIT $ties",
        names=list(names),
        ties=ties,
    )
    counts = await graph.read(
        "CALL () { MATCH (e:__Entity__) RETURN count(e) AS entities } "
        "CALL () { MATCH ()-[r:SUMMARIZED_RELATIONSHIP]->() RETURN count(r) AS ties } RETURN entities, ties"
    )
    return Drawn(
        tuple(DrawnEntity(**row) for row in entities),
        tuple(DrawnTie(**row) for row in related),
        counts[0]["entities"],
        counts[0]["ties"],
    )
