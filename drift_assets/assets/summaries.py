"""Summaries: the descriptions of each entity and of each pair, merged into one text."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import dagster as dg

from drift_assets.assets.entities import entities
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage, materialise
from drift_assets.assets.versions import summaries_version
from drift_assets.graph import summaries as graph_summaries
from drift_assets.graph.connection import Graph
from drift_assets.graph.summaries import StaleSummary, SummaryRow
from drift_assets.language.choose import task_origin
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import Extract, Summarise, Summary
from drift_assets.reconcile import Done, Failed, paged, reconcile
from drift_assets.resources import DriftResource
from drift_assets.tokens import count_tokens

PAGE = 200
SAMPLE = 5


async def summarise_descriptions(stage: Stage) -> StageReport:
    """Every entity and every pair has one summary: its only description, or what a model made of several."""
    version = summaries_version(stage.settings)
    copied_from = task_origin(stage.settings, Extract)
    copied = await graph_summaries.copy_entity_summaries(stage.graph, origin=copied_from)
    copied += await graph_summaries.copy_pair_summaries(stage.graph, origin=copied_from)
    total = await graph_summaries.count_stale_summaries(stage.graph, version=version)
    stage.progress.stage("summaries", total)
    merged = 0
    if total:
        async with stage.language() as model:
            for fetch, write in (
                (graph_summaries.stale_entity_summaries, graph_summaries.write_entity_summaries),
                (graph_summaries.stale_pair_summaries, graph_summaries.write_pair_summaries),
            ):
                merged += await _merge(stage, model, version, fetch, write)
    held = await graph_summaries.count_summaries(stage.graph)
    return StageReport(
        new=merged + copied,
        reused=held - merged - copied,
        sample=await graph_summaries.summary_sample(stage.graph, SAMPLE),
        facts={"merged": merged, "copied": copied},
    )


async def _merge(
    stage: Stage,
    model: LanguageModel,
    version: str,
    fetch: Callable[..., Awaitable[list[StaleSummary]]],
    write: Callable[..., Awaitable[None]],
) -> int:
    origin = model.origin(Summarise)

    async def work(item: StaleSummary) -> Summary:
        return await summarise(model, item.subject, item.descriptions, stage.settings.context_tokens)

    async def keep(finished: Sequence[Done[StaleSummary, Summary]], failed: Sequence[Failed[StaleSummary]]) -> None:
        rows = [SummaryRow(one.item.key, one.result.summary, origin, one.item.description_hash) for one in finished]
        await write(stage.graph, rows, {one.item.key: one.reason for one in failed}, version=version)

    items = paged(partial(_page, stage.graph, fetch, version), lambda item: item.key, "")
    tally = await reconcile(items, work, keep, concurrency=stage.settings.concurrency, progress=stage.progress)
    return tally.done


async def _page(
    graph: Graph, fetch: Callable[..., Awaitable[list[StaleSummary]]], version: str, after: str
) -> list[StaleSummary]:
    return await fetch(graph, version=version, after=after, limit=PAGE)


async def summarise(model: LanguageModel, subject: str, descriptions: Sequence[str], context_tokens: int) -> Summary:
    """One summary of all descriptions; more than fit one call are merged in parts, then the parts are merged."""
    parts = list(token_parts(descriptions, context_tokens))
    if len(parts) == 1:
        return await model.perform(Summarise(subject=subject, descriptions=parts[0]))
    merged = [
        (await model.perform(Summarise(subject=subject, descriptions=part))).summary if len(part) > 1 else part[0]
        for part in parts
    ]
    if len(merged) >= len(descriptions):
        merged = [text[: max(200, 4 * context_tokens // len(merged))] for text in merged]
        return await model.perform(Summarise(subject=subject, descriptions=tuple(merged)))
    return await summarise(model, subject, merged, context_tokens)


def token_parts(texts: Sequence[str], limit: int) -> list[tuple[str, ...]]:
    """The texts in order, cut into runs of at most `limit` tokens; a longer text is a run of its own."""
    parts: list[list[str]] = []
    room = 0
    for text in texts:
        tokens = count_tokens(text)
        if not parts or tokens > room:
            parts.append([])
            room = limit
        parts[-1].append(text)
        room -= tokens
    return [tuple(part) for part in parts]


@dg.asset(
    key=["drift", "summaries"],
    deps=[entities],
    group_name="drift_index",
    kinds={"neo4j"},
    description="Every `__Entity__` and every SUMMARIZED_RELATIONSHIP has one summary of all its descriptions.",
)
def summaries(context: dg.AssetExecutionContext, drift: DriftResource) -> dg.MaterializeResult[Any]:
    """Merge descriptions of entities and pairs."""
    return materialise(context, drift.settings(), summarise_descriptions)
