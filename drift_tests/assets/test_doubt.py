"""When the first answers of a run bring nothing, it stops before more is paid."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from drift_assets.errors import ItemFailed, RunStopped
from drift_assets.reconcile import Done, Doubt, Failed, reconcile
from drift_tests.assets.bench import Bench


class Kept:
    """What was written, and which items were worked on."""

    def __init__(self) -> None:
        self.done: list[int] = []
        self.failed: list[int] = []
        self.asked: list[int] = []
        self.told = ""


def run(results: Sequence[int | None], *, answers: int = 3, concurrency: int = 1) -> Kept:
    """Each item has its result; 0 is void, None a failure for good."""
    kept = Kept()

    async def items() -> AsyncIterator[int]:
        for number in range(len(results)):
            yield number

    async def work(item: int) -> int:
        kept.asked.append(item)
        await asyncio.sleep(0)
        result = results[item]
        if result is None:
            raise ItemFailed("refused")
        return result

    async def write(done: Sequence[Done[int, int]], failed: Sequence[Failed[int]]) -> None:
        kept.done += [one.item for one in done]
        kept.failed += [one.item for one in failed]

    doubt: Doubt[int] = Doubt("things", answers, lambda result: result == 0)
    try:
        asyncio.run(reconcile(items(), work, write, concurrency=concurrency, doubt=doubt))
    except RunStopped as error:
        kept.told = str(error)
    return kept


@pytest.mark.parametrize("results", [[0] * 20, [None] * 20, [0, None] * 10])
def test_a_run_whose_first_answers_all_bring_nothing_stops_and_keeps_none_of_them(results: list[int | None]) -> None:
    kept = run(results)
    assert "the first 3 answers of things brought nothing" in kept.told
    assert "DRIFT_FIRST_ANSWERS=0" in kept.told
    assert len(kept.asked) <= 3 + 2
    assert kept.done == kept.failed == []


@pytest.mark.parametrize("concurrency", [1, 4])
def test_one_answer_that_brings_something_ends_the_doubt(concurrency: int) -> None:
    kept = run([0, None, 1, *[0] * 10], concurrency=concurrency)
    assert (sorted(kept.done), kept.failed) == ([0, *range(2, 13)], [1])


def test_few_items_may_all_bring_nothing_and_so_may_all_where_the_user_says_so() -> None:
    assert run([0, 0]).done == [0, 1]
    assert sorted(run([0] * 9, answers=0).done) == list(range(9))


def test_an_index_run_stops_when_the_model_finds_nothing_anywhere(bench: Bench) -> None:
    bench.write({f"{number}.txt": f"Ada Quill sailed ship number {number}." for number in range(12)})
    bench.service.answer("extract", lambda request: {"entities": [], "relationships": []})
    with pytest.raises(RunStopped, match="the first 8 answers of entities brought nothing"):
        bench.index(until="entities", concurrency=1)
    assert len(bench.service.of("extract")) < 12
    assert bench.values("MATCH (c:__Chunk__) WHERE c.extraction IS NOT NULL RETURN c.id") == []
    assert bench.index(until="entities", first_answers=0)["entities"].new == 12
