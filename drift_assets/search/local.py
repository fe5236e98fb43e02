"""Stage local: rounds of local searches, each around the entities nearest to its question.

All contexts of a round are read and numbered before its first call, in the order of the questions, and the next round
is planned when all are done: so prompts do not depend on which answer comes first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from drift_assets.errors import LimitReached
from drift_assets.graph.retrieval import Piece
from drift_assets.graph.searches import (
    Reading,
    StoredQuestion,
    passages_of,
    questions_of,
    read_before,
    store_answer,
    store_questions,
)
from drift_assets.language.tasks import Answer, Evidence
from drift_assets.progress import Progress, Silent, current
from drift_assets.search.asking import BRANCH_FAILURES, Shown, ask, showing
from drift_assets.search.context import admit, number_passages
from drift_assets.search.evidence import local_context
from drift_assets.search.follow_ups import as_questions, waiting_round
from drift_assets.search.planning import Vectors, next_candidates, plan_round
from drift_assets.search.primer import NO_EVIDENCE
from drift_assets.search.step import Step, limit_reached

NOTHING_NEW = "the round brings nothing that was not read before"


async def local(step: Step) -> None:
    """No question waits, and no further round is due or allowed.

    Questions that failed in an earlier execution are asked again. Only drift has rounds.
    """
    options = step.options
    if options.method != "drift" or (options.replay is not None and options.replay_from == "reduce"):
        return
    for question in await questions_of(step.graph, step.search.id):
        if question.status == "failed" and question.round > 0:
            await _store(step, replace(question, status="waiting", reason=None))
    vectors = Vectors()
    while waiting := await _next_questions(step, vectors):
        await _round(step, waiting, vectors)


async def _next_questions(step: Step, vectors: Vectors) -> list[StoredQuestion]:
    """Those that wait, else those of a new round; none when the search is done or a limit allows no further round."""
    questions = await questions_of(step.graph, step.search.id)
    if waiting := waiting_round(questions):
        return waiting
    plan = next_candidates(step, questions)
    planned = as_questions(plan)
    if plan.kept:
        try:
            _room_for_questions(step, vectors, [one.text for one in plan.kept])
            planned = await plan_round(step, plan, vectors)
        except LimitReached as error:
            step.note(str(error))
            return []
    await store_questions(step.graph, step.search.id, planned)
    return waiting_round(planned)


def _room_for_questions(step: Step, vectors: Vectors, texts: Sequence[str]) -> int | None:
    """How many questions may be asked beside their embedding, None without a limit; LimitReached when none may."""
    step.check_reserve()
    left = step.calls_left()
    if left is None or step.options.max_calls is None:
        return None
    left -= vectors.lack(texts)
    if left < 1:
        raise limit_reached("calls", step.options.max_calls)
    return left


async def _round(step: Step, waiting: Sequence[StoredQuestion], known_vectors: Vectors) -> None:
    """Each of the questions is answered, failed or dropped."""
    try:
        room = _room_for_questions(step, known_vectors, [question.text for question in waiting])
        asked, left_over = waiting[:room], waiting[len(waiting[:room]) :]
        vectors, known, earlier = await asyncio.gather(
            known_vectors.of(step, [question.text for question in asked]),
            passages_of(step.graph, step.search.id),
            read_before(step.graph, step.search.id, round=waiting[0].round),
        )
    except (LimitReached, *BRANCH_FAILURES) as error:
        await _fail(step, waiting, str(error))
        return
    if left_over and step.options.max_calls is not None:
        await _fail(step, left_over, str(limit_reached("calls", step.options.max_calls)))
    read = [passage for passage in known if passage.number in earlier]
    left = step.evidence_left(known)
    unread = None if left is None else min(left, step.options.chunks * step.settings.chunk_tokens)
    contexts: Sequence[Sequence[Piece]] = await asyncio.gather(
        *(
            local_context(step, question.text, vector, read, unread)
            for question, vector in zip(asked, vectors, strict=True)
        )
    )
    contexts = admit(contexts, known, step.options.evidence_tokens)
    new, numbers = number_passages(contexts, known)
    readings = [Reading(question.id, given) for question, given in zip(asked, numbers, strict=True)]
    async with showing(step, known, new, readings, earlier) as shown:
        if step.options.evidence_tokens is not None:
            asked, numbers = await _with_news(step, asked, numbers, earlier)
        elif all(set(given) <= earlier for given in numbers):
            for question in asked:
                await _store(step, replace(question, status="dropped", reason=NOTHING_NEW))
            return
        await _answers(step, asked, numbers, shown)


async def _with_news(
    step: Step, asked: Sequence[StoredQuestion], numbers: Sequence[tuple[int, ...]], read: set[int]
) -> tuple[list[StoredQuestion], list[tuple[int, ...]]]:
    """The questions that read something new; where the evidence is used up the others are dropped unpaid."""
    due = []
    for question, given in zip(asked, numbers, strict=True):
        if set(given) <= read:
            reason = f"evidence_tokens {step.options.evidence_tokens:,} leaves nothing new to read for it"
            await _store(step, replace(question, status="dropped", reason=reason))
        else:
            due.append((question, given))
    return [question for question, _ in due], [given for _, given in due]


async def _answers(
    step: Step,
    asked: Sequence[StoredQuestion],
    numbers: Sequence[tuple[int, ...]],
    shown: Shown,
) -> None:
    if not asked:
        return
    progress: Progress = current() or Silent()
    progress.stage(f"local searches, round {asked[0].round}", len(asked))
    slots = asyncio.Semaphore(step.options.parallel)
    stopped = False

    async def answer(question: StoredQuestion, read: tuple[int, ...]) -> None:
        nonlocal stopped
        async with slots:
            if stopped:
                return
            try:
                answered = await _answer(step, question, read, shown)
            except BaseException:
                stopped = True
                raise
        progress.advance(failed=int(answered.status == "failed"))

    calls = {
        asyncio.create_task(answer(question, read)): question for question, read in zip(asked, numbers, strict=True)
    }
    try:
        late = await _too_late(calls.keys(), step.options.late_seconds)
    except asyncio.CancelledError:
        # To wait for tasks does not cancel them, and what is answered already is to be written.
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        raise
    for call in late:
        call.cancel()
    # Calls in flight are paid for: they finish and are kept also when another one stops the search.
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    answered = (
        {q.id for q in await questions_of(step.graph, step.search.id) if q.status == "answered"} if late else set()
    )
    for outcome, (call, question) in zip(outcomes, calls.items(), strict=True):
        if call in late and isinstance(outcome, asyncio.CancelledError):
            # It may have come while it was given up, and is kept then.
            if question.id in answered:
                continue
            reason = f"late: no answer within late_seconds {step.options.late_seconds:g}"
            await _store(step, replace(question, status="failed", reason=reason))
        elif outcome is not None:
            raise outcome


async def _too_late(calls: Collection[asyncio.Task[None]], seconds: float | None) -> set[asyncio.Task[None]]:
    """The calls that are still open after these seconds, once at least half are in; none without such a limit."""
    if seconds is None:
        return set()
    done, waiting = await asyncio.wait(calls, timeout=seconds)
    while waiting and len(done) < len(waiting):
        more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        done |= more
    return waiting


async def _answer(
    step: Step,
    question: StoredQuestion,
    read: tuple[int, ...],
    shown: Shown,
) -> StoredQuestion:
    def task(evidence: tuple[Evidence, ...]) -> Answer:
        return Answer(
            question=step.question,
            local_question=question.text,
            evidence=evidence,
            response_type=step.options.form,
            follow_ups=step.options.follow_ups if question.round < step.options.depth else 0,
        )

    if read:
        return await ask(step, question, read, shown, task)
    return await _store(step, replace(question, status="dropped", reason=NO_EVIDENCE))


async def _fail(step: Step, questions: Sequence[StoredQuestion], reason: str) -> None:
    for question in questions:
        await _store(step, replace(question, status="failed", reason=reason))


async def _store(step: Step, question: StoredQuestion) -> StoredQuestion:
    await store_answer(step.graph, step.search.id, question, steps=step.steps())
    return question
