"""The queries of a search, sent for nothing while the run is being prepared and waits for its first calls.

Neo4j plans a query when it first sees it, and anew for texts and lists of another power of ten; a server that has just
started takes a fifth of a second for each, and its Java is slow until it is compiled: most of the time of a first
search. So they are sent in the order of a search, with parameters of lifelike sizes.
"""

from __future__ import annotations

import asyncio
import time
from typing import get_args

from drift_assets.graph import searches
from drift_assets.graph.candidates import Scope, candidate_chunks, named_entities, word_indexes
from drift_assets.graph.connection import Graph
from drift_assets.graph.evidence import chunk_starts
from drift_assets.graph.former import View, begin_reading
from drift_assets.graph.gain import unseen_shares
from drift_assets.graph.kept import forget_searches
from drift_assets.graph.levels import relatives
from drift_assets.graph.retrieval import (
    Kind,
    chunks_below,
    entities_by_name,
    missing_vector_indexes,
    nearest_entities,
    nearest_reports,
    relationships_between,
    reports_above,
)
from drift_assets.graph.schema import await_online, index_state
from drift_assets.graph.texts import Texts
from drift_assets.graph.together import Together

# No search and no question has this id: what is written to it goes nowhere.
_NOWHERE = "-" * 22
_STEPS = "-" * 500
# What a server that has compiled its Java takes to read around a question, at most.
_WARM_SECONDS = 0.3


async def plan_queries(graph: Graph) -> None:
    """The server has planned what a search reads and writes; nothing has changed.

    Where there is no index to search nothing is done.
    """
    index = await index_state(graph)
    if index is None or not index.dimensions:
        return
    vector = [1.0] + [0.0] * (index.dimensions - 1)
    await _plan_start(graph, index.vectors, vector)
    began = time.monotonic()
    await _read_around(graph, index.vectors, vector, 1)
    warm = time.monotonic() - began < _WARM_SECONDS
    await _plan_rounds(graph)
    for number in (5, 15) if warm else (5, 15, 5, 5, 5):
        await _read_around(graph, index.vectors, vector, number)


async def _plan_start(graph: Graph, vectors: str, vector: list[float]) -> None:
    await searches.plan_creation(graph)
    await begin_reading(graph, _NOWHERE)
    await missing_vector_indexes(graph, vectors=vectors)
    await await_online(graph)
    await searches.stored_search(graph, _NOWHERE)
    await searches.begin_step(graph, _NOWHERE, run_id=_NOWHERE)
    await View(graph, 0).read_state()
    reports = await nearest_reports(graph, vectors=vectors, vector=vector, count=3)
    for number in (1, 5):
        await relatives(graph, ids=[report.id for report in reports] * number)
    await searches.passages_of(graph, _NOWHERE)
    await searches.store_reading(graph, _NOWHERE, passages=(), readings=[searches.Reading(_NOWHERE, (1, 2, 3))])
    await searches.store_start(graph, _NOWHERE, hyde=_NOWHERE, vector=vector, steps=_STEPS, question_vector=vector)
    await searches.questions_of(graph, _NOWHERE)
    await searches.store_steps(graph, _NOWHERE, steps=_STEPS)


async def _read_around(graph: Graph, vectors: str, vector: list[float], number: int) -> None:
    """What so many questions of a round read at once."""
    scope, together, texts = Scope(vectors, await word_indexes(graph)), Together(graph), Texts()
    await asyncio.gather(*(_read_around_one(together, scope, texts, vector) for _ in range(number)))
    if number > 1:
        await unseen_shares(graph, names=[["-"] * 5] * number, read=[_NOWHERE] * number)


async def _read_around_one(graph: Graph, scope: Scope, texts: Texts, vector: list[float]) -> None:
    entities = await nearest_entities(graph, vectors=scope.vectors, vector=vector, count=5)
    names = [entity.id for entity in entities]
    text = " ".join(names)
    await named_entities(graph, text=text, count=5, words=scope.words)
    for some in ([], names[:1]):
        await entities_by_name(graph, names=some)
    await candidate_chunks(graph, scope, texts, vector=vector, text=text, names=names, count=24)
    await relationships_between(graph, names=names, count=3)
    reports = await reports_above(graph, names=names, count=9)
    await relatives(graph, ids=[report.id for report in reports])


async def _plan_rounds(graph: Graph) -> None:
    question = searches.StoredQuestion(id=_NOWHERE, parent=_NOWHERE, round=1, order=0, text="", status="waiting")
    for steps in (_STEPS, 10 * _STEPS):
        await searches.store_answer(graph, _NOWHERE, question, steps=steps)
    for number in (5, 15):
        await searches.store_questions(graph, _NOWHERE, [question] * number)
    await searches.read_before(graph, _NOWHERE, round=1)
    for number in (5, 15):
        readings = [searches.Reading(_NOWHERE, tuple(range(10)))] * number
        await searches.store_reading(graph, _NOWHERE, passages=(), readings=readings)
    await searches.readings_of(graph, _NOWHERE)
    for kind in get_args(Kind):
        for word in ("-", _NOWHERE):
            await chunks_below(graph, kind=kind, id=_NOWHERE, word=word[:10])
    final = searches.FinalText(answer=_STEPS, origin=_NOWHERE, removed=0)
    await searches.finish_search(graph, _NOWHERE, status="complete", final=final, finished=0.0)
    await chunk_starts(graph, ids=[_NOWHERE] * 15)
    await forget_searches(graph, number=10**9, seconds=None, now=0.0)
