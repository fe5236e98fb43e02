"""The queries of a search, sent once for nothing while the run is still being prepared.

Neo4j plans a query when it first sees it, and a server that has just started takes a fifth of a second for each: most
of the time of a first search. Planning needs the kinds and rough sizes of the parameters, so these are lifelike.
"""

from __future__ import annotations

from typing import get_args

from drift_assets.graph import searches
from drift_assets.graph.candidates import Scope, candidate_chunks, named_entities, word_indexes
from drift_assets.graph.connection import Graph
from drift_assets.graph.former import View, begin_reading
from drift_assets.graph.gain import unseen_shares
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

# No search and no question has this id: what is written to it goes nowhere.
_NOWHERE = "-"
_LIKE_DEFAULTS = 5


async def plan_queries(graph: Graph) -> None:
    """The server has planned what a search reads and writes, last first; nothing has changed.

    Last first, because a server that has just started is asked by the search itself at the same time. Where there is
    no index to search nothing is done.
    """
    index = await index_state(graph)
    if index is None or not index.dimensions:
        return
    words = await word_indexes(graph)
    vector = [1.0] + [0.0] * (index.dimensions - 1)
    entities = await nearest_entities(graph, vectors=index.vectors, vector=vector, count=_LIKE_DEFAULTS)
    names = [entity.id for entity in entities]
    await relationships_between(graph, names=names, count=1)
    await unseen_shares(graph, names=[names, names[:1]], read=names)
    await reports_above(graph, names=names, count=1)
    await candidate_chunks(
        graph, Scope(index.vectors, words), vector=vector, text=" ".join(names), names=names, count=1
    )
    await named_entities(graph, text=" ".join(names), count=_LIKE_DEFAULTS, words=words)
    await entities_by_name(graph, names=names[:1])
    for kind in get_args(Kind):
        await chunks_below(graph, kind=kind, id=_NOWHERE, word=_NOWHERE)
    await _plan_writes(graph, vector)
    reports = await nearest_reports(graph, vectors=index.vectors, vector=vector, count=_LIKE_DEFAULTS)
    await relatives(graph, ids=[report.id for report in reports])
    await missing_vector_indexes(graph, vectors=index.vectors)
    await await_online(graph)
    await begin_reading(graph, _NOWHERE)
    await View(graph, 0).read_state()
    await searches.stored_search(graph, _NOWHERE)


async def _plan_writes(graph: Graph, vector: list[float]) -> None:
    question = searches.StoredQuestion(id=_NOWHERE, parent=_NOWHERE, round=1, order=0, text="", status="waiting")
    await searches.store_answer(graph, _NOWHERE, question, steps="")
    await searches.store_questions(graph, _NOWHERE, [question])
    await searches.read_before(graph, _NOWHERE, round=1)
    await searches.questions_of(graph, _NOWHERE)
    await searches.store_reading(graph, _NOWHERE, passages=(), readings=[searches.Reading(_NOWHERE, (1, 2, 3))])
    await searches.passages_of(graph, _NOWHERE)
    await searches.readings_of(graph, _NOWHERE)
    await searches.store_start(graph, _NOWHERE, hyde="", vector=vector, steps="", question_vector=vector)
    await searches.store_steps(graph, _NOWHERE, steps="")
    await searches.begin_step(graph, _NOWHERE, run_id="")
