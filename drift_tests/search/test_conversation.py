"""A question that follows on another."""

from __future__ import annotations

import asyncio

import pytest

from drift_assets.errors import GraphError, ItemFailed
from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.language.tasks import Exchange, Hyde, Output, Prime, Reduce, Rephrase, Task
from drift_assets.search.conversation import conversation
from drift_assets.search.result import SearchResult
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import QUESTION, embedder, follow_ups, search

NEXT = "And who rowed it?"
ALONE = f"{NEXT} After: {QUESTION}"


@pytest.fixture(scope="module")
def first(archive: Address) -> SearchResult:
    return search(archive, depth=0)


def test_the_question_is_asked_as_it_stands_alone(archive: Address, first: SearchResult) -> None:
    language, embedding = ScriptedLanguageModel(follow_ups), embedder()

    result = search(
        archive, language=language, embedding=embedding, question=NEXT, after=first.search_id, depth=0, hybrid=False
    )

    [rephrased] = language.asked(Rephrase)
    assert rephrased.conversation == (Exchange(question=QUESTION, answer="The reports speak of a light."),)
    assert [language.asked(kind)[0].question for kind in (Hyde, Prime, Reduce)] == [ALONE] * 3
    assert embedding.history[0] == [ALONE]
    assert (result.question, result.asked_as, result.questions[0].text) == (NEXT, ALONE, NEXT)


def test_the_conversation_goes_back_to_earlier_searches(archive: Address, first: SearchResult) -> None:
    id, asked = first.search_id, [QUESTION]
    for n in range(3):
        result = search(archive, question=f"{n}?", after=id, depth=0)
        id = result.search_id
        asked.append(result.asked_as or "")

    async def read() -> list[Exchange]:
        async with open_graph(archive) as graph:
            return await conversation(graph, id)

    assert [one.question for one in asyncio.run(read())] == asked[-3:]


def test_without_the_call_the_question_is_asked_as_it_is(archive: Address, first: SearchResult) -> None:
    def refuse(task: Task[object]) -> Output:
        if isinstance(task, Rephrase):
            raise ItemFailed("refused")
        return follow_ups(task)

    result = search(archive, refuse, question=NEXT, after=first.search_id, depth=0)

    assert (result.status, result.asked_as) == ("partial", NEXT)
    assert result.notes == ("the question was asked without the conversation before it: refused",)


def test_it_reads_what_the_search_before_read_unless_it_says_otherwise(archive: Address) -> None:
    tower = search(archive, depth=0, within="tower.txt")

    inherited = search(archive, question=NEXT, after=tower.search_id, depth=0)
    other = search(archive, question=NEXT, after=tower.search_id, depth=0, within="boat.txt")

    documents = [
        {piece.document for piece in result.evidence if piece.kind == "chunk"} for result in (inherited, other)
    ]
    assert documents == [{"tower.txt"}, {"boat.txt"}]


def test_a_search_that_is_not_there_cannot_be_followed(archive: Address) -> None:
    with pytest.raises(GraphError, match="there is no search 'never' to ask after"):
        search(archive, question=NEXT, after="never")
