"""What the stages have in common: what a stage works with, what it reports, and its Dagster shell."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from drift_assets.assets.metadata import stage_metadata
from drift_assets.assets.report import StageReport
from drift_assets.assets.versions import data_version
from drift_assets.embedding.choose import open_embedder
from drift_assets.embedding.model import Embedder
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.graph.holdings import count_failures, failures
from drift_assets.graph.schema import index_state, prepare
from drift_assets.interrupts import run
from drift_assets.language.calls import Limiter
from drift_assets.language.choose import open_language
from drift_assets.language.model import LanguageModel
from drift_assets.language.usage import Limits, Meter
from drift_assets.local.server import neo4j_address
from drift_assets.progress import Logged, Progress, Silent, current
from drift_assets.settings import Settings

SHOWN_FAILURES = 20


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage works with: the open graph, the settings, and the means to open a model that is counted."""

    settings: Settings
    graph: Graph
    limiter: Limiter
    meter: Meter
    progress: Progress = field(default_factory=Silent)

    def language(self) -> AbstractAsyncContextManager[LanguageModel]:
        """The language model of the settings."""
        return open_language(self.settings, self.meter, self.limiter)

    def embedder(self) -> AbstractAsyncContextManager[Embedder]:
        """The embedder of the settings."""
        return open_embedder(self.settings, self.meter, self.limiter)


Work = Callable[[Stage], Awaitable[StageReport]]


@asynccontextmanager
async def open_stage(settings: Settings, progress: Progress, meter: Meter | None = None) -> AsyncIterator[Stage]:
    """A stage on the prepared index of the settings; its connections are closed at the end."""
    async with open_graph(neo4j_address(settings, progress.note)) as graph:
        await prepare(graph)
        yield Stage(settings, graph, Limiter(settings.concurrency), meter or Meter(run_limits(settings)), progress)


def run_limits(settings: Settings) -> Limits:
    """What one run may cost."""
    return Limits(calls=settings.max_calls, tokens=settings.max_tokens, cost_usd=settings.max_cost_usd)


async def perform(name: str, settings: Settings, work: Work, progress: Progress, meter: Meter) -> StageReport:
    """The report of `work`, with its time, its own usage and the failures that the index keeps of it."""
    started = time.monotonic()
    async with open_stage(settings, progress, meter) as stage:
        report = await work(stage)
        kept = await failures(stage.graph, stage=name, limit=SHOWN_FAILURES)
        report.failed = await count_failures(stage.graph, stage=name)
        state = await index_state(stage.graph)
    report.failures = [*report.failures, *kept][:SHOWN_FAILURES]
    report.data_version = data_version(name, settings, (state and state.corpus_version) or "", report.failed)
    report.usage = meter.usage
    report.seconds = time.monotonic() - started
    return report


def materialise(context: dg.AssetExecutionContext, settings: Settings, work: Work) -> dg.MaterializeResult[Any]:
    """Run a stage and say in Dagster's terms what exists now."""
    name = context.asset_key.path[-1]
    progress = current() or Logged(context.log.info)
    meter = Meter(_left(context.run_id, run_limits(settings)))
    try:
        report = run(perform(name, settings, work, progress, meter))
    finally:
        _spent.setdefault(context.run_id, []).append(meter)
    return dg.MaterializeResult(
        metadata=stage_metadata(report),
        data_version=dg.DataVersion(report.data_version) if report.data_version else None,
    )


# What the stages of a run have spent: with the in-process executor they share this process.
_spent: dict[str, list[Meter]] = {}


def _left(run_id: str, limits: Limits) -> Limits:
    spent = [meter.usage for meter in _spent.get(run_id, [])]
    costs = [usage.cost_usd or 0.0 for usage in spent]
    return Limits(
        calls=None if limits.calls is None else limits.calls - sum(usage.calls for usage in spent),
        tokens=None if limits.tokens is None else limits.tokens - sum(usage.tokens for usage in spent),
        cost_usd=None if limits.cost_usd is None else limits.cost_usd - sum(costs),
    )
