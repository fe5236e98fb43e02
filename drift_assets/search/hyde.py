"""Stage hyde: where the search starts, as a vector.

A hypothetical answer in the style of a report lies nearer to the reports that hold the answer than the question does
(HyDE, https://arxiv.org/abs/2212.10496). Its template is the report nearest to the question.
"""

from __future__ import annotations

from drift_assets.errors import LimitReached
from drift_assets.graph.retrieval import Piece
from drift_assets.graph.searches import passages_of, store_reading, store_start
from drift_assets.language.tasks import Hyde
from drift_assets.search.asking import BRANCH_FAILURES
from drift_assets.search.context import admit, number_passages
from drift_assets.search.conversation import stand_alone
from drift_assets.search.evidence import template
from drift_assets.search.step import Step


async def hyde(step: Step) -> None:
    """The hypothetical answer and its vector are stored; those of the question where there is none.

    Methods other than drift start from the question, and so does drift with `hyde` off; a replay starts from what it
    took over.
    """
    if step.options.replay is not None:
        return
    await stand_alone(step)
    search = step.search
    question_vector = (await step.embed([step.question]))[0]
    if step.options.method != "drift" or step.options.hyde == "off":
        await store_start(
            step.graph,
            search.id,
            hyde="",
            vector=question_vector,
            question_vector=question_vector,
            steps=step.steps(),
        )
        return
    [report] = admit([await template(step, question_vector)], (), step.options.evidence_tokens)
    passages, _ = number_passages([report], await passages_of(step.graph, search.id))
    await store_reading(step.graph, search.id, passages=passages)
    text, vector = "", question_vector
    try:
        text = await _hypothesis(step, report)
        if text:
            vector = (await step.embed([text]))[0]
    except LimitReached as error:
        step.note(str(error))
    except BRANCH_FAILURES as error:
        step.note(f"the search started from the question alone: {error}")
    await store_start(
        step.graph, search.id, hyde=text, vector=vector, question_vector=question_vector, steps=step.steps()
    )


async def _hypothesis(step: Step, report: list[Piece]) -> str:
    text = "\n".join(f"{piece.title}\n{piece.text}" for piece in report)
    return (await step.perform(Hyde(question=step.question, template=text))).answer
