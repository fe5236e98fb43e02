"""Summaries: the descriptions of each entity and of each pair, merged into one text."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import dagster as dg

from drift_assets.assets.entities import entities
from drift_assets.assets.materialising import materialise
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage
from drift_assets.assets.versions import summaries_version
from drift_assets.errors import CallTooLong
from drift_assets.graph import summaries as graph_summaries
from drift_assets.graph.summaries import KINDS, FailedSummary, Kind, StaleSummary, SummaryRow
from drift_assets.language.choose import task_origin
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import Extract, Summarise, Summary
from drift_assets.reconcile import Done, Failed, paged, reconcile
from drift_assets.resources import DriftResource
from drift_assets.tokens import count_tokens, token_runs

PAGE = 200
SAMPLE = 5
# Descriptions of fewer than twice as many tokens are not merged in parts.
LEAST_TOKENS = 64


async def summarise_descriptions(stage: Stage) -> StageReport:
    """Every entity and every pair has one summary: its only description, or what a model made of several."""
    version = summaries_version(stage.settings)
    copied = 0
    for kind in KINDS:
        copied += await graph_summaries.copy_summaries(stage.graph, kind, origin=task_origin(stage.settings, Extract))
    await graph_summaries.drop_old_failures(stage.graph, version=version)
    total = await graph_summaries.count_stale_summaries(stage.graph, version=version)
    stage.progress.stage("summaries", total)
    merged = 0
    if total:
        async with stage.language(total) as model:
            for kind in KINDS:
                merged += await _merge(stage, model, version, kind)
    held, sample = await asyncio.gather(
        graph_summaries.count_summaries(stage.graph), graph_summaries.summary_sample(stage.graph, SAMPLE)
    )
    return StageReport(
        new=merged + copied,
        reused=held - merged - copied,
        sample=sample,
        facts={"merged": merged, "copied": copied},
    )


async def _merge(stage: Stage, model: LanguageModel, version: str, kind: Kind) -> int:
    origin = model.origin(Summarise)

    async def work(item: StaleSummary) -> Summary:
        return await summarise(model, item.subject, item.descriptions, stage.settings.context_tokens)

    async def keep(finished: Sequence[Done[StaleSummary, Summary]], failed: Sequence[Failed[StaleSummary]]) -> None:
        rows = [SummaryRow(one.item.key, one.result.summary, origin, one.item.summary_key) for one in finished]
        lost = [FailedSummary(one.item.key, one.item.summary_key, one.failure) for one in failed]
        await graph_summaries.write_summaries(stage.graph, kind, rows, lost)

    items = paged(partial(_page, stage, version, kind), lambda item: item.key, "")
    tally = await reconcile(
        items,
        work,
        keep,
        concurrency=stage.settings.concurrency,
        progress=stage.progress,
        doubt=stage.doubt("summaries"),
    )
    return tally.done


async def _page(stage: Stage, version: str, kind: Kind, after: str) -> list[StaleSummary]:
    return await graph_summaries.stale_summaries(stage.graph, kind, version=version, after=after, limit=PAGE)


async def summarise(model: LanguageModel, subject: str, descriptions: Sequence[str], context_tokens: int) -> Summary:
    """One summary of all descriptions; more than fit one call are merged in parts, then the parts are merged.

    What the model finds too long is merged in smaller parts, down to LEAST_TOKENS.
    """
    tokens = sum(map(count_tokens, descriptions))
    if tokens <= context_tokens:
        try:
            return await model.perform(Summarise(subject=subject, descriptions=tuple(descriptions)))
        except CallTooLong:
            if tokens < 2 * LEAST_TOKENS:
                raise
            return await summarise(model, subject, descriptions, tokens // 2)
    parts = token_parts(descriptions, context_tokens)
    if len(parts) == len(descriptions):
        # So long that no two fit one call, or a single one does not: each gives up its end.
        room = context_tokens // min(2, len(parts))
        return await summarise(model, subject, [first_tokens(text, room) for text in descriptions], context_tokens)
    merged = [
        (await summarise(model, subject, part, context_tokens)).summary if len(part) > 1 else part[0] for part in parts
    ]
    return await summarise(model, subject, merged, context_tokens)


def first_tokens(text: str, tokens: int) -> str:
    """The beginning of the text, at most about so many tokens of it."""
    while (counted := count_tokens(text)) > tokens:
        text = text[: len(text) * tokens // counted]
    return text


def token_parts(texts: Sequence[str], limit: int) -> list[tuple[str, ...]]:
    """The texts in order, cut into runs of at most `limit` tokens; a longer text is a run of its own."""
    return [tuple(run) for run in token_runs(texts, count_tokens, limit)]


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
