"""The next round of a search: which follow-ups are worth their call.

Follow-ups are held apart by words and by vectors, ranked by what they would bring that was not read yet, and merged by
one call when there are more than a round may ask. All that is dropped is kept with its reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from drift_assets.embedding.model import Vector
from drift_assets.errors import LimitReached
from drift_assets.graph.gain import unseen_shares
from drift_assets.graph.searches import StoredQuestion, passages_of
from drift_assets.language.tasks import Candidate, Refine
from drift_assets.search.asking import BRANCH_FAILURES
from drift_assets.search.evidence import entities_of
from drift_assets.search.follow_ups import (
    FollowUp,
    Plan,
    apart,
    as_questions,
    by_gain,
    candidates,
    of_each_answer,
    refined,
    width,
    within,
)
from drift_assets.search.step import Step

# A call to refine a round pays only where an answer can follow it.
_CALLS_OF_REFINING = 2


@dataclass(slots=True)
class Vectors:
    """The vectors of questions, each text embedded once in an execution of the stage."""

    known: dict[str, Vector] = field(default_factory=dict)

    async def of(self, step: Step, texts: Sequence[str]) -> list[Vector]:
        """The vector of each text; raises what the embedder raises."""
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        if missing:
            self.known.update(zip(missing, await step.embed(missing), strict=True))
        return [self.known[text] for text in texts]

    def lack(self, texts: Sequence[str]) -> bool:
        """Whether one of the texts is still to be embedded."""
        return any(text not in self.known for text in texts)


def next_candidates(step: Step, questions: Sequence[StoredQuestion]) -> Plan:
    """What may be asked next, by its words alone: no call is made."""
    return candidates(questions, step.options)


async def plan_round(step: Step, plan: Plan, vectors: Vectors) -> list[StoredQuestion]:
    """The questions of the round as they are to be stored. Raises LimitReached where the limits allow no embedding."""
    vectors.known.setdefault(step.question, list(step.question_vector))
    try:
        await vectors.of(step, [*plan.asked.values(), *(one.text for one in plan.kept)])
    except BRANCH_FAILURES:
        # Whoever asks them embeds them again, and says what went wrong.
        return as_questions(within(of_each_answer(plan, step.options), width(plan, step.options)))
    plan = of_each_answer(apart(plan, vectors.known), step.options)
    if len(plan.kept) > 1:
        plan = by_gain(plan, await _unseen(step, plan.kept, vectors))
    most = width(plan, step.options)
    if len(plan.kept) > most and step.options.refine:
        plan = await _refined(step, plan, most)
    return as_questions(within(plan, most))


async def _unseen(step: Step, follow_ups: Sequence[FollowUp], vectors: Vectors) -> dict[str, float]:
    """The share of the evidence around each follow-up that no call of this search was given."""

    async def entities(text: str) -> list[str]:
        return [piece.id for piece in await entities_of(step, text, vectors.known[text])]

    texts = [one.text for one in follow_ups]
    known = await passages_of(step.graph, step.search.id)
    names = await asyncio.gather(*map(entities, texts))
    read = {passage.source_id for passage in known if passage.kind == "chunk"}
    return dict(zip(texts, await unseen_shares(step.graph, names=names, read=read), strict=True))


async def _refined(step: Step, plan: Plan, most: int) -> Plan:
    """The round merged and sharpened by a call; as it is where there is no room for the call, or it fails."""
    left = step.calls_left()
    if left is not None and left < _CALLS_OF_REFINING:
        return plan
    task = Refine(
        question=step.question,
        asked=tuple(plan.asked.values()),
        candidates=tuple(
            Candidate(number=n, question=one.text, asked_by=one.parent.text) for n, one in enumerate(plan.kept, 1)
        ),
        keep=most,
    )
    try:
        step.check_reserve()
        return refined(plan, await step.perform(task), most)
    except (LimitReached, *BRANCH_FAILURES):
        return plan
