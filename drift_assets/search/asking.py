"""One question of a search asked of the model: what its failure means, and what is kept of its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from drift_assets.errors import CallTooLong, CallUnavailable, ItemFailed, LimitReached
from drift_assets.graph.searches import Reading, StoredPassage, StoredQuestion, store_answer, store_reading
from drift_assets.language.tasks import Evidence, ScoredAnswer, Task
from drift_assets.language.usage import measured
from drift_assets.search.citations import cited_numbers, keep_citations
from drift_assets.search.context import evidence_of, halve
from drift_assets.search.step import Step

# Failures that cost a search one of its branches and no more.
BRANCH_FAILURES = (CallTooLong, CallUnavailable, ItemFailed)
ScoredTask = Callable[[tuple[Evidence, ...]], Task[ScoredAnswer]]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the calls of a round are shown: passages by number, those that an earlier call has `read` in part.

    It is being `stored` while the calls are under way, and is so before their answers are.
    """

    passages: Mapping[int, StoredPassage]
    read: Collection[int]
    stored: asyncio.Future[None]


@asynccontextmanager
async def showing(
    step: Step,
    known: Sequence[StoredPassage],
    new: Sequence[StoredPassage],
    readings: Sequence[Reading],
    read: Collection[int] = (),
) -> AsyncIterator[Shown]:
    """What the block's calls are shown, of passages that are `known` and `new`; stored at its end at the latest.

    Raises what the graph raises.
    """
    stored = asyncio.create_task(store_reading(step.graph, step.search.id, passages=new, readings=readings))
    try:
        yield Shown({passage.number: passage for passage in [*known, *new]}, read, stored)
    finally:
        await stored


async def ask(
    step: Step, question: StoredQuestion, numbers: Sequence[int], shown: Shown, task: ScoredTask
) -> StoredQuestion:
    """The question as it is now stored: answered, or failed, for instance because of a limit.

    An input that is too long is asked once more with half of its evidence. Citations of what was not given are taken
    out. Raises RunStopped and what the graph raises.
    """
    started = time.monotonic()
    with measured() as used:
        asked = await _outcome(step, question, tuple(numbers), shown, task)
    asked = replace(
        asked, calls=used.calls, tokens=used.tokens, cost_usd=used.cost_usd, seconds=time.monotonic() - started
    )
    await _kept(_store(step, asked, shown))
    return asked


async def _store(step: Step, asked: StoredQuestion, shown: Shown) -> None:
    await asyncio.shield(shown.stored)
    await store_answer(step.graph, step.search.id, asked, steps=step.steps())


async def _outcome(
    step: Step,
    question: StoredQuestion,
    given: tuple[int, ...],
    shown: Shown,
    task: ScoredTask,
) -> StoredQuestion:
    try:
        step.check_reserve()
        prompt = task(evidence_of(given, shown.passages, shown.read, question.text))
        try:
            output = await step.perform(prompt)
        except CallTooLong:
            given = halve(given, shown.passages)
            await asyncio.shield(shown.stored)
            await store_reading(step.graph, step.search.id, passages=(), readings=[Reading(question.id, given)])
            output = await step.perform(task(evidence_of(given, shown.passages, shown.read, question.text)))
        return answered(question, output, given, step.language.origin(type(prompt)))
    except (LimitReached, *BRANCH_FAILURES) as error:
        return replace(question, status="failed", reason=str(error))


async def _kept(write: Coroutine[Any, Any, None]) -> None:
    """The write is done, also when the search is interrupted meanwhile: what it writes is paid for."""
    task = asyncio.create_task(write)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def answered(question: StoredQuestion, output: ScoredAnswer, given: Sequence[int], origin: str) -> StoredQuestion:
    """The question with its answer, whose citations are held against the numbers that were `given`."""
    answer, removed = keep_citations(output.answer, set(given))
    return replace(
        question,
        status="answered",
        reason=None,
        answer=answer,
        score=output.score,
        cited=cited_numbers(answer),
        follow_ups=tuple(output.follow_ups),
        removed=removed,
        origin=origin,
    )
