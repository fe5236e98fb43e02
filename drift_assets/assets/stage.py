"""What the stages have in common: what a stage works with and what it reports."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from drift_assets.assets.report import StageReport
from drift_assets.assets.versions import data_version
from drift_assets.embedding.choose import open_embedder
from drift_assets.embedding.model import Embedder
from drift_assets.errors import ServerError
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, Waiting, open_graph
from drift_assets.graph.failures import failed_items
from drift_assets.graph.foreseen import planning_ahead
from drift_assets.graph.schema import index_state, prepare
from drift_assets.language.calls import Limiter
from drift_assets.language.choose import open_language, task_origin
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import Extract
from drift_assets.language.usage import Limits, Meter, variables_of
from drift_assets.local.server import neo4j_address
from drift_assets.progress import Progress, Silent
from drift_assets.reconcile import Doubt
from drift_assets.settings import Settings

SHOWN_FAILURES = 20
# Stages that ask the language model, which is one for all of them.
ASKING = ("entities", "summaries", "reports")
# How often in a row a managed server may fail to start before a run gives up.
STARTS = 3
# The tag of a run that was launched by the schedule or the sensor.
SCHEDULED = "drift/scheduled"


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage works with: the open graph, the settings, and the means to open a model that is counted."""

    settings: Settings
    graph: Graph
    limiter: Limiter
    meter: Meter
    progress: Progress = field(default_factory=Silent)
    name: str = ""

    @asynccontextmanager
    async def language(self, calls: int) -> AsyncIterator[LanguageModel]:
        """The language model of the settings, for about so many calls.

        While many answers are waited for, the database plans what comes next.
        """
        waits = self.settings.language_name == "openai" and calls > 2 * self.settings.concurrency
        ahead = planning_ahead(self.graph, self.name) if self.name and waits else nullcontext()
        async with open_language(self.settings, self.meter, self.limiter) as model, ahead:
            yield model

    def doubt(self, what: str, void: Callable[[Any], bool] = lambda result: False) -> Doubt[Any] | None:
        """When the first answers of a language model are too little to go on; what rules bring is what there is."""
        paid = self.settings.language_name == "openai"
        return Doubt(what, self.settings.first_answers, void) if paid else None

    def embedder(self) -> AbstractAsyncContextManager[Embedder]:
        """The embedder of the settings."""
        return open_embedder(self.settings, self.meter, self.limiter)


Work = Callable[[Stage], Awaitable[StageReport]]


@asynccontextmanager
async def open_stage(
    address: Address, settings: Settings, progress: Progress, meter: Meter | None = None
) -> AsyncIterator[Stage]:
    """A stage on the prepared index at `address`; its connections are closed at the end."""
    async with open_graph(address, waiting(settings, progress)) as graph:
        await prepare(graph)
        yield Stage(settings, graph, Limiter(settings.concurrency), meter or Meter(run_limits(settings)), progress)


def waiting(settings: Settings, progress: Progress) -> Waiting | None:
    """How long a database that is away is waited for; a managed server does not come back by itself and is started."""

    lost = 0

    async def start() -> Address | None:
        nonlocal lost
        try:
            address = await asyncio.to_thread(neo4j_address, settings, progress.note)
        except ServerError:
            lost += 1
            # What killed it may have done so again while it started; one that cannot start never will.
            if lost >= STARTS:
                raise
            return None
        lost = 0
        return address

    if settings.neo4j_wait_minutes == 0:
        return None
    return Waiting(60 * settings.neo4j_wait_minutes, progress.note, revive=None if settings.neo4j_uri else start)


def run_limits(settings: Settings, tags: Mapping[str, str] | None = None) -> Limits:
    """What one run may use; one that nobody waits for has limits of its own as well."""
    scheduled = SCHEDULED in (tags or {})
    tokens, costs = [settings.max_tokens], [settings.max_cost_usd]
    if scheduled:
        tokens.append(settings.scheduled_max_tokens)
        costs.append(settings.scheduled_max_cost_usd)
    return Limits(
        calls=settings.max_calls,
        tokens=min((limit for limit in tokens if limit is not None), default=None),
        cost_usd=min((limit for limit in costs if limit is not None), default=None),
        scheduled=scheduled,
    )


async def perform(name: str, opened: AbstractAsyncContextManager[Stage], work: Work) -> StageReport:
    """The report of `work`, with its time, its own usage and the failures that the index keeps of it.

    The meter of the stage may have counted earlier stages of the same run; its limits are those of the run.
    """
    started = time.monotonic()
    async with opened as entered:
        stage = replace(entered, name=name)
        before, told = replace(stage.meter.usage), len(stage.meter.flawed)
        report = await work(stage)
        (report.failed, kept), state = await asyncio.gather(
            failed_items(stage.graph, stage=name, shown=SHOWN_FAILURES), index_state(stage.graph)
        )
    report.failures = [*report.failures, *kept][:SHOWN_FAILURES]
    # What the user said of names changes every stage but the first.
    made_from = f"{state.corpus_version or ''}{'' if name == 'chunks' else state.told}" if state else ""
    report.data_version = data_version(name, stage.settings, made_from, report.failed)
    report.usage = stage.meter.usage.since(before)
    if name in ASKING:
        report.facts["language_model"] = task_origin(stage.settings, Extract)
    report.flawed = stage.meter.flawed[told:]
    if stage.meter.limits.cost_usd is not None and report.usage.cost_usd is None:
        limit = variables_of("max_cost_usd", scheduled=stage.meter.limits.scheduled)
        stage.progress.note(f"the price of a model is unknown, so that {limit} does not limit the cost")
    report.seconds = time.monotonic() - started
    return report
