"""What a search asks of the index: of all its documents, or of those that the search may read."""

from __future__ import annotations

from collections.abc import Sequence

from drift_assets.graph import levels, retrieval, within
from drift_assets.graph.candidates import Candidate, Scope, candidate_chunks, named_entities
from drift_assets.graph.retrieval import Piece
from drift_assets.search.step import Step


async def chunks_near(step: Step, vector: Sequence[float], count: int) -> list[Piece]:
    """The chunks nearest to `vector`."""
    if step.documents is None:
        return await retrieval.nearest_chunks(step.graph, vectors=step.vectors, vector=vector, count=count)
    return await within.nearest_chunks(
        step.graph, documents=step.documents, vectors=step.vectors, vector=vector, count=count
    )


async def entities_near(step: Step, vector: Sequence[float], count: int) -> list[Piece]:
    """The entities nearest to `vector`."""
    if step.documents is None:
        return await retrieval.nearest_entities(step.graph, vectors=step.vectors, vector=vector, count=count)
    return await within.nearest_entities(
        step.graph, documents=step.documents, vectors=step.vectors, vector=vector, count=count
    )


async def entities_named(step: Step, names: Sequence[str]) -> list[Piece]:
    """The entities with these keys, in this order."""
    if step.documents is None:
        return await retrieval.entities_by_name(step.graph, names=names)
    return await within.entities_by_name(step.graph, documents=step.documents, names=names)


async def names_in(step: Step, text: str, count: int) -> list[str]:
    """Keys of the entities that `text` names."""
    return await named_entities(step.graph, text=text, count=count, words=step.words)


async def chunks_about(step: Step, names: Sequence[str], vector: Sequence[float], count: int) -> list[Piece]:
    """The chunks that mention most of the named entities."""
    if step.documents is None:
        return await retrieval.chunks_mentioning(
            step.graph, names=names, vectors=step.vectors, vector=vector, count=count
        )
    return await within.chunks_mentioning(
        step.graph, documents=step.documents, names=names, vectors=step.vectors, vector=vector, count=count
    )


async def chunks_to_rank(
    step: Step, text: str, vector: Sequence[float], names: Sequence[str], count: int
) -> list[Candidate]:
    """Chunks that may bear on `text`, found by vectors, by words and by mentions."""
    scope = Scope(step.vectors, step.words, step.documents)
    return await candidate_chunks(step.graph, scope, step.texts, vector=vector, text=text, names=names, count=count)


async def relationships_of(step: Step, names: Sequence[str], count: int) -> list[Piece]:
    """The relationships between the named entities."""
    if step.documents is None:
        return await retrieval.relationships_between(step.graph, names=names, count=count)
    return await within.relationships_between(step.graph, documents=step.documents, names=names, count=count)


async def reports_near(step: Step, vector: Sequence[float], count: int) -> list[Piece]:
    """The reports nearest to `vector`, of the search's levels."""
    bounds, vectors = step.options.level_bounds, step.vectors
    if step.documents is not None:
        return await within.nearest_reports(
            step.graph, documents=step.documents, vectors=vectors, vector=vector, count=count, levels=bounds
        )
    if bounds is None:
        return await retrieval.nearest_reports(step.graph, vectors=vectors, vector=vector, count=count)
    return await levels.nearest_reports_of(step.graph, vectors=vectors, vector=vector, count=count, levels=bounds)


async def reports_over(step: Step, names: Sequence[str], count: int) -> list[Piece]:
    """The reports above the named entities, of the search's levels."""
    bounds = step.options.level_bounds
    if step.documents is None:
        return await retrieval.reports_above(step.graph, names=names, count=count, levels=bounds)
    return await within.reports_above(step.graph, documents=step.documents, names=names, count=count, levels=bounds)
