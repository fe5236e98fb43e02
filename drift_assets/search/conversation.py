"""A question after another search: what was asked and answered before, and the question as it stands alone."""

from __future__ import annotations

from dataclasses import replace

from drift_assets.errors import GraphError, LimitReached
from drift_assets.graph.connection import Graph
from drift_assets.graph.searches import StoredSearch, store_standalone, stored_search
from drift_assets.language.tasks import Exchange, Rephrase
from drift_assets.search.asking import BRANCH_FAILURES
from drift_assets.search.citations import keep_citations
from drift_assets.search.options import LONGEST_QUESTION, SearchOptions
from drift_assets.search.step import Step
from drift_assets.search.support import MARK

_REMEMBERED = 3
_LONGEST_ANSWER = 2_000


async def conversation(graph: Graph, after: str) -> list[Exchange]:
    """The search `after` and those that it came after itself, oldest first, up to three; those that are gone end it."""
    found: list[Exchange] = []
    id: str | None = after
    while id is not None and len(found) < _REMEMBERED:
        search = await stored_search(graph, id)
        if search is None:
            break
        said = keep_citations(search.answer.replace(f" {MARK}", ""), ())[0][:_LONGEST_ANSWER]
        found.insert(0, Exchange(question=search.standalone or search.question, answer=said))
        id = SearchOptions.from_json(search.options).after
    return found


async def check_after(graph: Graph, after: str) -> StoredSearch:
    """The search to go on from. Raises GraphError when it is not there."""
    search = await stored_search(graph, after)
    if search is None:
        raise GraphError(f"there is no search {after!r} to ask after: `drift status` lists the newest ones")
    return search


async def stand_alone(step: Step) -> None:
    """The search's question can be understood without those before it; as it is where the call for that fails."""
    after = step.options.after
    if after is None or step.search.standalone is not None:
        return
    before = await conversation(step.graph, after)
    question = step.search.question
    try:
        output = await step.perform(Rephrase(question=question, conversation=tuple(before)))
        question = output.question[:LONGEST_QUESTION]
    except (LimitReached, *BRANCH_FAILURES) as error:
        step.note(f"the question was asked without the conversation before it: {error}")
    await store_standalone(step.graph, step.search.id, question=question)
    step.search = replace(step.search, standalone=question)
