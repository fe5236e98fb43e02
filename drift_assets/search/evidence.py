"""What a question is answered from: read around its nearest nodes, and kept within the budget of a call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from drift_assets.graph.retrieval import (
    Piece,
    chunks_mentioning,
    nearest_chunks,
    nearest_entities,
    nearest_reports,
    relationships_between,
    reports_above,
)
from drift_assets.search.context import assemble
from drift_assets.search.step import Step


async def template(step: Step, vector: Sequence[float]) -> list[Piece]:
    """The report nearest to the question, alone; empty when no report has a vector."""
    reports = await nearest_reports(step.graph, vectors=step.vectors, vector=vector, count=1)
    return assemble(reports, step.settings.context_tokens)


async def primer_context(step: Step, vector: Sequence[float]) -> list[Piece]:
    """The nearest reports; where no report has a vector, the nearest chunks and entities."""
    graph, options, vectors = step.graph, step.options, step.vectors
    pieces = await nearest_reports(graph, vectors=vectors, vector=vector, count=options.communities)
    if not pieces:
        chunks, entities = await asyncio.gather(
            nearest_chunks(graph, vectors=vectors, vector=vector, count=max(1, options.chunks)),
            nearest_entities(graph, vectors=vectors, vector=vector, count=options.entities),
        )
        pieces = [*chunks, *entities]
    return assemble(pieces, step.settings.context_tokens)


async def local_context(step: Step, vector: Sequence[float]) -> list[Piece]:
    """What lies around the entities nearest to the question; where no entity has a vector, the nearest chunks."""
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
