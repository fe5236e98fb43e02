"""Stage reduce: one answer from all intermediate ones, and how far it can be trusted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drift_assets.english import is_english_question
from drift_assets.errors import CallTooLong, ItemFailed, LimitReached
from drift_assets.graph.searches import (
    FinalText,
    SearchStatus,
    StoredQuestion,
    finish_search,
    passages_of,
    questions_of,
)
from drift_assets.language.streaming import aloud
from drift_assets.language.tasks import FinalAnswer, IntermediateAnswer, Reduce
from drift_assets.search.asking import BRANCH_FAILURES
from drift_assets.search.citations import cited_numbers, keep_citations
from drift_assets.search.grounding import ground
from drift_assets.search.step import Step
from drift_assets.search.support import marked, unsupported, without
from drift_assets.tokens import count_tokens

NOT_FOUND = "The indexed documents do not answer this question."
NOT_READ = (
    "This question does not seem to be in English, the one language that is read without a language model: "
    "ask in English, or set OPENAI_API_KEY."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The final answer, with citations in the search's numbers; `removed` counts those that were invented."""

    answer: str
    found: bool
    origin: str
    removed: int = 0


async def reduce(step: Step) -> None:
    """The search is finished with its answer and status.

    Raises ItemFailed when not one question was answered and that is not for want of evidence.
    """
    questions = await questions_of(step.graph, step.search.id)
    answers = choose_answers(
        questions,
        min_score=step.options.min_score,
        budget=step.settings.context_tokens,
        least=step.options.min_answers,
    )
    if asked_itself(questions):
        step.note("the primer led to no further question, so the question itself was searched for")
    outcome = await _outcome(step, questions, answers)
    if not outcome.found and outcome.origin == "extractive" and not is_english_question(step.search.question):
        outcome = replace(outcome, answer=NOT_READ)
    answer, grounded = (await _held(step, outcome.answer)) if outcome.found else (outcome.answer, None)
    notes = [note for use in step.uses.values() for note in use.notes]
    failed = [question for question in questions if question.status == "failed"]
    status: SearchStatus = "partial" if notes or failed else "complete"
    await finish_search(
        step.graph,
        step.search.id,
        status=status if outcome.found else "not_found",
        final=FinalText(answer, outcome.origin, outcome.removed, grounded),
        finished=time.time(),
    )


async def _held(step: Step, answer: str) -> tuple[str, float | None]:
    """The answer held against what it cites, and the share of its citing sentences that this supports.

    Where nothing would be left, what is not supported is marked instead of removed.
    """
    known = await passages_of(step.graph, step.search.id)
    answer, new = await ground(step, answer, known)
    passages = {passage.number: passage for passage in [*known, *new]}
    doubts, count = await unsupported(step, answer, passages)
    if doubts and step.options.unsupported == "remove" and (kept := without(answer, doubts)):
        answer = kept
    elif doubts and step.options.unsupported != "keep":
        answer = marked(answer, doubts)
    return answer, (count - len(doubts)) / count if count else None


def choose_answers(
    questions: Sequence[StoredQuestion], *, min_score: float, budget: int, least: int = 1
) -> list[StoredQuestion]:
    """The answers to reduce, best first (score, then round, then order), within `budget` tokens.

    Those below `min_score` are left out, but not the best `least`. The first is in whatever its length.
    """
    ranked = sorted(
        (question for question in questions if question.status == "answered" and question.answer),
        key=lambda question: (-(question.score or 0.0), question.round, question.order),
    )
    worthy = [question for n, question in enumerate(ranked) if n < least or (question.score or 0.0) >= min_score]
    chosen: list[StoredQuestion] = []
    for question in worthy:
        size = count_tokens(question.text) + count_tokens(question.answer)
        if size <= budget or not chosen:
            chosen.append(question)
            budget -= size
    return chosen


def asked_itself(questions: Sequence[StoredQuestion]) -> bool:
    """Whether the first round asked the user's own question, for want of follow-ups."""
    asked = [question.text for question in questions if question.round == 1 and question.status != "dropped"]
    return asked == [questions[0].text] and questions[0].status == "answered"


async def _outcome(step: Step, questions: Sequence[StoredQuestion], answers: Sequence[StoredQuestion]) -> Outcome:
    if not answers:
        _raise_if_prevented(questions)
        return Outcome(NOT_FOUND, found=False, origin=step.language.origin(Reduce))
    try:
        try:
            output = await _answered_aloud(step, answers)
        except CallTooLong:
            answers = answers[: max(1, len(answers) // 2)]
            step.note("only the better half of the intermediate answers fitted into the final call")
            output = await _answered_aloud(step, answers)
    except (LimitReached, *BRANCH_FAILURES) as error:
        step.note(f"the best intermediate answer stands for the final one: {error}")
        return Outcome(answers[0].answer, found=True, origin=answers[0].origin or "")
    return _checked(step, output, answers)


async def _answered_aloud(step: Step, answers: Sequence[StoredQuestion]) -> FinalAnswer:
    with aloud("answer"):
        return await step.perform(_task(step, answers))


def _checked(step: Step, output: FinalAnswer, answers: Sequence[StoredQuestion]) -> Outcome:
    """The model's answer, whose citations are held against those of the answers it was made from."""
    origin = step.language.origin(Reduce)
    allowed = {number for question in answers for number in question.cited}
    answer, removed = keep_citations(output.answer, allowed)
    if not output.found:
        return Outcome(answer or NOT_FOUND, found=False, origin=origin, removed=removed)
    if not answer:
        step.note("the best intermediate answer stands for the final one, which came back empty")
        return Outcome(answers[0].answer, found=True, origin=answers[0].origin or origin, removed=removed)
    if not cited_numbers(answer):
        step.note("the answer names no source")
    return Outcome(answer, found=True, origin=origin, removed=removed)


def _task(step: Step, answers: Sequence[StoredQuestion]) -> Reduce:
    return Reduce(
        question=step.question,
        answers=tuple(
            IntermediateAnswer(question=question.text, answer=question.answer, score=question.score or 0.0)
            for question in answers
        ),
        response_type=step.options.form,
    )


def _raise_if_prevented(questions: Sequence[StoredQuestion]) -> None:
    """No answer because of failures or limits is no "not found"."""
    reasons = [question.reason for question in questions if question.status == "failed" and question.reason]
    if reasons:
        raise ItemFailed(f"not one question of the search was answered: {reasons[0]}")
