"""The engine: what is in flight, what is written, and how a run ends."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest

from drift_assets.errors import CallTooLong, CallUnavailable, GraphError, ItemFailed, LimitReached, RunStopped
from drift_assets.reconcile import Done, Failed, paged, prepared, reconcile

Outcomes = tuple[Sequence[Done[int, int]], Sequence[Failed[int]]]


class Book:
    """Takes what is written; each write waits for `gate`, and the `refuse`-th one, counted from 1, fails."""

    def __init__(self, *, refuse: int = 0) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.refuse = refuse
        self.attempts = 0
        self.writes: list[Outcomes] = []

    async def write(self, done: Sequence[Done[int, int]], failed: Sequence[Failed[int]]) -> None:
        await self.gate.wait()
        self.attempts += 1
        if self.attempts == self.refuse:
            raise GraphError("the disk is full")
        self.writes.append((done, failed))

    @property
    def results(self) -> dict[int, int]:
        return {one.item: one.result for done, _ in self.writes for one in done}

    @property
    def failures(self) -> dict[int, str]:
        return {one.item: one.failure.reason for _, failed in self.writes for one in failed}


class Display:
    """Adds up what it is told."""

    def __init__(self) -> None:
        self.done = self.failed = 0

    def stage(self, name: str, total: int | None) -> None:
        raise AssertionError("the engine begins no stage")

    def advance(self, done: int = 1, failed: int = 0) -> None:
        self.done += done
        self.failed += failed

    def note(self, line: str) -> None:
        raise AssertionError(line)


async def numbers(count: int, fetched: list[int] | None = None) -> AsyncIterator[int]:
    for number in range(count):
        if fetched is not None:
            fetched.append(number)
        yield number


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def doubling_but(**errors: Exception) -> Callable[[int], Awaitable[int]]:
    """Work that fails `n3=error` at 3."""

    async def work(number: int) -> int:
        await asyncio.sleep(0)
        if error := errors.get(f"n{number}"):
            raise error
        return 2 * number

    return work


async def settled() -> None:
    """All that can happen without the gate has happened."""
    for _ in range(100):
        await asyncio.sleep(0)


def test_each_item_is_worked_on_once_and_written_once() -> None:
    async def inside() -> None:
        book, display = Book(), Display()
        tally = await reconcile(numbers(100), double, book.write, concurrency=7, progress=display)
        assert book.results == {number: 2 * number for number in range(100)}
        assert sum(len(done) for done, _ in book.writes) == 100
        assert (tally.done, tally.failed, display.done, display.failed) == (100, 0, 100, 0)

    asyncio.run(inside())


def test_nothing_to_do_writes_nothing() -> None:
    async def inside() -> None:
        book = Book()
        await reconcile(numbers(0), double, book.write, concurrency=2)
        assert book.writes == []

    asyncio.run(inside())


def test_the_result_does_not_depend_on_the_order_in_which_work_ends() -> None:
    async def once(seed: int) -> dict[int, int]:
        pick, book = random.Random(seed), Book()

        async def work(number: int) -> int:
            for _ in range(pick.randrange(20)):
                await asyncio.sleep(0)
            return number * number

        await reconcile(numbers(40), work, book.write, concurrency=5)
        return dict(sorted(book.results.items()))

    assert asyncio.run(once(1)) == asyncio.run(once(2))


def test_at_most_concurrency_items_are_in_flight() -> None:
    async def inside() -> None:
        now = most = 0

        async def work(number: int) -> int:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.001)
            now -= 1
            return number

        await reconcile(numbers(40), work, Book().write, concurrency=4)
        assert most == 4

    asyncio.run(inside())


def test_a_slow_write_holds_work_back_at_twice_the_concurrency_and_the_items_with_it() -> None:
    async def inside() -> None:
        book, started, fetched = Book(), [], []
        book.gate.clear()

        async def work(number: int) -> int:
            started.append(number)
            return number

        run = asyncio.create_task(reconcile(numbers(50, fetched), work, book.write, concurrency=3))
        await settled()
        assert started == list(range(6))
        assert len(fetched) == 7, "the item after those that have room"
        book.gate.set()
        await run
        assert len(book.results) == 50

    asyncio.run(inside())


def test_work_goes_on_while_a_write_lasts() -> None:
    async def inside() -> None:
        book, started = Book(), []
        book.gate.clear()

        async def work(number: int) -> int:
            started.append(number)
            return number

        run = asyncio.create_task(reconcile(numbers(4), work, book.write, concurrency=2))
        await settled()
        assert (started, book.writes) == ([0, 1, 2, 3], [])
        book.gate.set()
        await run
        assert len(book.writes) <= 2, "what is ready together is written together"

    asyncio.run(inside())


def test_a_result_is_written_while_slow_work_is_still_in_flight() -> None:
    async def inside() -> None:
        book, slow = Book(), asyncio.Event()

        async def work(number: int) -> int:
            if number == 0:
                await slow.wait()
            return number

        run = asyncio.create_task(reconcile(numbers(4), work, book.write, concurrency=2))
        await settled()
        assert sorted(book.results) == [1, 2, 3]
        slow.set()
        await run

    asyncio.run(inside())


@pytest.mark.parametrize(
    "error", [ItemFailed("refused"), CallTooLong("cut off"), CallUnavailable("busy", 3.0)], ids=lambda e: str(e)
)
def test_a_failed_item_is_written_with_its_reason_and_the_others_go_on(error: Exception) -> None:
    async def inside() -> None:
        book, display = Book(), Display()
        tally = await reconcile(numbers(9), doubling_but(n4=error), book.write, concurrency=2, progress=display)
        assert book.failures == {4: str(error)}
        assert sorted(book.results) == [0, 1, 2, 3, 5, 6, 7, 8]
        assert (tally.done, tally.failed, display.done, display.failed) == (8, 1, 9, 1)

    asyncio.run(inside())


@pytest.mark.parametrize(
    "error", [RunStopped("wrong key"), LimitReached("10 calls"), ZeroDivisionError()], ids=lambda e: type(e).__name__
)
def test_a_stop_is_raised_after_what_is_in_flight_has_ended_and_is_written(error: Exception) -> None:
    async def inside() -> None:
        book, begun, slow = Book(), [], asyncio.Event()

        async def work(number: int) -> int:
            begun.append(number)
            if number == 3:
                raise error
            if number == 2:
                await slow.wait()
            return number

        run = asyncio.create_task(reconcile(numbers(100), work, book.write, concurrency=2))
        await settled()
        assert begun == [0, 1, 2, 3], "nothing is begun after the stop"
        assert not run.done()
        slow.set()
        with pytest.raises(type(error)):
            await run
        assert sorted(book.results) == [0, 1, 2]

    asyncio.run(inside())


def test_a_stop_in_every_call_in_flight_ends_the_run() -> None:
    async def inside() -> None:
        async def work(number: int) -> int:
            raise RunStopped(f"quota at {number}")

        with pytest.raises(RunStopped, match="quota at 0"):
            await asyncio.wait_for(reconcile(numbers(100), work, Book().write, concurrency=8), 5)

    asyncio.run(inside())


def test_a_failing_write_ends_the_run_and_nothing_is_written_after_it() -> None:
    async def inside() -> None:
        book, begun = Book(refuse=2), []

        async def work(number: int) -> int:
            begun.append(number)
            await asyncio.sleep(0.001)
            return number

        with pytest.raises(GraphError, match="the disk is full"):
            await asyncio.wait_for(reconcile(numbers(100), work, book.write, concurrency=3), 5)
        assert (len(book.writes), book.attempts) == (1, 2)
        assert len(begun) < 20

    asyncio.run(inside())


def test_items_that_cannot_be_fetched_end_the_run_after_what_is_in_flight() -> None:
    async def inside() -> None:
        async def broken() -> AsyncIterator[int]:
            yield 0
            yield 1
            raise GraphError("connection lost")

        async def work(number: int) -> int:
            await asyncio.sleep(0.01)
            return number

        book = Book()
        with pytest.raises(GraphError, match="connection lost"):
            await reconcile(broken(), work, book.write, concurrency=4)
        assert sorted(book.results) == [0, 1]

    asyncio.run(inside())


def test_cancellation_gives_up_what_is_in_flight_and_writes_what_is_finished() -> None:
    async def inside() -> None:
        book, given_up = Book(), []
        book.gate.clear()

        async def work(number: int) -> int:
            if number >= 2:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    given_up.append(number)
                    raise
            return number

        run = asyncio.create_task(reconcile(numbers(100), work, book.write, concurrency=2))
        await settled()
        run.cancel()
        await settled()
        assert not run.done(), "it waits for the write"
        book.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert sorted(book.results) == [0, 1]
        assert sorted(given_up) == [2, 3]

    asyncio.run(inside())


def test_no_task_is_left_behind_whatever_ends_the_run() -> None:
    async def inside() -> None:
        for work in (double, doubling_but(n5=RunStopped("no"))):
            for book in (Book(), Book(refuse=1)):
                await asyncio.gather(reconcile(numbers(20), work, book.write, concurrency=3), return_exceptions=True)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(inside())


def test_pages_follow_each_other_by_the_key_of_the_last_item() -> None:
    async def inside() -> None:
        stored, asked = ["a", "b", "c", "d", "e"], []

        async def fetch(after: str) -> list[str]:
            asked.append(after)
            return [name for name in stored if name > after][:2]

        assert [name async for name in paged(fetch, lambda name: name, "")] == stored
        assert asked == ["", "b", "d", "e"]

    asyncio.run(inside())


def test_the_next_page_is_fetched_while_one_is_worked_off() -> None:
    async def inside() -> None:
        asked: list[int] = []

        async def fetch(after: int) -> list[int]:
            asked.append(after)
            return [after + 1, after + 2] if after < 4 else []

        pages = paged(fetch, lambda number: number, 0)
        assert await anext(pages) == 1
        await asyncio.sleep(0)
        assert asked == [0, 2]
        await pages.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(inside())


def test_items_are_prepared_ahead_of_their_turn_and_keep_their_order() -> None:
    async def inside() -> None:
        begun: list[int] = []

        async def prepare(number: int) -> int:
            begun.append(number)
            await asyncio.sleep(0.001 * (5 - number))
            return 2 * number

        ready = prepared(numbers(5), prepare, 2)
        assert await anext(ready) == (0, 0)
        assert begun == [0, 1, 2]
        assert [pair async for pair in ready] == [(1, 2), (2, 4), (3, 6), (4, 8)]

    asyncio.run(inside())


def test_what_cannot_be_prepared_is_raised_in_its_turn_and_nothing_is_left_behind() -> None:
    async def inside() -> None:
        async def prepare(number: int) -> int:
            if number == 1:
                raise GraphError("connection lost")
            return number

        ready = prepared(numbers(9), prepare, 3)
        assert await anext(ready) == (0, 0)
        with pytest.raises(GraphError):
            await anext(ready)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(inside())
