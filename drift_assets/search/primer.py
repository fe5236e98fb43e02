"""Stage primer: a first answer from the nearest reports, and what to look up next."""

from __future__ import annotations

from dataclasses import replace

from drift_assets.graph.searches import Reading, passages_of, questions_of, store_answer, store_reading
from drift_assets.language.tasks import Evidence, Prime
from drift_assets.search.asking import ask
from drift_assets.search.context import number_passages
from drift_assets.search.evidence import primer_context
from drift_assets.search.follow_ups import PRIMER_FOLLOW_UPS
from drift_assets.search.step import Step

NO_EVIDENCE = "the index holds nothing to read for it"


async def primer(step: Step) -> None:
    """The root of the tree is answered, or says why not. An answer that is stored already is not asked for again."""
    search, options = step.search, step.options
    root = (await questions_of(step.graph, search.id))[0]
    if root.status == "answered":
        return
    context = await primer_context(step, search.vector)
    if not context:
        nothing = replace(root, status="dropped", reason=NO_EVIDENCE)
        await store_answer(step.graph, search.id, nothing, steps=step.steps())
        return
    known = await passages_of(step.graph, search.id)
    new, [numbers] = number_passages([context], known)
    await store_reading(step.graph, search.id, passages=new, readings=[Reading(root.id, numbers)])

    def task(evidence: tuple[Evidence, ...]) -> Prime:
        return Prime(
            question=search.question,
            evidence=evidence,
            response_type=options.response_type,
            follow_ups=max(PRIMER_FOLLOW_UPS, options.follow_ups) if options.depth else 0,
        )

    await ask(step, root, numbers, {passage.number: passage for passage in [*known, *new]}, task)
