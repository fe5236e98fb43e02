"""Stored searches, on a real Neo4j."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest

from drift_assets.graph import searches
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.searches import FinalText, Reading, StoredPassage, StoredQuestion
from drift_tests.database import empty, on, query

T = TypeVar("T")
ROOT = "one.0.0"


@pytest.fixture
def search(neo4j_server: Address) -> Address:
    """A database that holds the search `one` and nothing else."""
    query(neo4j_server, "MATCH (n) DETACH DELETE n")
    assert on(neo4j_server, lambda graph: create(graph, "one"))
    return neo4j_server


async def create(graph: Graph, id: str, *, created: float = 1.5, run_id: str = "run") -> bool:
    return await searches.create_search(
        graph, id=id, run_id=run_id, question="Who lit it?", options="{}", created=created
    )


def follow_up(order: int, *, parent: str = ROOT, text: str = "Which lamp?") -> StoredQuestion:
    return StoredQuestion(id=f"one.1.{order}", parent=parent, round=1, order=order, text=text, status="waiting")


def passage(number: int, document: str | None = "a.txt") -> StoredPassage:
    return StoredPassage(
        number=number, kind="chunk", source_id=f"c{number}", title="A", document=document, text="Text.", tokens=2
    )


def test_a_new_search_is_running_and_its_question_waits(search: Address) -> None:
    stored = on(search, lambda graph: searches.stored_search(graph, "one"))
    [root] = on(search, lambda graph: searches.questions_of(graph, "one"))

    assert stored is not None
    assert (stored.question, stored.status, stored.created, stored.finished) == ("Who lit it?", "running", 1.5, None)
    assert (root.id, root.round, root.status, root.parent) == (ROOT, 0, "waiting", None)


def test_an_id_is_given_once(search: Address) -> None:
    assert not on(search, lambda graph: create(graph, "one", created=9.0))

    stored = on(search, lambda graph: searches.stored_search(graph, "one"))
    assert stored is not None
    assert stored.created == 1.5
    assert len(on(search, lambda graph: searches.questions_of(graph, "one"))) == 1


def test_there_is_no_search_of_another_id(search: Address) -> None:
    assert on(search, lambda graph: searches.stored_search(graph, "two")) is None
    assert on(search, lambda graph: searches.search_of_run(graph, "other")) is None


def test_the_newest_searches_come_first(search: Address) -> None:
    async def three(graph: Graph) -> list[str]:
        await create(graph, "older", created=1.0)
        await create(graph, "newer", created=2.0)
        await create(graph, "same time", created=2.0)
        return [found.id for found in await searches.latest_searches(graph, limit=3)]

    assert on(search, three) == ["same time", "newer", "one"]


def test_a_run_is_known_by_the_search_it_worked_on(search: Address) -> None:
    on(search, lambda graph: searches.begin_step(graph, "one", run_id="second run"))

    assert on(search, lambda graph: searches.search_of_run(graph, "second run")) == "one"
    assert on(search, lambda graph: searches.search_of_run(graph, "run")) is None


def test_a_tree_comes_back_as_it_was_written_in_order(search: Address) -> None:
    answered = replace(
        follow_up(0),
        status="answered",
        answer="The great one [2].",
        score=75.0,
        cited=(2,),
        follow_ups=("Why?", "When?"),
        removed=1,
        origin="scripted",
    )

    async def grow(graph: Graph) -> list[StoredQuestion]:
        dropped = replace(follow_up(1, text="which lamp"), status="dropped", reason="same words")
        await searches.store_questions(graph, "one", [dropped, follow_up(0)])
        await searches.store_answer(graph, "one", answered, steps='{"local": 1}')
        return (await searches.questions_of(graph, "one"))[1:]

    assert on(search, grow) == [
        answered,
        replace(follow_up(1, text="which lamp"), status="dropped", reason="same words"),
    ]
    stored = on(search, lambda graph: searches.stored_search(graph, "one"))
    assert stored is not None
    assert stored.steps == '{"local": 1}'


def test_questions_hang_below_those_that_led_to_them(search: Address) -> None:
    async def grow(graph: Graph) -> None:
        await searches.store_questions(graph, "one", [follow_up(0)])
        await searches.store_questions(graph, "one", [replace(follow_up(0), id="one.2.0", parent="one.1.0", round=2)])

    on(search, grow)

    paths = query(search, "MATCH p = (:__Search__)-[:ASKED]->()-[:LED_TO*2]->() RETURN [n IN nodes(p) | n.id] AS ids")
    assert [path["ids"] for path in paths] == [["one", ROOT, "one.1.0", "one.2.0"]]


def test_storing_the_same_questions_again_changes_nothing(search: Address) -> None:
    async def grow(graph: Graph) -> int:
        for _ in range(2):
            await searches.store_questions(graph, "one", [follow_up(0)])
        return len(await searches.questions_of(graph, "one"))

    assert on(search, grow) == 2
    assert query(search, "MATCH ()-[r:LED_TO]->() RETURN count(r) AS count") == [{"count": 1}]


def test_passages_come_back_by_number(search: Address) -> None:
    passages = [passage(10), passage(2, document=None)]

    async def read(graph: Graph) -> list[StoredPassage]:
        await searches.store_reading(graph, "one", passages=passages)
        return await searches.passages_of(graph, "one")

    assert on(search, read) == [passages[1], passages[0]]


def test_a_question_has_read_exactly_what_was_stored_last(search: Address) -> None:
    async def read(graph: Graph) -> None:
        await searches.store_reading(graph, "one", passages=[passage(1), passage(2)], readings=[Reading(ROOT, (1, 2))])
        await searches.store_reading(graph, "one", passages=[], readings=[Reading(ROOT, (2,))])

    on(search, read)

    rows = query(search, "MATCH (q:__Question__)-[:READ]->(p:__Passage__) RETURN q.id AS q, p.number AS p")
    assert rows == [{"q": ROOT, "p": 2}]


def test_searches_keep_their_passages_apart(search: Address) -> None:
    async def read(graph: Graph) -> list[str]:
        await create(graph, "two")
        await searches.store_reading(graph, "one", passages=[passage(1)])
        await searches.store_reading(graph, "two", passages=[replace(passage(1), title="B")])
        return [p.title for p in await searches.passages_of(graph, "one")]

    assert on(search, read) == ["A"]


def test_the_start_and_the_end_of_a_search_are_kept(search: Address) -> None:
    async def whole(graph: Graph) -> searches.StoredSearch | None:
        await searches.store_start(graph, "one", hyde="Perhaps.", vector=[0.5, 0.25], steps="{}")
        await searches.finish_search(
            graph, "one", status="partial", final=FinalText("He did [1].", "scripted", 3, 0.5), finished=7.5
        )
        return await searches.stored_search(graph, "one")

    stored = on(search, whole)

    assert stored is not None
    assert (stored.hyde, stored.vector) == ("Perhaps.", (0.5, 0.25))
    assert (stored.status, stored.answer, stored.origin, stored.removed, stored.finished) == (
        "partial",
        "He did [1].",
        "scripted",
        3,
        7.5,
    )


def test_a_failed_search_runs_again_with_its_next_step(search: Address) -> None:
    async def fail_and_begin(graph: Graph) -> list[tuple[str, str | None, float | None]]:
        await searches.fail_search(graph, "one", reason="no key", finished=3.0)
        failed = await searches.stored_search(graph, "one")
        await searches.begin_step(graph, "one", run_id="next")
        begun = await searches.stored_search(graph, "one")
        assert failed is not None
        assert begun is not None
        return [(found.status, found.reason, found.finished) for found in (failed, begun)]

    assert on(search, fail_and_begin) == [("failed", "no key", 3.0), ("running", None, None)]


def test_only_running_searches_of_the_runs_that_ended_are_closed(search: Address) -> None:
    async def close(graph: Graph) -> tuple[list[str], list[searches.StoredSearch]]:
        for id, run_id in (("two", "run"), ("three", "other")):
            await create(graph, id, run_id=run_id)
        await searches.fail_search(graph, "two", reason="no key", finished=3.0)
        closed = await searches.close_searches(graph, ["run"], reason="killed", finished=4.0, status="failed")
        return closed, await searches.latest_searches(graph, limit=5)

    closed, stored = on(search, close)

    assert closed == ["one"]
    assert {(one.id, one.status, one.reason) for one in stored} == {
        ("one", "failed", "killed"),
        ("two", "failed", "no key"),
        ("three", "running", None),
    }


def test_what_use_was_made_is_kept(search: Address) -> None:
    async def use(graph: Graph) -> searches.StoredSearch | None:
        await searches.store_steps(graph, "one", steps='{"hyde": 2}')
        return await searches.stored_search(graph, "one")

    stored = on(search, use)

    assert stored is not None
    assert stored.steps == '{"hyde": 2}'


def test_passages_of_a_deleted_document_are_gone_and_others_stay(search: Address) -> None:
    async def forget(graph: Graph) -> tuple[int, list[StoredPassage]]:
        passages = [passage(1, "a.txt"), passage(2, "b.txt"), passage(3, None)]
        await searches.store_reading(graph, "one", passages=passages)
        forgotten = await searches.forget_document_passages(graph, ["a.txt", "none.txt"])
        return forgotten, await searches.passages_of(graph, "one")

    forgotten, passages = on(search, forget)

    assert forgotten == 1
    assert [(p.number, p.text, p.gone) for p in passages] == [(1, "", True), (2, "Text.", False), (3, "Text.", False)]


def test_forgetting_twice_forgets_once(search: Address) -> None:
    async def forget(graph: Graph) -> list[int]:
        await searches.store_reading(graph, "one", passages=[passage(n) for n in range(1, 4)])
        return [await searches.forget_document_passages(graph, ["a.txt"]) for _ in range(2)]

    assert on(search, forget) == [3, 0]


def test_many_passages_are_forgotten_in_batches(search: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "_DELETE_BATCH", 2)

    async def forget(graph: Graph) -> int:
        await searches.store_reading(graph, "one", passages=[passage(n) for n in range(1, 6)])
        return await searches.forget_document_passages(graph, ["a.txt"])

    assert on(search, forget) == 5


def test_an_emptied_database_has_no_search(neo4j_server: Address) -> None:
    empty(neo4j_server)

    assert on(neo4j_server, lambda graph: searches.latest_searches(graph, limit=5)) == []
