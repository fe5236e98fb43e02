"""Stage local: rounds of local searches, each around the entities nearest to its question.

All contexts of a round are read and numbered before its first call, in the order of the questions, and the next round
is planned when all are done: so prompts do not depend on which answer comes first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from drift_assets.embedding.model import Vector
from drift_assets.errors import LimitReached
from drift_assets.graph.retrieval import (
    Piece,
    chunks_mentioning,
    nearest_chunks,
    nearest_entities,
    relationships_between,
    reports_above,
)
from drift_assets.graph.searches import (
    Reading,
    StoredPassage,
    StoredQuestion,
    passages_of,
    questions_of,
    store_answer,
    store_questions,
    store_reading,
)
from drift_assets.language.tasks import Answer, Evidence
from drift_assets.progress import Progress, Silent, current
from drift_assets.search.asking import BRANCH_FAILURES, ask
from drift_assets.search.context import assemble, number_passages
from drift_assets.search.follow_ups import next_round, waiting_round
from drift_assets.search.primer import NO_EVIDENCE
from drift_assets.search.step import Step, limit_reached


async def local(step: Step) -> None:
    """No question waits, and no further round is due. Questions that failed in an earlier execution are asked again."""
    await _ask_failed_again(step)
    while True:
        questions = await questions_of(step.graph, step.search.id)
        waiting = waiting_round(questions)
        if not waiting:
            planned = next_round(questions, step.options)
            await store_questions(step.graph, step.search.id, planned)
            waiting = waiting_round(planned)
        if not waiting:
            return
        await _round(step, await _within_calls(step, waiting))


async def _ask_failed_again(step: Step) -> None:
    for question in await questions_of(step.graph, step.search.id):
        if question.status == "failed" and question.round > 0:
            again = replace(question, status="waiting", reason=None)
            await store_answer(step.graph, step.search.id, again, steps=step.steps())


async def _within_calls(step: Step, waiting: Sequence[StoredQuestion]) -> list[StoredQuestion]:
    """The questions that a limit on calls leaves room for, beside the round's embedding; the others are dropped."""
    left = step.calls_left()
    room = len(waiting) if left is None else max(0, left - 1)
    if room < len(waiting) and step.options.max_calls is not None:
        await _drop(step, waiting[room:], limit_reached("calls", step.options.max_calls))
    return list(waiting[:room])


async def _round(step: Step, waiting: Sequence[StoredQuestion]) -> None:
    """Each of the questions is answered, failed or dropped."""
    if not waiting:
        return
    try:
        step.check_reserve()
        vectors = await step.embed([question.text for question in waiting])
    except LimitReached as error:
        await _drop(step, waiting, error)
        return
    except BRANCH_FAILURES as error:
        for question in waiting:
            failed = replace(question, status="failed", reason=str(error))
            await store_answer(step.graph, step.search.id, failed, steps=step.steps())
        return
    contexts = await asyncio.gather(*(_context(step, vector) for vector in vectors))
    known = await passages_of(step.graph, step.search.id)
    new, numbers = number_passages(contexts, known)
    await store_reading(
        step.graph,
        step.search.id,
        passages=new,
        readings=[Reading(question.id, read) for question, read in zip(waiting, numbers, strict=True)],
    )
    await _answers(step, waiting, numbers, {passage.number: passage for passage in [*known, *new]})


async def _answers(
    step: Step,
    waiting: Sequence[StoredQuestion],
    numbers: Sequence[tuple[int, ...]],
    passages: dict[int, StoredPassage],
) -> None:
    progress: Progress = current() or Silent()
    progress.stage(f"local searches, round {waiting[0].round}", len(waiting))
    slots = asyncio.Semaphore(step.options.parallel)
    stopped = False

    async def answer(question: StoredQuestion, read: tuple[int, ...]) -> None:
        nonlocal stopped
        async with slots:
            if stopped:
                return
            try:
                asked = await _answer(step, question, read, passages)
            except BaseException:
                stopped = True
                raise
        progress.advance(failed=int(asked.status == "failed"))

    # Calls in flight are paid for: they finish and are kept also when another one stops the search.
    outcomes = await asyncio.gather(
        *(answer(question, read) for question, read in zip(waiting, numbers, strict=True)), return_exceptions=True
    )
    for outcome in outcomes:
        if outcome is not None:
            raise outcome


async def _answer(
    step: Step, question: StoredQuestion, read: tuple[int, ...], passages: dict[int, StoredPassage]
) -> StoredQuestion:
    if read:
        return await ask(step, question, read, passages, lambda evidence: _task(step, question, evidence))
    nothing = replace(question, status="dropped", reason=NO_EVIDENCE)
    await store_answer(step.graph, step.search.id, nothing, steps=step.steps())
    return nothing


def _task(step: Step, question: StoredQuestion, evidence: tuple[Evidence, ...]) -> Answer:
    return Answer(
        question=step.search.question,
        local_question=question.text,
        evidence=evidence,
        response_type=step.options.response_type,
        follow_ups=step.options.follow_ups if question.round < step.options.depth else 0,
    )


async def _context(step: Step, vector: Vector) -> list[Piece]:
    """What lies around the entities nearest to the question; without any, the nearest chunks."""
    graph, options, vectors = step.graph, step.options, step.vectors
    entities = await nearest_entities(graph, vectors=vectors, vector=vector, count=options.entities)
    if not entities:
        chunks = await nearest_chunks(graph, vectors=vectors, vector=vector, count=max(1, options.chunks))
        return assemble(chunks, step.settings.context_tokens)
    names = [entity.id for entity in entities]
    chunks, reports, relationships = await asyncio.gather(
        chunks_mentioning(graph, names=names, vectors=vectors, vector=vector, count=options.chunks),
        reports_above(graph, names=names, count=options.reports),
        relationships_between(graph, names=names, count=options.relationships),
    )
    return assemble([*chunks, *reports, *relationships, *entities], step.settings.context_tokens)


async def _drop(step: Step, questions: Sequence[StoredQuestion], limit: LimitReached) -> None:
    step.note(str(limit))
    for question in questions:
        dropped = replace(question, status="dropped", reason=str(limit))
        await store_answer(step.graph, step.search.id, dropped, steps=step.steps())
