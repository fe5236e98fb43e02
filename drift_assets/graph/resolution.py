"""Names and the entities that they stand at: what is known of each name, decisions on pairs, and moves.

A MENTIONS or RELATIONSHIP says which name it was extracted under where that is not the entity's own: MENTIONS.name,
RELATIONSHIP.source and .target. So all that a name brought to an entity can be taken from it again. All that one name
brought stands at one entity.

A `__Decision__` says of two names (`first`, the lesser, and `second`) whether they are of one thing, why, and who says
so; `key` is that of all that the decision was made from. One with `told` is the user's own. A `__Name__` keeps the
vector of a name, by which near names are found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from drift_assets.fingerprint import fingerprint
from drift_assets.graph.connection import Graph, Row, Transaction
from drift_assets.graph.failures import Failure

_PAGE = 2_000
_DESCRIPTIONS, _LENGTH = 2, 300


@dataclass(frozen=True, slots=True)
class StoredName:
    """A name, the entity that it stands at, and how many chunks mention it."""

    name: str
    entity: str
    mentions: int


@dataclass(frozen=True, slots=True)
class KnownName:
    """What is shown of a name to whoever decides: chosen by text hash, so that other texts change it seldom."""

    name: str
    spelling: str
    types: tuple[str, ...]
    descriptions: tuple[str, ...]
    documents: frozenset[str]


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision as it is stored."""

    first: str
    second: str
    same: bool
    reason: str
    origin: str
    key: str


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A decision that stands, or one that failed (`failed_for` is then its key when it failed for good)."""

    first: str
    second: str
    same: bool | None
    reason: str
    origin: str
    key: str
    told: bool
    failed_for: str
    skipped: bool


@dataclass(frozen=True, slots=True)
class Move:
    """A name that is to stand at another entity."""

    name: str
    source: str
    target: str


def decision_id(first: str, second: str, *, told: bool) -> str:
    """The id of the decision on two names."""
    return fingerprint("told" if told else "decision", *sorted((first, second)))


async def is_resolved(graph: Graph, *, version: str) -> bool:
    """Whether names stand where this version puts them: no name came or went since, and no decision is to be tried.

    Vectors of names that turn out to be of another dimension than all others count as never made.
    """
    rows = await graph.read(
        "MATCH (i:__Index__ {id: 'drift'}) RETURN i.resolved = $version "
        "AND NOT EXISTS { MATCH (e:__Entity__ {touched: true}) } "
        "AND NOT EXISTS { MATCH (d:__Decision__|__Name__) WHERE d.failure IS NOT NULL AND d.failed_for IS NULL "
        "AND d.skipped IS NULL } "
        "AND NOT EXISTS { MATCH (n:__Name__ {model: i.embedding_model}) WHERE size(n.vector) <> i.dimensions } AS done",
        version=version,
    )
    return bool(rows) and bool(rows[0]["done"])


async def set_resolved(graph: Graph, *, version: str) -> None:
    """Names stand where this version puts them."""
    await graph.write("MATCH (i:__Index__ {id: 'drift'}) SET i.resolved = $version", version=version)


async def stored_names(graph: Graph) -> list[StoredName]:
    """All names, by name."""
    found: list[StoredName] = []
    after = ""
    while page := await graph.read(
        "MATCH (e:__Entity__) WHERE e.name > $after WITH e ORDER BY e.name LIMIT $limit "
        "CALL (e) { MATCH (e)<-[m:MENTIONS]-() WITH coalesce(m.name, e.name) AS name, count(*) AS mentions "
        "RETURN collect([name, mentions]) AS names } "
        "RETURN e.name AS entity, names ORDER BY entity",
        after=after,
        limit=_PAGE,
    ):
        after = page[-1]["entity"]
        found += [StoredName(name, row["entity"], mentions) for row in page for name, mentions in row["names"]]
    return sorted(found, key=lambda one: one.name)


async def known_names(graph: Graph, names: Sequence[StoredName]) -> dict[str, KnownName]:
    """What is known of these names, by name."""
    found = {}
    for start in range(0, len(names), _PAGE):
        for row in await graph.read(
            "UNWIND $rows AS row MATCH (c:__Chunk__)-[m:MENTIONS]->(:__Entity__ {name: row.entity}) "
            "WHERE coalesce(m.name, row.entity) = row.name "
            "OPTIONAL MATCH (c)-[:PART_OF]->(d:__Document__) "
            "WITH row, c, m, d ORDER BY c.text_hash, m.description, m.spelling "
            "WITH row.name AS name, collect(m.spelling)[0] AS spelling, collect(m.type) AS types, "
            "collect(DISTINCT m.description) AS descriptions, collect(DISTINCT d.id) AS documents "
            "RETURN name, spelling, types, documents, "
            "[text IN descriptions WHERE text <> '' | left(text, $length)][..$count] AS descriptions ORDER BY name",
            rows=[asdict(one) for one in names[start : start + _PAGE]],
            count=_DESCRIPTIONS,
            length=_LENGTH,
        ):
            found[row["name"]] = KnownName(
                row["name"],
                row["spelling"] or row["name"],
                tuple(row["types"]),
                tuple(row["descriptions"]),
                frozenset(row["documents"]),
            )
    return found


async def decisions(graph: Graph) -> list[StoredDecision]:
    """All decisions, by their names."""
    rows = await graph.read(
        "MATCH (d:__Decision__) RETURN d.first AS first, d.second AS second, d.same AS same, "
        "coalesce(d.reason, '') AS reason, coalesce(d.origin, '') AS origin, coalesce(d.key, '') AS key, "
        "coalesce(d.told, false) AS told, coalesce(d.failed_for, '') AS failed_for, "
        "d.skipped IS NOT NULL AS skipped ORDER BY first, second, told"
    )
    return [StoredDecision(**row) for row in rows]


async def write_decisions(graph: Graph, rows: Sequence[DecisionRow], failed: Mapping[DecisionRow, Failure]) -> None:
    """The decisions stand; of the failed ones, whose decision is void, stands why."""

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "UNWIND $rows AS row MERGE (d:__Decision__ {id: row.id}) "
            "SET d.first = row.first, d.second = row.second, d.same = row.same, d.reason = row.reason, "
            "d.origin = row.origin, d.key = row.key REMOVE d.failure, d.failed_for, d.skipped",
            rows=[_row(row) for row in rows],
        )
        await transaction.run(
            "UNWIND $rows AS row MERGE (d:__Decision__ {id: row.id}) "
            "SET d.first = row.first, d.second = row.second, d.failure = row.failure, "
            "d.failed_for = CASE WHEN row.lasting THEN row.key END REMOVE d.same, d.reason, d.origin, d.key",
            rows=[
                {**_row(row), "failure": failure.reason, "lasting": failure.lasting} for row, failure in failed.items()
            ],
        )

    await graph.write_together(work)


def _row(row: DecisionRow) -> Row:
    return {**asdict(row), "id": decision_id(row.first, row.second, told=False)}


async def keep_decisions(graph: Graph, pairs: Sequence[tuple[str, str]]) -> None:
    """Decisions on other pairs than these are gone, but for the user's own."""
    wanted = {decision_id(first, second, told=False) for first, second in pairs}
    rows = await graph.read("MATCH (d:__Decision__) WHERE d.told IS NULL RETURN d.id AS id ORDER BY id")
    gone = [row["id"] for row in rows if row["id"] not in wanted]
    if gone:
        await graph.write("MATCH (d:__Decision__) WHERE d.id IN $ids DELETE d", ids=gone)


async def tell(graph: Graph, *, same: bool, pairs: Sequence[tuple[str, str]]) -> None:
    """The user says of each of these pairs of names whether they are of one thing; the next run carries it out."""
    rows = []
    for pair in pairs:
        first, second = sorted(pair)
        rows.append({"id": decision_id(first, second, told=True), "first": first, "second": second, "same": same})

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "UNWIND $rows AS row MERGE (d:__Decision__ {id: row.id}) "
            "SET d.first = row.first, d.second = row.second, d.same = row.same, d.told = true, d.origin = 'user'",
            rows=rows,
        )
        told = await transaction.run(
            "MATCH (d:__Decision__ {told: true}) RETURN d.first AS first, d.second AS second, d.same AS same "
            "ORDER BY first, second"
        )
        await transaction.run(
            "MATCH (i:__Index__ {id: 'drift'}) SET i.told = $told REMOVE i.resolved",
            told=fingerprint("told", [list(row.values()) for row in told]),
        )

    await graph.write_together(work)


async def move_names(graph: Graph, moves: Sequence[Move]) -> None:
    """All that these names brought stands at their targets; the entities concerned are touched."""
    rows = [asdict(move) for move in moves]

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "UNWIND $rows AS row MERGE (t:__Entity__ {name: row.target}) SET t.touched = true "
            "WITH row MATCH (s:__Entity__ {name: row.source}) SET s.touched = true",
            rows=rows,
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (c:__Chunk__)-[m:MENTIONS]->(:__Entity__ {name: row.source}) "
            "WHERE coalesce(m.name, row.source) = row.name MATCH (t:__Entity__ {name: row.target}) "
            "CREATE (c)-[n:MENTIONS]->(t) SET n = properties(m), "
            "n.name = CASE WHEN row.name = row.target THEN null ELSE row.name END DELETE m",
            rows=rows,
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (:__Entity__ {name: row.source})-[r:RELATIONSHIP]->(other:__Entity__) "
            "WHERE coalesce(r.source, row.source) = row.name MATCH (t:__Entity__ {name: row.target}) "
            "CREATE (t)-[n:RELATIONSHIP]->(other) SET n = properties(r), "
            "n.source = CASE WHEN row.name = row.target THEN null ELSE row.name END, other.touched = true DELETE r",
            rows=rows,
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (other:__Entity__)-[r:RELATIONSHIP]->(:__Entity__ {name: row.source}) "
            "WHERE coalesce(r.target, row.source) = row.name MATCH (t:__Entity__ {name: row.target}) "
            "CREATE (other)-[n:RELATIONSHIP]->(t) SET n = properties(r), "
            "n.target = CASE WHEN row.name = row.target THEN null ELSE row.name END, other.touched = true DELETE r",
            rows=rows,
        )

    await graph.write_together(work)


@dataclass(frozen=True, slots=True)
class Merge:
    """An entity of several names: its key, how it is shown, and the names with their mentions, its own among them."""

    entity: str
    shown: str
    names: dict[str, int]


async def merges(graph: Graph, *, limit: int | None = None) -> list[Merge]:
    """Entities of several names, by key; of the first `limit` only, if that is given."""
    rows = await graph.read(
        "MATCH ()-[m:MENTIONS]->(e:__Entity__) WHERE m.name IS NOT NULL "
        "WITH DISTINCT e ORDER BY e.name LIMIT $limit "
        "MATCH (e)<-[m:MENTIONS]-() WITH e, coalesce(m.name, e.name) AS name, count(*) AS mentions "
        "ORDER BY e.name, mentions DESC, name "
        "RETURN e.name AS entity, coalesce(e.aliases[0], e.name) AS shown, collect([name, mentions]) AS names "
        "ORDER BY entity",
        limit=2**31 if limit is None else limit,
    )
    return [Merge(row["entity"], row["shown"], dict(row["names"])) for row in rows]


async def count_merged(graph: Graph) -> int:
    """How many names stand at an entity of another name."""
    rows = await graph.read("MATCH ()-[m:MENTIONS]->() WHERE m.name IS NOT NULL RETURN count(DISTINCT m.name) AS count")
    return int(rows[0]["count"])


# Vectors of names ---------------------------------------------------------------------------------------------


async def drop_names(graph: Graph, *, model: str | None, names: Sequence[str]) -> None:
    """Vectors of other names than these or of another model are gone; without a model all are."""
    known = await graph.read(
        "MATCH (i:__Index__ {id: 'drift'}) MATCH (n:__Name__) RETURN n.id AS id, CASE "
        "WHEN n.model = i.embedding_model AND size(n.vector) <> i.dimensions THEN '' ELSE n.model END AS model "
        "ORDER BY id"
    )
    kept = set(names)
    gone = [row["id"] for row in known if row["id"] not in kept or row["model"] != model]
    for start in range(0, len(gone), _PAGE):
        await graph.write("MATCH (n:__Name__) WHERE n.id IN $ids DELETE n", ids=gone[start : start + _PAGE])


async def name_vectors(graph: Graph) -> dict[str, list[float] | None]:
    """The vector of each name that has one, or None where it has failed for good or is set aside."""
    found: dict[str, list[float] | None] = {}
    after = ""
    while page := await graph.read(
        "MATCH (n:__Name__) WHERE n.id > $after AND (n.vector IS NOT NULL OR n.failed_for IS NOT NULL "
        "OR n.skipped IS NOT NULL) RETURN n.id AS id, n.vector AS vector ORDER BY id LIMIT $limit",
        after=after,
        limit=_PAGE,
    ):
        after = page[-1]["id"]
        found |= {row["id"]: row["vector"] for row in page}
    return found


async def write_name_vectors(
    graph: Graph, vectors: Mapping[str, Sequence[float]], failed: Mapping[str, Failure], *, model: str
) -> None:
    """The names have these vectors; failed ones say why."""

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "UNWIND $rows AS row MERGE (n:__Name__ {id: row.name}) SET n.model = $model, n.vector = row.vector "
            "REMOVE n.failure, n.failed_for, n.skipped",
            rows=[{"name": name, "vector": list(vector)} for name, vector in sorted(vectors.items())],
            model=model,
        )
        await transaction.run(
            "UNWIND $rows AS row MERGE (n:__Name__ {id: row.name}) SET n.model = $model, n.failure = row.reason, "
            "n.failed_for = CASE WHEN row.lasting THEN $model END",
            rows=[{"name": name, **asdict(failure)} for name, failure in sorted(failed.items())],
            model=model,
        )

    await graph.write_together(work)
