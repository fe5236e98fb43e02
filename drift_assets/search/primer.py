"""Stage primer: a first answer, and what to look up next.

DRIFT primes from the nearest reports and the question's own passages. The other methods answer here, in one call or
several, and look nothing up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from drift_assets.graph.retrieval import Piece
from drift_assets.graph.searches import (
    Reading,
    StoredQuestion,
    passages_of,
    questions_of,
    store_answer,
    store_questions,
)
from drift_assets.language.tasks import Evidence, Prime, ScoredAnswer, Task
from drift_assets.search import methods
from drift_assets.search.asking import Shown, ask, showing
from drift_assets.search.context import admit, number_passages
from drift_assets.search.evidence import primer_contexts
from drift_assets.search.follow_ups import PRIMER_FOLLOW_UPS
from drift_assets.search.step import Step

NO_EVIDENCE = "the index holds nothing to read for it"


async def primer(step: Step) -> None:
    """The root of the tree is answered, or says why not. An answer that is stored already is not asked for again."""
    if step.options.replay is not None:
        return
    questions = await questions_of(step.graph, step.search.id)
    if step.options.method == "drift":
        if any(question.status != "answered" for question in questions if question.round == 0):
            await _prime(step, questions)
    elif any(question.status in ("waiting", "failed") for question in questions):
        await _by_method(step, questions)


async def _prime(step: Step, questions: Sequence[StoredQuestion]) -> None:
    """The root is asked of the first fold, and a copy of it in the same round of each other."""
    known = await passages_of(step.graph, step.search.id)
    contexts = admit(await primer_contexts(step), known, step.options.evidence_tokens)
    contexts = [contexts[0], *(context for context in contexts[1:] if context)]
    asked = await _for_each(step, questions, len(contexts), round=0, first=1)
    await _asked(step, asked, contexts, lambda evidence: _prime_task(step, evidence))


async def _by_method(step: Step, questions: Sequence[StoredQuestion]) -> None:
    """One question of the tree for each call: the root, and below it one for each part of what it could not read."""
    contexts = await methods.contexts(step) or [[]]
    asked = await _for_each(step, questions, len(contexts), round=1, first=0)
    await _asked(step, asked, contexts, lambda evidence: methods.task(step, evidence))


async def _for_each(
    step: Step, questions: Sequence[StoredQuestion], count: int, *, round: int, first: int
) -> list[StoredQuestion]:
    """The root and copies of it below it, `count` in all, as they are stored; a copy has its place from `first` on."""
    root = questions[0]
    more = [
        replace(
            root,
            id=f"{step.search.id}.{round}.{n}",
            parent=root.id,
            round=round,
            order=n,
            status="waiting",
            reason=None,
        )
        for n in range(first, first + count - 1)
    ]
    stored = {question.id: question for question in questions}
    await store_questions(step.graph, step.search.id, [question for question in more if question.id not in stored])
    return [stored.get(question.id, question) for question in (root, *more)]


async def _asked(
    step: Step,
    questions: Sequence[StoredQuestion],
    contexts: Sequence[Sequence[Piece]],
    task: Callable[[tuple[Evidence, ...]], Task[ScoredAnswer]],
) -> None:
    """Each of the questions that has no answer yet is asked of its context."""
    due = [(q, context) for q, context in zip(questions, contexts, strict=True) if q.status != "answered"]
    known = await passages_of(step.graph, step.search.id)
    new, numbers = number_passages([context for _, context in due], known)
    readings = [Reading(question.id, read) for (question, _), read in zip(due, numbers, strict=True) if read]
    slots = asyncio.Semaphore(step.options.parallel)

    async def answer(question: StoredQuestion, read: tuple[int, ...], shown: Shown) -> None:
        async with slots:
            if read:
                await ask(step, question, read, shown, task)
            else:
                nothing = replace(question, status="dropped", reason=NO_EVIDENCE)
                await store_answer(step.graph, step.search.id, nothing, steps=step.steps())

    async with showing(step, known, new, readings) as shown:
        await asyncio.gather(*(answer(question, read, shown) for (question, _), read in zip(due, numbers, strict=True)))


def _prime_task(step: Step, evidence: tuple[Evidence, ...]) -> Prime:
    options = step.options
    return Prime(
        question=step.question,
        evidence=evidence,
        response_type=options.form,
        follow_ups=max(PRIMER_FOLLOW_UPS, options.follow_ups) if options.depth else 0,
    )
