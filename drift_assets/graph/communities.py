"""Communities: the graph that is clustered, and memberships swapped in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drift_assets.clustering import Community
from drift_assets.graph.connection import Graph, Transaction

_PAGE = 20_000


@dataclass(frozen=True, slots=True)
class WeightedGraph:
    """All entity names, and each pair once (lesser name first) with its weight; both sorted."""

    names: list[str]
    edges: list[tuple[str, str, float]]


@dataclass(frozen=True, slots=True)
class Swapped:
    """How many communities are new, kept and deleted."""

    new: int
    kept: int
    deleted: int


async def is_clustered(graph: Graph, *, version: str) -> bool:
    """Whether the memberships fit the entities and pairs as they are, under these settings."""
    rows = await graph.read("MATCH (i:__Index__ {id: 'drift'}) RETURN i.clustering AS clustering")
    return bool(rows) and rows[0]["clustering"] == version


@dataclass(frozen=True, slots=True)
class Placed:
    """How entities are grouped: ids of their communities from level 0 to the leaf, and those with other ties since.

    `version` is that of the clustering that placed them, None when there was none.
    """

    version: str | None
    chains: dict[str, tuple[str, ...]]
    relinked: set[str]


async def placed_entities(graph: Graph) -> Placed:
    """The groups of the last clustering, without the entities that are gone."""
    rows = await graph.read("MATCH (i:__Index__ {id: 'drift'}) RETURN i.clustered AS version")
    parents = {
        row["id"]: row["parent"]
        for row in await graph.read(
            "MATCH (m:__Community__) OPTIONAL MATCH (m)-[:IN_COMMUNITY]->(p:__Community__) "
            "RETURN m.id AS id, p.id AS parent"
        )
    }
    chains: dict[str, tuple[str, ...]] = {}
    relinked: set[str] = set()
    after = ""
    while page := await graph.read(
        "MATCH (e:__Entity__) WHERE e.name > $after WITH e ORDER BY e.name LIMIT $limit "
        "OPTIONAL MATCH (e)-[:IN_COMMUNITY]->(m:__Community__) "
        "RETURN e.name AS name, m.id AS leaf, coalesce(e.relinked, false) AS relinked ORDER BY name",
        after=after,
        limit=_PAGE,
    ):
        after = page[-1]["name"]
        for row in page:
            if row["leaf"] is not None:
                chains[row["name"]] = _chain(row["leaf"], parents)
            if row["relinked"]:
                relinked.add(row["name"])
    return Placed(rows[0]["version"] if rows else None, chains, relinked)


def _chain(leaf: str, parents: dict[str, str | None]) -> tuple[str, ...]:
    chain, above = [leaf], parents[leaf]
    while above is not None:
        chain.append(above)
        above = parents[above]
    return tuple(reversed(chain))


async def weighted_graph(graph: Graph) -> WeightedGraph:
    """The graph to be clustered."""
    names: list[str] = []
    while rows := await graph.read(
        "MATCH (e:__Entity__) WHERE e.name > $after RETURN e.name AS name ORDER BY name LIMIT $limit",
        after=names[-1] if names else "",
        limit=_PAGE,
    ):
        names += [row["name"] for row in rows]
    edges: list[tuple[str, str, float]] = []
    for start in range(0, len(names), _PAGE):
        page = names[start : start + _PAGE]
        rows = await graph.read(
            "MATCH (a:__Entity__)-[p:SUMMARIZED_RELATIONSHIP]->(b:__Entity__) "
            "WHERE a.name >= $first AND a.name <= $last "
            "RETURN a.name AS source, b.name AS target, p.weight AS weight ORDER BY source, target",
            first=page[0],
            last=page[-1],
        )
        edges += [(row["source"], row["target"], row["weight"]) for row in rows]
    return WeightedGraph(names, edges)


async def swap_communities(
    graph: Graph, communities: Sequence[Community], *, version: str, setting: str = "exact"
) -> Swapped:
    """The memberships are exactly `communities`, changed in one transaction, so that a search never sees half of it.

    A community that existed before keeps its report; the others go with theirs. `__Index__` says by which `version`
    and setting of the clustering.
    """
    parents = {community.parent for community in communities if community.parent}
    members: dict[str, str] = {}
    for community in sorted(communities, key=lambda c: c.level):
        members.update(dict.fromkeys(community.members, community.id))

    async def work(transaction: Transaction) -> Swapped:
        known = await transaction.run("MATCH (m:__Community__) RETURN collect(m.id) AS ids")
        before, after = set(known[0]["ids"]), {community.id for community in communities}
        gone = sorted(before - after)
        # A report may have been made from children that are gone now.
        await transaction.run(
            "MATCH (m:__Community__)-[:IN_COMMUNITY]->(parent) WHERE m.id IN $gone SET parent.stale = true", gone=gone
        )
        await transaction.run("MATCH (m:__Community__) WHERE m.id IN $gone DETACH DELETE m", gone=gone)
        await transaction.run(
            "UNWIND $rows AS row MERGE (m:__Community__ {id: row.id}) ON CREATE SET m.stale = true "
            "SET m.level = row.level, m.size = row.size, m.leaf = row.leaf",
            rows=[
                {"id": c.id, "level": c.level, "size": len(c.members), "leaf": c.id not in parents} for c in communities
            ],
        )
        await transaction.run("MATCH (:__Entity__)-[old:IN_COMMUNITY]->(:__Community__) DELETE old")
        await transaction.run("MATCH (:__Community__)-[old:IN_COMMUNITY]->(:__Community__) DELETE old")
        await transaction.run(
            "UNWIND $rows AS row MATCH (e:__Entity__ {name: row.name}), (m:__Community__ {id: row.id}) "
            "CREATE (e)-[:IN_COMMUNITY]->(m)",
            rows=[{"name": name, "id": id_} for name, id_ in sorted(members.items())],
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (c:__Community__ {id: row.id}), (p:__Community__ {id: row.parent}) "
            "CREATE (c)-[:IN_COMMUNITY]->(p)",
            rows=[{"id": c.id, "parent": c.parent} for c in communities if c.parent],
        )
        await transaction.run("MATCH (e:__Entity__) WHERE e.relinked REMOVE e.relinked")
        await transaction.run(
            "MATCH (i:__Index__ {id: 'drift'}) "
            "SET i.clustering = $version, i.clustered = $version, i.clustering_setting = $setting",
            version=version,
            setting=setting,
        )
        return Swapped(new=len(after - before), kept=len(after & before), deleted=len(before - after))

    return await graph.write_together(work)


async def count_communities(graph: Graph) -> int:
    """How many communities there are."""
    rows = await graph.read("MATCH (m:__Community__) RETURN count(m) AS count")
    return int(rows[0]["count"])


async def community_levels(graph: Graph) -> list[dict[str, int]]:
    """Communities and the largest of them by level, coarsest first; single entities are left out."""
    return await graph.read(
        "MATCH (m:__Community__) WHERE m.size > 1 "
        "RETURN m.level AS level, count(m) AS communities, max(m.size) AS largest ORDER BY level"
    )
