"""The engine of every stage that calls a model: work off what is stale, write each result as soon as it is there.

Neo4j is the cache, the checkpoint and the queue, so a run may end at any moment and the next goes on from there.
At most `concurrency` items are being worked on, and at most twice as many are being worked on or finished but not yet
written: that is all that can be lost, and all that is in memory, however large the corpus. Work never waits for a write
to end, nor a write for slow work, as long as there is room.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from drift_assets.errors import CallTooLong, CallUnavailable, GraphTooLarge, ItemFailed, RunStopped
from drift_assets.graph.failures import Failure
from drift_assets.progress import Progress, Silent

Item = TypeVar("Item")
Result = TypeVar("Result")
Key = TypeVar("Key")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
    """An item with its valid result."""

    item: Item
    result: Result


@dataclass(frozen=True, slots=True)
class Failed(Generic[Item]):
    """An item that brought no result, and why; a lasting failure would only repeat itself."""

    item: Item
    failure: Failure


@dataclass(slots=True)
class Tally:
    """How many items were done and failed."""

    done: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Doubt(Generic[Result]):
    """After how many first answers that all brought nothing a run stops; `void` tells such a result.

    A failure for good brought nothing either. `what` names the stage.
    """

    what: str
    answers: int
    void: Callable[[Result], bool] = lambda result: False


class _Engine(Generic[Item, Result]):
    """The state of one `reconcile`."""

    def __init__(
        self,
        work: Callable[[Item], Awaitable[Result]],
        write: Callable[[Sequence[Done[Item, Result]], Sequence[Failed[Item]]], Awaitable[None]],
        concurrency: int,
        progress: Progress,
        doubt: Doubt[Result] | None,
    ) -> None:
        self.doubt = doubt if doubt and doubt.answers else None
        self.held: list[Done[Item, Result] | Failed[Item]] = []
        self.refused = False
        self.work = work
        self.write = write
        self.progress = progress
        self.tally = Tally()
        self.stopped: list[BaseException] = []
        self.writable = True
        self.flight = asyncio.Semaphore(concurrency)
        self.room = asyncio.Semaphore(2 * concurrency)
        self.finished: asyncio.Queue[Done[Item, Result] | Failed[Item] | None] = asyncio.Queue()

    async def perform(self, item: Item) -> None:
        outcome: Done[Item, Result] | Failed[Item]
        try:
            outcome = Done(item, await self.work(item))
        except (ItemFailed, CallTooLong, CallUnavailable) as error:
            outcome = Failed(item, Failure(str(error), lasting=not error.transient))
        # A stop (key, quota, limit) and a defect alike must end the run instead of leaving it waiting for this item.
        except Exception as error:  # noqa: BLE001
            self.stopped.append(error)
            return
        finally:
            self.flight.release()
        self.finished.put_nowait(outcome)

    async def write_all(self) -> None:
        ended = False
        while not ended:
            batch = [await self.finished.get()]
            while not self.finished.empty():
                batch.append(self.finished.get_nowait())
            ended = batch[-1] is None
            outcomes = [outcome for outcome in batch if outcome is not None]
            try:
                await self.write_batch(self.trusted(outcomes, ended=ended))
            finally:
                for _ in outcomes:
                    self.room.release()

    def trusted(
        self, outcomes: Sequence[Done[Item, Result] | Failed[Item]], *, ended: bool
    ) -> Sequence[Done[Item, Result] | Failed[Item]]:
        """The outcomes to be written: none as long as all brought nothing; after too many of these the run stops."""
        if self.doubt is None:
            return outcomes
        self.held += outcomes
        if (ended and not self.refused) or not all(map(self.is_void, self.held)):
            self.doubt, held, self.held = None, self.held, []
            return held
        if len(self.held) >= self.doubt.answers and not self.stopped:
            self.refused = True
            last = self.held[-1]
            why = f" ({last.failure.reason})" if isinstance(last, Failed) else ""
            self.stopped.append(
                RunStopped(
                    f"the first {len(self.held)} answers of {self.doubt.what} brought nothing{why}; no more are paid "
                    "for and these are not kept: see whether DRIFT_MODEL, its prompt and DRIFT_MAX_OUTPUT_TOKENS do, "
                    "or set DRIFT_FIRST_ANSWERS=0 if that is right"
                )
            )
            self.held.clear()
        return []

    def is_void(self, outcome: Done[Item, Result] | Failed[Item]) -> bool:
        if isinstance(outcome, Failed):
            return outcome.failure.lasting
        return self.doubt is not None and self.doubt.void(outcome.result)

    async def write_batch(self, batch: Sequence[Done[Item, Result] | Failed[Item]]) -> None:
        try:
            if batch and self.writable:
                await in_parts(batch, self.write_part)
        # What cannot be written must end the run; the loop goes on only to let the others finish.
        except Exception as error:  # noqa: BLE001
            self.stopped.append(error)
            self.writable = False

    async def write_part(self, batch: Sequence[Done[Item, Result] | Failed[Item]]) -> None:
        done = [outcome for outcome in batch if isinstance(outcome, Done)]
        failed = [outcome for outcome in batch if isinstance(outcome, Failed)]
        await self.write(done, failed)
        self.tally.done += len(done)
        self.tally.failed += len(failed)
        self.progress.advance(len(batch), failed=len(failed))

    async def start_all(self, items: AsyncIterator[Item], tasks: set[asyncio.Task[None]]) -> None:
        try:
            async for item in items:
                await self.room.acquire()
                await self.flight.acquire()
                if self.stopped:
                    break
                task = asyncio.create_task(self.perform(item))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
        # Without further items the run must end, but the calls in flight are paid for.
        except Exception as error:  # noqa: BLE001
            self.stopped.append(error)

    async def run(self, items: AsyncIterator[Item]) -> Tally:
        writer = asyncio.create_task(self.write_all())
        tasks: set[asyncio.Task[None]] = set()
        try:
            await self.start_all(items, tasks)
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.finished.put_nowait(None)
            await writer
        if self.stopped:
            raise self.stopped[0]
        return self.tally


async def in_parts(items: Sequence[Item], write: Callable[[Sequence[Item]], Awaitable[None]]) -> None:
    """All of `items` are written; a transaction that is too large for the server is split in halves.

    Raises GraphTooLarge where a single item is.
    """
    try:
        await write(items)
    except GraphTooLarge:
        if len(items) < 2:
            raise
        half = len(items) // 2
        await in_parts(items[:half], write)
        await in_parts(items[half:], write)


async def reconcile(
    items: AsyncIterator[Item],
    work: Callable[[Item], Awaitable[Result]],
    write: Callable[[Sequence[Done[Item, Result]], Sequence[Failed[Item]]], Awaitable[None]],
    *,
    concurrency: int,
    progress: Progress | None = None,
    doubt: Doubt[Result] | None = None,
) -> Tally:
    """Every item of `items` was worked on and its outcome written, in batches of whatever was ready.

    `work` fails an item by ItemFailed, CallTooLong or CallUnavailable. Any other error, of `items` and `write` too,
    stops the run after the calls in flight have ended and been written, and is raised then. On cancellation the calls
    in flight are given up and what is finished is written. `write` must be safe to repeat. `doubt` tells after how many
    answers that bring nothing RunStopped is raised.
    """
    engine = _Engine(work, write, concurrency, progress or Silent(), doubt)
    return await engine.run(items)


async def paged(
    fetch: Callable[[Key], Awaitable[Sequence[Item]]], key: Callable[[Item], Key], start: Key
) -> AsyncIterator[Item]:
    """Items page by page, each page being what `fetch` finds after the key of the last item: no long-lived cursor.

    The next page is fetched while one is worked off.
    """
    following = asyncio.ensure_future(fetch(start))
    try:
        while page := await following:
            following = asyncio.ensure_future(fetch(key(page[-1])))
            for item in page:
                yield item
    finally:
        await _given_up(following)


async def prepared(
    items: AsyncIterator[Item], prepare: Callable[[Item], Awaitable[Made]], count: int
) -> AsyncIterator[tuple[Item, Made]]:
    """The items in their order with what `prepare` makes of each, for `count` of them ahead of their turn."""
    waiting: deque[tuple[Item, asyncio.Future[Made]]] = deque()
    try:
        async for item in items:
            waiting.append((item, asyncio.ensure_future(prepare(item))))
            if len(waiting) > count:
                first, made = waiting.popleft()
                yield first, await made
        while waiting:
            first, made = waiting.popleft()
            yield first, await made
    finally:
        for _, made in waiting:
            await _given_up(made)


async def _given_up(work: asyncio.Future[Any]) -> None:
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
