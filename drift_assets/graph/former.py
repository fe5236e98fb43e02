"""The communities that searches read while an index run makes others.

Before a run changes the communities of a finished index or their reports, it copies them as they are: as
`__FormerCommunity__`, with IN_FORMER_COMMUNITY in place of IN_COMMUNITY and a vector index of their own. `__Index__`
counts in `generation` the finished states of communities; `former` is that of the copy. A search reads one
generation from its beginning to its end, whichever of the two holds it (`View`). When the run has finished reports and
vectors, the copy goes, unless a search still reads it; then the next run removes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, LiteralString

from drift_assets.graph.connection import Graph, Row, Through, Transaction

INDEX = "former_community"
# A search that has been running for longer was given up by whoever asked.
_LONGEST_SEARCH_SECONDS = 3600
_COMMUNITY = "__Community__"
_RUNNING: LiteralString = (
    "EXISTS { MATCH (s:__Search__) WHERE s.status = 'running' AND s.generation IS NOT NULL "
    "AND s.created * 1000 > timestamp() - $longest * 1000 } "
)
_REMOVE: LiteralString = "MATCH (f:__FormerCommunity__) DETACH DELETE f"


@dataclass(frozen=True, slots=True)
class Switch:
    """The vectors that searches use from now on."""

    model: str
    dimensions: int
    suffix: str


@dataclass(frozen=True, slots=True)
class State:
    """The finished generation of communities, and that of the copy, if there is one."""

    generation: int
    former: int | None


async def hold(graph: Graph) -> None:
    """What is changed from now on is read by no search before `finish`; nothing where no search could read yet."""
    rows = await graph.read(
        "MATCH (i:__Index__ {id: 'drift'}) WHERE i.embedding_model IS NOT NULL AND i.dimensions IS NOT NULL "
        "AND (i.former IS NULL OR i.former <> coalesce(i.generation, 0)) "
        "RETURN i.dimensions AS dimensions, coalesce(i.vectors, '') AS suffix"
    )
    if rows:
        await _ensure_index(graph, rows[0]["dimensions"], rows[0]["suffix"])
        await graph.write_together(_copy)


async def _ensure_index(graph: Graph, dimensions: int, suffix: str) -> None:
    name = f"{INDEX}{'_2' if suffix == '_2' else ''}"
    rows = await graph.read(
        "SHOW VECTOR INDEXES YIELD name, options WHERE name = $name "
        "RETURN options.indexConfig['vector.dimensions'] AS dimensions",
        name=name,
    )
    if rows and rows[0]["dimensions"] != dimensions:
        await graph.write(f"DROP INDEX {name} IF EXISTS")
        rows = []
    if not rows:
        await graph.write(_REMOVE)
        await graph.write(
            f"CREATE VECTOR INDEX {name} IF NOT EXISTS FOR (n:__FormerCommunity__) "
            f"ON (n.embedding{'_2' if suffix == '_2' else ''}) OPTIONS {{indexConfig: {{`vector.dimensions`: "
            f"{int(dimensions)}, `vector.similarity_function`: 'cosine'}}}}"
        )
        await graph.write("CALL db.awaitIndex($name, 300)", name=name)


async def _copy(transaction: Transaction) -> None:
    await transaction.run(_REMOVE)
    await transaction.run("MATCH (m:__Community__) CREATE (f:__FormerCommunity__) SET f = properties(m)")
    await transaction.run(
        "MATCH (e:__Entity__)-[:IN_COMMUNITY]->(m:__Community__) MATCH (f:__FormerCommunity__ {id: m.id}) "
        "CREATE (e)-[:IN_FORMER_COMMUNITY]->(f)"
    )
    await transaction.run(
        "MATCH (m:__Community__)-[:IN_COMMUNITY]->(p:__Community__) MATCH (f:__FormerCommunity__ {id: m.id}) "
        "MATCH (g:__FormerCommunity__ {id: p.id}) CREATE (f)-[:IN_FORMER_COMMUNITY]->(g)"
    )
    await transaction.run(
        "MATCH (i:__Index__ {id: 'drift'}) "
        "SET i.generation = coalesce(i.generation, 0), i.former = coalesce(i.generation, 0)"
    )


async def is_whole(graph: Graph, *, model: str, min_rating: float) -> bool:
    """Whether every community has its report and the vector by `model` that its rating calls for.

    What failed, in whatever way, or is set aside is not waited for.
    """
    rows = await graph.read(
        "RETURN NOT EXISTS { MATCH (m:__Community__) WHERE m.size > 1 AND m.skipped IS NULL AND m.failure IS NULL "
        "AND (m.title IS NULL OR m.stale) } "
        "AND NOT EXISTS { MATCH (m:__Community__) WHERE m.size > 1 AND m.title IS NOT NULL AND m.rating > $min_rating "
        "AND coalesce(m.embedded, '') <> $model AND m.embed_failure IS NULL AND m.embed_skipped IS NULL } AS whole",
        model=model,
        min_rating=min_rating,
    )
    return bool(rows[0]["whole"])


async def finish(graph: Graph, switch: Switch | None) -> bool:
    """New searches read the communities as they are now, and with `switch` by these vectors.

    Returns whether nobody reads what was before; the copy is gone then.
    """

    async def work(transaction: Transaction) -> bool:
        if switch is not None:
            await transaction.run(
                "MATCH (i:__Index__ {id: 'drift'}) "
                "SET i.embedding_model = $model, i.dimensions = $dimensions, i.vectors = $suffix",
                model=switch.model,
                dimensions=switch.dimensions,
                suffix=switch.suffix,
            )
        await transaction.run(
            "MATCH (i:__Index__ {id: 'drift'}) WHERE i.generation IS NULL OR i.former = i.generation "
            "SET i.generation = coalesce(i.generation, 0) + 1"
        )
        rows = await transaction.run("RETURN " + _RUNNING + "AS running", longest=_LONGEST_SEARCH_SECONDS)
        if not rows[0]["running"]:
            await transaction.run(_REMOVE)
            await transaction.run("MATCH (i:__Index__ {id: 'drift'}) WHERE i.former IS NOT NULL REMOVE i.former")
        return not rows[0]["running"]

    return await graph.write_together(work)


async def begin_reading(graph: Graph, search_id: str) -> str | None:
    """The search keeps to the communities and vectors that are finished now; returns the embedding of these vectors."""
    rows = await graph.write(
        "MATCH (i:__Index__ {id: 'drift'}) MATCH (s:__Search__ {id: $id}) "
        "SET s.generation = coalesce(i.generation, 0), s.vectors = coalesce(i.vectors, '') "
        "RETURN i.embedding_model AS embedding",
        id=search_id,
    )
    return rows[0]["embedding"] if rows else None


class View(Through):
    """An open database in which every query reads the communities of one generation.

    A generation that is gone (two index runs have changed communities since) gives way to the finished one.
    """

    def __init__(self, graph: Graph, generation: int) -> None:
        super().__init__(graph)
        self.generation = generation
        self._seen: State | None = None

    async def read(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """Rows of a query, which is sent again when communities began to change under it."""
        if _COMMUNITY not in query and "'community" not in query:
            return await self._graph.read(query, **parameters)
        state = self._seen or await self.read_state()
        while True:
            gone = self.generation not in (state.generation, state.former)
            former = state.former == (state.generation if gone else self.generation)
            rows = await self._graph.read(_of_former(query) if former else query, **parameters)
            now = await self.read_state()
            if now == state:
                self._seen = now
                return rows
            state = now

    async def read_state(self) -> State:
        """Which generations there are at this moment."""
        rows = await self._graph.read(
            "MATCH (i:__Index__ {id: 'drift'}) RETURN coalesce(i.generation, 0) AS generation, i.former AS former"
        )
        return State(**rows[0]) if rows else State(self.generation, None)


def _of_former(query: LiteralString) -> LiteralString:
    return (
        query.replace("__Community__", "__FormerCommunity__")
        .replace("IN_COMMUNITY", "IN_FORMER_COMMUNITY")
        .replace("'community", "'former_community")
        .replace("`community", "`former_community")
    )
