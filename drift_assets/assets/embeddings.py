"""Embeddings: vectors of entities, reports and chunks, and the vector indexes that searches use."""

import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from drift_assets.assets.report import StageReport
from drift_assets.assets.reports import reports
from drift_assets.assets.stage import Stage, materialise
from drift_assets.embedding.choose import embedding_name
from drift_assets.embedding.model import Embedder, Vector
from drift_assets.errors import CallTooLong, ItemFailed
from drift_assets.graph import embeddings as graph_embeddings
from drift_assets.graph.embeddings import KINDS, OTHER_SUFFIX, FailedVector, StaleVector, Suffix, VectorRow
from drift_assets.graph.failures import Failure
from drift_assets.graph.schema import IndexState, await_online, index_state
from drift_assets.reconcile import Done, Failed, reconcile
from drift_assets.resources import DriftResource

BATCH = 64
NORM_TOLERANCE = 1e-2
Batch = tuple[StaleVector, ...]
Embedded = tuple[list[VectorRow], list[FailedVector]]


async def embed_nodes(stage: Stage) -> StageReport:
    """Every entity, chunk and well rated report has a vector of its present text by the settings' embedding.

    Another embedding than the index's fills the vectors of the other suffix, and `__Index__` is switched to them
    when they are complete and their indexes are online.
    """
    state = await index_state(stage.graph)
    name = embedding_name(stage.settings)
    suffix = target_suffix(state, name)
    model = f"{name}{suffix}"
    threshold = await graph_embeddings.rating_threshold(stage.graph, min_rating=stage.settings.min_rating)
    dropped = await graph_embeddings.drop_unrated_vectors(stage.graph, min_rating=threshold, suffix=suffix)
    if state is None or state.embedding_model != name:
        await graph_embeddings.drop_foreign_vectors(stage.graph, model=model, suffix=suffix)
    await graph_embeddings.drop_old_failures(stage.graph, model=model, min_rating=threshold)
    total = await graph_embeddings.count_stale_vectors(stage.graph, model=model, min_rating=threshold)
    stage.progress.stage("embeddings", total)
    new = await _embed_stale(stage, model, suffix, threshold) if total else 0
    dimensions = await graph_embeddings.stored_dimensions(stage.graph, suffix=suffix)
    if dimensions is not None:
        await graph_embeddings.ensure_vector_indexes(stage.graph, dimensions=dimensions, suffix=suffix)
        await await_online(stage.graph)
        if state is None or (state.embedding_model, state.dimensions, state.vectors) != (name, dimensions, suffix):
            await graph_embeddings.use_vectors(stage.graph, model=name, dimensions=dimensions, suffix=suffix)
        await graph_embeddings.drop_vectors(stage.graph, suffix=OTHER_SUFFIX[suffix])
    held = await graph_embeddings.count_vectors(stage.graph, suffix=suffix)
    return StageReport(
        new=new,
        reused=sum(held.values()) - new,
        deleted=dropped,
        sample=[{"kind": kind, "vectors": count} for kind, count in held.items()],
        facts={"embedding_model": name, "dimensions": dimensions or 0, "rated_above": threshold},
    )


async def _embed_stale(stage: Stage, model: str, suffix: Suffix, threshold: float) -> int:
    """Embed what lacks a vector; returns how many nodes got one."""
    new = 0
    expected = Expected(await graph_embeddings.stored_dimensions(stage.graph, suffix=suffix))
    async with stage.embedder() as embedder:

        async def work(batch: Batch) -> Embedded:
            return await embed_batch(embedder, batch, expected)

        async def keep(finished: Sequence[Done[Batch, Embedded]], failed: Sequence[Failed[Batch]]) -> None:
            nonlocal new
            rows = [row for one in finished for row in one.result[0]]
            lost = [lost for one in finished for lost in one.result[1]]
            lost += [FailedVector(item, one.failure) for one in failed for item in one.item]
            new += await graph_embeddings.write_vectors(stage.graph, rows, lost, model=model, suffix=suffix)
            stage.progress.advance(len(rows) + len(lost), failed=len(lost))

        # The engine would count batches, not texts.
        await reconcile(_stale_batches(stage, model, threshold), work, keep, concurrency=stage.settings.concurrency)
    return new


def target_suffix(state: IndexState | None, name: str) -> Suffix:
    """Suffix of the vectors that embedding `name` fills: the one in use when it is the index's own, else the other."""
    used: Suffix = "_2" if state is not None and state.vectors == "_2" else ""
    if state is None or state.embedding_model in (None, name):
        return used
    return OTHER_SUFFIX[used]


async def _stale_batches(stage: Stage, model: str, threshold: float) -> AsyncIterator[Batch]:
    for kind in KINDS:
        after = ""
        while page := await graph_embeddings.stale_vectors(
            stage.graph, kind, model=model, min_rating=threshold, after=after, limit=BATCH
        ):
            yield tuple(page)
            after = page[-1].key


@dataclass(slots=True)
class Expected:
    """What vectors must be like, since the index takes wrong ones in silence; the first good one sets the dimension."""

    dimensions: int | None

    def flaw(self, vector: Vector) -> str | None:
        """Why the vector cannot be stored, or None."""
        # Written so that a norm that is no number is a flaw too.
        if not abs(math.hypot(*vector) - 1.0) <= NORM_TOLERANCE:
            return "the embedding brought a vector that is not of norm 1"
        if self.dimensions is None:
            self.dimensions = len(vector)
        if len(vector) != self.dimensions:
            return (
                f"the embedding brought a vector of {len(vector)} dimensions, the index has {self.dimensions}: "
                "is DRIFT_EMBEDDING_MODEL still the model that it was?"
            )
        return None


async def embed_batch(embedder: Embedder, batch: Batch, expected: Expected) -> Embedded:
    """Vectors of the batch, and what failed with its reason; a batch that is refused is halved down to the culprit."""
    try:
        vectors = await embedder.embed([item.text for item in batch])
    except (ItemFailed, CallTooLong) as error:
        if len(batch) == 1:
            return [], [FailedVector(batch[0], Failure(str(error), lasting=not error.transient))]
        half = len(batch) // 2
        first = await embed_batch(embedder, batch[:half], expected)
        second = await embed_batch(embedder, batch[half:], expected)
        return first[0] + second[0], first[1] + second[1]
    rows, lost = [], []
    for item, vector in zip(batch, vectors, strict=True):
        if flaw := expected.flaw(vector):
            lost.append(FailedVector(item, Failure(flaw, lasting=False)))
        else:
            rows.append(VectorRow(item.kind, item.key, vector))
    return rows, lost


@dg.asset(
    key=["drift", "embeddings"],
    deps=[reports],
    group_name="drift_index",
    kinds={"neo4j"},
    description="Entities, chunks and well rated reports have vectors, and the vector indexes in use are online.",
)
def embeddings(context: dg.AssetExecutionContext, drift: DriftResource) -> dg.MaterializeResult[Any]:
    """Embed what changed and keep the vector indexes."""
    return materialise(context, drift.settings(), embed_nodes)
