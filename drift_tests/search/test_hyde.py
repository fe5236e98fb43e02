"""Where a search starts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from drift_assets.errors import CallUnavailable, ItemFailed
from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.graph.searches import StoredSearch, stored_search
from drift_assets.language.tasks import Hyde, HydeAnswer, Output, Task
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import QUESTION, embedder, follow_ups, search


def started(address: Address, search_id: str) -> StoredSearch:
    async def read() -> StoredSearch | None:
        async with open_graph(address) as graph:
            return await stored_search(graph, search_id)

    search = asyncio.run(read())
    assert search is not None
    return search


def hypothesis(answer: str) -> Any:
    return lambda task: HydeAnswer(answer=answer) if isinstance(task, Hyde) else follow_ups(task)


def test_the_template_is_the_report_nearest_to_the_question_alone(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, stages=("hyde",))

    [task] = language.asked(Hyde)
    assert (task.question, task.template) == (QUESTION, "Report light\nThe light and those who keep it.")


def test_the_search_starts_from_the_hypothetical_answer(archive: Address) -> None:
    result = search(archive, hypothesis("All about the boat."), stages=("hyde",))

    assert result.hyde == "All about the boat."
    assert started(archive, result.search_id).vector == (0.0, 1.0, 0.0)


def test_an_empty_hypothesis_falls_back_to_the_question(archive: Address) -> None:
    embedding = embedder()

    result = search(archive, hypothesis(""), embedding=embedding, depth=0)

    assert started(archive, result.search_id).vector == (1.0, 0.0, 0.0)
    assert embedding.history[0] == [QUESTION]
    assert result.status == "complete"


def test_a_failed_hypothesis_falls_back_to_the_question_and_is_told(archive: Address) -> None:
    def fail(task: Task[Any]) -> Output:
        if isinstance(task, Hyde):
            raise ItemFailed("refused")
        return follow_ups(task)

    result = search(archive, fail, depth=0)

    assert started(archive, result.search_id).vector == (1.0, 0.0, 0.0)
    assert (result.status, result.notes) == ("partial", ("the search started from the question alone: refused",))


def test_a_question_that_cannot_be_embedded_ends_the_search(archive: Address) -> None:
    embedding = embedder()

    async def fail(texts: Any) -> Any:
        raise CallUnavailable("no embedding today")

    embedding.embed = fail  # type: ignore[method-assign]

    with pytest.raises(CallUnavailable, match="no embedding today"):
        search(archive, embedding=embedding)


def test_the_template_counts_as_evidence_that_was_read(archive: Address) -> None:
    result = search(archive, stages=("hyde",))

    assert [(e.kind, e.id) for e in result.evidence] == [("report", "light")]
