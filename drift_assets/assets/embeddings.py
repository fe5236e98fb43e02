"""Embeddings: vectors of entities, reports and chunks, and the vector indexes that searches use."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import dagster as dg

from drift_assets.assets.materialising import materialise
from drift_assets.assets.report import StageReport
from drift_assets.assets.reports import reports
from drift_assets.assets.stage import Stage
from drift_assets.embedding.choose import embedding_name
from drift_assets.embedding.expected import Expected
from drift_assets.embedding.model import Embedder
from drift_assets.errors import CallTooLong, ItemFailed, WrongVectors
from drift_assets.graph import embeddings as graph_embeddings
from drift_assets.graph import former
from drift_assets.graph.embeddings import KINDS, OTHER_SUFFIX, FailedVector, StaleVector, Suffix, VectorRow
from drift_assets.graph.failures import Failure
from drift_assets.graph.former import Switch
from drift_assets.graph.schema import IndexState, await_online, index_state
from drift_assets.reconcile import Done, Failed, reconcile
from drift_assets.resources import DriftResource

BATCH = 64
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
    in_use = state is not None and (state.embedding_model, state.vectors) == (name, suffix)
    if in_use and await graph_embeddings.reports_change(stage.graph, model=model, min_rating=threshold, suffix=suffix):
        await former.hold(stage.graph)
        state = await index_state(stage.graph)
    dropped = await graph_embeddings.drop_unrated_vectors(stage.graph, min_rating=threshold, suffix=suffix)
    if state is None or state.embedding_model != name:
        await graph_embeddings.drop_foreign_vectors(stage.graph, model=model, suffix=suffix)
    await graph_embeddings.drop_old_failures(stage.graph, model=model, min_rating=threshold)
    total = await graph_embeddings.count_stale_vectors(stage.graph, model=model, min_rating=threshold)
    stage.progress.stage("embeddings", total)
    expected = Expected(await graph_embeddings.stored_dimensions(stage.graph, suffix=suffix))
    new = await _embed_stale(stage, model, suffix, threshold, expected) if total else 0
    if expected.disputed and expected.disputed >= new and not in_use:
        # Most vectors are of another dimension than the first, which therefore is doubtful: all are made again.
        await graph_embeddings.forget_vectors(stage.graph, model=model, suffix=suffix)
        new = 0
    dimensions = await graph_embeddings.stored_dimensions(stage.graph, suffix=suffix)
    if dimensions is not None:
        await graph_embeddings.ensure_vector_indexes(stage.graph, dimensions=dimensions, suffix=suffix)
        await await_online(stage.graph)
        if await _given_to_searches(stage, state, Switch(name, dimensions, suffix), threshold):
            await graph_embeddings.drop_vectors(stage.graph, suffix=OTHER_SUFFIX[suffix])
    held = await graph_embeddings.count_vectors(stage.graph, suffix=suffix)
    return StageReport(
        new=new,
        reused=sum(held.values()) - new,
        deleted=dropped,
        sample=[{"kind": kind, "vectors": count} for kind, count in held.items()],
        facts={"embedding_model": name, "dimensions": dimensions or 0, "rated_above": threshold},
    )


async def _given_to_searches(stage: Stage, state: IndexState | None, now: Switch, threshold: float) -> bool:
    """Searches read what this run made, once it is whole; whether none reads what was before."""
    used = state is not None and (state.embedding_model, state.dimensions, state.vectors)
    switched = used != (now.model, now.dimensions, now.suffix)
    if state is not None and not switched and state.generation is not None and state.former is None:
        return True
    held = state is not None and state.former is not None and state.former == state.generation
    model = f"{now.model}{now.suffix}"
    if held and not await former.is_whole(stage.graph, model=model, min_rating=threshold):
        return False
    return await former.finish(stage.graph, now if switched else None)


async def _embed_stale(stage: Stage, model: str, suffix: Suffix, threshold: float, expected: Expected) -> int:
    """Embed what lacks a vector; returns how many nodes got one."""
    new = 0
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


async def embed_batch(embedder: Embedder, batch: Batch, expected: Expected) -> Embedded:
    """Vectors of the batch, and what failed with its reason; a batch that is refused is halved down to the culprit."""
    try:
        vectors = await embedder.embed([item.text for item in batch])
    except (ItemFailed, CallTooLong) as error:
        if len(batch) == 1:
            expected.disputed += isinstance(error, WrongVectors)
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
