"""Stored searches: the search, its tree of questions and the passages that it read, written as the search goes.

Each step writes what it paid for at once, so that a step that is executed again goes on from there. A search is
written by one process at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, LiteralString

from drift_assets.graph.connection import Graph, Transaction
from drift_assets.graph.retrieval import Kind

SearchStatus = Literal["running", "complete", "partial", "not_found", "failed", "canceled"]
QuestionStatus = Literal["waiting", "answered", "failed", "dropped"]
_DELETE_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """A search; `options` and `steps` are JSON, times are seconds since the epoch.

    `answer` cites the numbers of passages, `removed` counts the invented citations that were taken out of it. `reason`
    says why a failed search failed. `vector` is where the primer starts: the embedding of `hyde`, or of the question,
    whose own is `question_vector`. `grounded` is the share of the answer's citing sentences that are supported.
    `standalone` is the question of a search that was asked after another, so that it can be understood alone.
    It reads the communities of `generation` and the vectors with suffix `vectors` (see graph/former.py).
    """

    id: str
    run_id: str
    question: str
    options: str
    status: SearchStatus
    reason: str | None
    created: float
    finished: float | None
    hyde: str | None
    vector: tuple[float, ...]
    answer: str
    removed: int
    origin: str | None
    steps: str
    question_vector: tuple[float, ...] = ()
    grounded: float | None = None
    standalone: str | None = None
    generation: int | None = None
    vectors: str | None = None


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question of a search's tree; round 0 is the user's own, answered by the primer.

    `order` is its place in its round, `parent` the id of the question whose answer asked it, `cited` the passages'
    numbers, `follow_ups` what its answer asked next, `removed` how many citations were invented and taken out.
    `calls`, `tokens`, `cost_usd` (None: unknown) and `seconds` are what asking it took, its embedding left out.
    """

    id: str
    parent: str | None
    round: int
    order: int
    text: str
    status: QuestionStatus
    reason: str | None = None
    answer: str = ""
    score: float | None = None
    cited: tuple[int, ...] = ()
    follow_ups: tuple[str, ...] = ()
    removed: int = 0
    origin: str | None = None
    calls: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A text as it was given to a call; `source_id` is the id of what it came from, `document` the one it rests on.

    When its document is deleted its text goes and `gone` says so.
    """

    number: int
    kind: Kind
    source_id: str
    title: str
    document: str | None
    text: str
    tokens: int
    gone: bool = False


@dataclass(frozen=True, slots=True)
class FinalText:
    """The final answer; its fields are those of `StoredSearch`."""

    answer: str
    origin: str
    removed: int
    grounded: float | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The numbers of the passages that one question's call was given."""

    question_id: str
    numbers: tuple[int, ...]


_SEARCH_FIELDS = (
    "s.id AS id, s.run_id AS run_id, s.question AS question, s.options AS options, s.status AS status, "
    "s.reason AS reason, s.created AS created, s.finished AS finished, s.hyde AS hyde, "
    "coalesce(s.vector, []) AS vector, coalesce(s.answer, '') AS answer, "
    "coalesce(s.removed, 0) AS removed, s.origin AS origin, coalesce(s.steps, '{}') AS steps, "
    "coalesce(s.question_vector, s.vector, []) AS question_vector, s.grounded AS grounded, "
    "s.standalone AS standalone, s.generation AS generation, s.vectors AS vectors"
)

_CREATE: LiteralString = (
    "OPTIONAL MATCH (old:__Search__ {id: $id}) WITH old WHERE old IS NULL "
    "CREATE (s:__Search__ {id: $id, run_id: $run_id, question: $question, options: $options, "
    "status: 'running', created: $created}) "
    "CREATE (s)-[:ASKED]->(:__Question__ {id: $id + '.0.0', search_id: $id, round: 0, order: 0, "
    "text: $question, status: 'waiting'}) RETURN s.id AS id"
)


async def create_search(graph: Graph, *, id: str, run_id: str, question: str, options: str, created: float) -> bool:
    """The search and the root of its tree exist; False, and nothing is changed, when the id is taken."""
    rows = await graph.write(_CREATE, id=id, run_id=run_id, question=question, options=options, created=created)
    return bool(rows)


async def plan_creation(graph: Graph) -> None:
    """The server has planned `create_search`; nothing has changed."""
    await graph.write(
        "EXPLAIN " + _CREATE, id="-" * 20, run_id="-" * 36, question="-" * 50, options="-" * 500, created=0.0
    )


async def stored_search(graph: Graph, id: str) -> StoredSearch | None:
    """The search with this id."""
    rows = await graph.read("MATCH (s:__Search__ {id: $id}) RETURN " + _SEARCH_FIELDS, id=id)
    return _search(rows[0]) if rows else None


async def latest_searches(graph: Graph, *, limit: int) -> list[StoredSearch]:
    """The newest searches, newest first."""
    rows = await graph.read(
        "MATCH (s:__Search__) RETURN " + _SEARCH_FIELDS + " ORDER BY s.created DESC, s.id DESC LIMIT $limit",
        limit=limit,
    )
    return [_search(row) for row in rows]


async def search_of_run(graph: Graph, run_id: str) -> str | None:
    """The id of the search that this Dagster run worked on last."""
    rows = await graph.read(
        "MATCH (s:__Search__ {run_id: $run_id}) RETURN s.id AS id ORDER BY s.created DESC, s.id LIMIT 1", run_id=run_id
    )
    return rows[0]["id"] if rows else None


async def questions_of(graph: Graph, search_id: str) -> list[StoredQuestion]:
    """The tree of a search, by round and order."""
    rows = await graph.read(
        "MATCH (q:__Question__) WHERE q.id STARTS WITH $search_id + '.' "
        "OPTIONAL MATCH (parent:__Question__)-[:LED_TO]->(q) "
        "RETURN q.id AS id, parent.id AS parent, q.round AS round, q.order AS order, q.text AS text, "
        "q.status AS status, q.reason AS reason, coalesce(q.answer, '') AS answer, q.score AS score, "
        "coalesce(q.cited, []) AS cited, coalesce(q.follow_ups, []) AS follow_ups, "
        "coalesce(q.removed, 0) AS removed, q.origin AS origin, coalesce(q.calls, 0) AS calls, "
        "coalesce(q.tokens, 0) AS tokens, q.cost_usd AS cost_usd, coalesce(q.seconds, 0.0) AS seconds "
        "ORDER BY round, order",
        search_id=search_id,
    )
    return [
        StoredQuestion(**{**row, "cited": tuple(row["cited"]), "follow_ups": tuple(row["follow_ups"])}) for row in rows
    ]


async def passages_of(graph: Graph, search_id: str) -> list[StoredPassage]:
    """What a search read, by number."""
    rows = await graph.read(
        "MATCH (p:__Passage__) WHERE p.id STARTS WITH $search_id + '#' "
        "RETURN p.number AS number, p.kind AS kind, p.source_id AS source_id, p.title AS title, "
        "p.document AS document, coalesce(p.text, '') AS text, p.tokens AS tokens, coalesce(p.gone, false) AS gone "
        "ORDER BY number",
        search_id=search_id,
    )
    return [StoredPassage(**row) for row in rows]


async def read_before(graph: Graph, search_id: str, *, round: int) -> set[int]:
    """The numbers of the passages that answered questions of rounds before this one were given."""
    rows = await graph.read(
        "MATCH (q:__Question__)-[:READ]->(p:__Passage__) "
        "WHERE q.id STARTS WITH $search_id + '.' AND q.round < $round AND q.status = 'answered' "
        "RETURN DISTINCT p.number AS number ORDER BY number",
        search_id=search_id,
        round=round,
    )
    return {row["number"] for row in rows}


async def readings_of(graph: Graph, search_id: str) -> dict[str, tuple[int, ...]]:
    """The numbers of the passages that each question of a search was given, in ascending order."""
    rows = await graph.read(
        "MATCH (q:__Question__)-[:READ]->(p:__Passage__) WHERE q.id STARTS WITH $search_id + '.' "
        "WITH q.id AS id, p.number AS number ORDER BY id, number RETURN id, collect(number) AS numbers ORDER BY id",
        search_id=search_id,
    )
    return {row["id"]: tuple(row["numbers"]) for row in rows}


async def begin_step(graph: Graph, search_id: str, *, run_id: str) -> StoredSearch | None:
    """The search with this id is being worked on by this run."""
    rows = await graph.write(
        "MATCH (s:__Search__ {id: $id}) SET s.run_id = $run_id, s.status = 'running' REMOVE s.reason, s.finished "
        "RETURN " + _SEARCH_FIELDS,
        id=search_id,
        run_id=run_id,
    )
    return _search(rows[0]) if rows else None


async def store_steps(graph: Graph, search_id: str, *, steps: str) -> None:
    """What each step has used so far, as JSON."""
    await graph.write("MATCH (s:__Search__ {id: $id}) SET s.steps = $steps", id=search_id, steps=steps)


async def store_start(
    graph: Graph,
    search_id: str,
    *,
    hyde: str,
    vector: Sequence[float],
    steps: str,
    question_vector: Sequence[float] | None = None,
) -> None:
    """The hypothetical answer ("" when there is none), the vector that the primer starts from, the question's own."""
    await graph.write(
        "MATCH (s:__Search__ {id: $id}) SET s.hyde = $hyde, s.vector = $vector, s.steps = $steps, "
        "s.question_vector = $question_vector",
        id=search_id,
        hyde=hyde,
        vector=list(vector),
        question_vector=None if question_vector is None else list(question_vector),
        steps=steps,
    )


async def store_standalone(graph: Graph, search_id: str, *, question: str) -> None:
    """The question of the search, so that it can be understood alone."""
    await graph.write("MATCH (s:__Search__ {id: $id}) SET s.standalone = $question", id=search_id, question=question)


async def store_reading(
    graph: Graph, search_id: str, *, passages: Sequence[StoredPassage], readings: Sequence[Reading] = ()
) -> None:
    """The passages exist, and each question of `readings` has read exactly its numbers."""

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "UNWIND $rows AS row MERGE (p:__Passage__ {id: $search_id + '#' + toString(row.number)}) "
            "SET p += row, p.search_id = $search_id",
            search_id=search_id,
            rows=[asdict(passage) for passage in passages],
        )
        await transaction.run(
            "UNWIND $ids AS id MATCH (:__Question__ {id: id})-[r:READ]->() DELETE r",
            ids=[reading.question_id for reading in readings],
        )
        await transaction.run(
            "UNWIND $rows AS row MATCH (q:__Question__ {id: row.question}) "
            "MATCH (p:__Passage__ {id: $search_id + '#' + toString(row.number)}) MERGE (q)-[:READ]->(p)",
            search_id=search_id,
            rows=[{"question": r.question_id, "number": number} for r in readings for number in r.numbers],
        )

    await graph.write_together(work)


async def store_questions(graph: Graph, search_id: str, questions: Sequence[StoredQuestion]) -> None:
    """The questions hang below their parents."""
    await graph.write(
        "UNWIND $rows AS row MATCH (parent:__Question__ {id: row.parent}) "
        "MERGE (q:__Question__ {id: row.id}) SET q.search_id = $search_id, q.round = row.round, "
        "q.order = row.order, q.text = row.text, q.status = row.status, q.reason = row.reason "
        "MERGE (parent)-[:LED_TO]->(q)",
        search_id=search_id,
        rows=[asdict(question) for question in questions],
    )


async def store_answer(graph: Graph, search_id: str, question: StoredQuestion, *, steps: str) -> None:
    """What became of a question that was asked, and what the search has used so far."""
    await graph.write(
        "MATCH (q:__Question__ {id: $row.id}) SET q.status = $row.status, q.reason = $row.reason, "
        "q.answer = $row.answer, q.score = $row.score, q.cited = $row.cited, q.follow_ups = $row.follow_ups, "
        "q.removed = $row.removed, q.origin = $row.origin, q.calls = $row.calls, q.tokens = $row.tokens, "
        "q.cost_usd = $row.cost_usd, q.seconds = $row.seconds "
        "WITH q MATCH (s:__Search__ {id: $search_id}) SET s.steps = $steps",
        search_id=search_id,
        row=asdict(question),
        steps=steps,
    )


async def finish_search(
    graph: Graph, search_id: str, *, status: SearchStatus, final: FinalText, finished: float
) -> None:
    """The search has its answer."""
    await graph.write(
        "MATCH (s:__Search__ {id: $id}) SET s.status = $status, s.finished = $finished, s += $final",
        id=search_id,
        status=status,
        final=asdict(final),
        finished=finished,
    )


async def fail_search(
    graph: Graph, search_id: str, *, reason: str, finished: float, status: Literal["failed", "canceled"] = "failed"
) -> None:
    """The search has ended without an answer, for this reason; `canceled` by whoever asked."""
    await graph.write(
        "MATCH (s:__Search__ {id: $id}) SET s.status = $status, s.reason = $reason, s.finished = $finished",
        id=search_id,
        status=status,
        reason=reason,
        finished=finished,
    )


async def running_searches(graph: Graph) -> list[str]:
    """The ids of the Dagster runs whose searches say that they are running."""
    rows = await graph.read(
        "MATCH (s:__Search__) WHERE s.status = 'running' RETURN DISTINCT s.run_id AS id ORDER BY id"
    )
    return [row["id"] for row in rows]


async def close_searches(
    graph: Graph,
    run_ids: Sequence[str],
    *,
    reason: str,
    finished: float,
    status: Literal["failed", "canceled"],
) -> list[str]:
    """The searches that these runs left as running have ended like that; returns their ids."""
    rows = await graph.write(
        "MATCH (s:__Search__) WHERE s.status = 'running' AND s.run_id IN $run_ids "
        "SET s.status = $status, s.reason = $reason, s.finished = $finished RETURN s.id AS id ORDER BY id",
        run_ids=list(run_ids),
        status=status,
        reason=reason,
        finished=finished,
    )
    return [row["id"] for row in rows]


async def forget_document_passages(graph: Graph, document_ids: Sequence[str]) -> int:
    """Passages that rest on one of these documents alone have lost their text; returns how many."""
    forgotten = 0
    while True:
        rows = await graph.write(
            "MATCH (p:__Passage__) WHERE p.document IN $ids AND NOT coalesce(p.gone, false) "
            "WITH p LIMIT $limit SET p.gone = true, p.text = '' RETURN count(p) AS count",
            ids=list(document_ids),
            limit=_DELETE_BATCH,
        )
        count = int(rows[0]["count"])
        forgotten += count
        if count < _DELETE_BATCH:
            return forgotten


def _search(row: Mapping[str, Any]) -> StoredSearch:
    vectors = {name: tuple(row[name]) for name in ("vector", "question_vector")}
    return StoredSearch(**{**row, **vectors})
