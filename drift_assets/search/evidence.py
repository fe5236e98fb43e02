"""What a question is answered from: read around its nearest nodes, and kept within the budget of a call."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from random import Random

from drift_assets.graph.levels import report_by_number
from drift_assets.graph.retrieval import Piece
from drift_assets.graph.searches import StoredPassage
from drift_assets.search import lookup
from drift_assets.search.context import assemble, parts
from drift_assets.search.passages import PASSAGE_TOKENS, Wanted, rank
from drift_assets.search.reports import near_reports, reports_of
from drift_assets.search.step import Step
from drift_assets.tokens import count_tokens

# Chunks looked at by vectors, by words and by mentions, each; more where a context holds many.
_LOOKED_AT = 24
# Of the evidence that a search may read in all, what its first call may take.
FIRST_SHARE = 0.75
# Passages that were read before and are shown again by a sentence each.
_REFERENCES = 4
_OF_USER = 0.6


async def template(step: Step, vector: Sequence[float]) -> list[Piece]:
    """The report nearest to the question, or a random one, alone; empty when no report has a vector."""
    if step.options.hyde == "random" and step.documents is None:
        number = Random(step.options.seed).randrange(2**32)
        reports = await report_by_number(step.graph, vectors=step.vectors, number=number)
    else:
        reports = await near_reports(step, vector, 1)
    return assemble(reports, step.settings.context_tokens)


async def primer_contexts(step: Step) -> list[list[Piece]]:
    """The reports nearest to the hypothetical answer and, in a hybrid search, the passages for the question.

    Where no report has a vector, the nearest entities as well, and chunks in a search that is not hybrid. Reports
    that do not fit into one call are read by others, and so is each part of them when the search wants several folds.
    """
    reports = await near_reports(step, step.search.vector, step.options.communities)
    folds, budget = step.options.folds, step.settings.context_tokens
    if folds < 2:
        first = await _primer_context(step, reports)
        left = [report for report in reports if report.id not in {piece.id for piece in first}]
        return [first, *(parts(left, budget) if folds == 0 else [])]
    size = -(-len(reports) // folds) or 1
    runs = [reports[start : start + size] for start in range(0, len(reports), size)]
    first = await _primer_context(step, runs[0] if runs else [])
    return [first, *(assemble(run, budget) for run in runs[1:])]


async def _primer_context(step: Step, reports: list[Piece]) -> list[Piece]:
    options, vector = step.options, step.search.vector
    if options.hybrid:
        entities = await entities_of(step, step.question, step.question_vector)
        room = int((step.evidence_left() or 0) * FIRST_SHARE) or options.chunks * step.settings.chunk_tokens
        passages = await _passages(
            step, [Wanted(step.question)], step.question_vector, [entity.id for entity in entities], room, ()
        )
        return assemble([*passages, *reports, *([] if reports else entities)], step.settings.context_tokens)
    if not reports:
        chunks, entities = await asyncio.gather(
            lookup.chunks_near(step, vector, max(1, options.chunks)),
            lookup.entities_near(step, vector, options.entities),
        )
        return assemble([*chunks, *entities], step.settings.context_tokens)
    return assemble(reports, step.settings.context_tokens)


async def local_context(
    step: Step, question: str, vector: Sequence[float], known: Sequence[StoredPassage] = (), room: int | None = None
) -> list[Piece]:
    """What lies around the entities that the question names or is nearest to, and its passages.

    Passages beyond those that are `known` take `room` tokens, by default as many as `chunks` chunks. In a search that
    is not hybrid: the chunks that mention most of the entities, and where no entity has a vector the nearest ones.
    """
    options = step.options
    if not options.hybrid:
        entities = await lookup.entities_near(step, vector, options.entities)
        if not entities:
            chunks = await lookup.chunks_near(step, vector, max(1, options.chunks))
            return assemble(chunks, step.settings.context_tokens)
    else:
        entities = await entities_of(step, question, vector)
    names = [entity.id for entity in entities]
    chunks, reports, relationships = await asyncio.gather(
        _chunks(step, question, vector, names, known, room),
        reports_of(step, names),
        lookup.relationships_of(step, names, options.relationships),
    )
    return assemble([*chunks, *reports, *relationships, *entities], step.settings.context_tokens)


async def _chunks(
    step: Step,
    question: str,
    vector: Sequence[float],
    names: Sequence[str],
    known: Sequence[StoredPassage],
    room: int | None,
) -> list[Piece]:
    options = step.options
    if not options.hybrid:
        return await lookup.chunks_about(step, names, vector, options.chunks)
    wanted = [Wanted(question), Wanted(step.question, _OF_USER)]
    read = {(passage.source_id, passage.text) for passage in known if passage.kind == "chunk"}
    if room is None:
        room = options.chunks * step.settings.chunk_tokens
    # Nearness to the sum of two unit vectors is the mean of the nearness to each.
    both = [one + other for one, other in zip(vector, step.question_vector, strict=True)]
    return await _passages(step, wanted, both, names, room, read)


async def _passages(
    step: Step,
    wanted: Sequence[Wanted],
    vector: Sequence[float],
    names: Sequence[str],
    room: int,
    read: Collection[tuple[str, str]],
) -> list[Piece]:
    """The best passages, as many as `room` tokens hold, beside the best few of those that were `read` before."""
    if room <= 0:
        return []
    count = max(_LOOKED_AT, 2 * room // step.settings.chunk_tokens)
    candidates = await lookup.chunks_to_rank(step, wanted[0].text, vector, names, count)
    taken: list[Piece] = []
    references = 0
    for piece in rank(wanted, candidates, 2 * room // PASSAGE_TOKENS + len(read) + 1):
        if (piece.id, piece.text) in read:
            references += 1
            if references <= _REFERENCES:
                taken.append(piece)
        elif (size := count_tokens(piece.text)) <= room:
            room -= size
            taken.append(piece)
    return taken


async def entities_of(step: Step, question: str, vector: Sequence[float]) -> list[Piece]:
    """The entities that the question names, then those nearest to it; looked up once in an execution of the stage."""
    if question not in step.entities:
        step.entities[question] = await _look_up(step, question, vector)
    return step.entities[question]


async def _look_up(step: Step, question: str, vector: Sequence[float]) -> list[Piece]:
    count = step.options.entities
    named, near = await asyncio.gather(
        lookup.names_in(step, question, count), lookup.entities_near(step, vector, count)
    )
    first = await lookup.entities_named(step, named)
    return [*first, *(entity for entity in near if entity.id not in named)][:count]
