"""Searches of runs that ended, or died, outside of a step, which would have ended its search itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from drift_assets.errors import DriftError
from drift_assets.graph.connection import open_graph
from drift_assets.graph.searches import close_searches, running_searches
from drift_assets.interrupts import run_to_end
from drift_assets.local.server import neo4j_address
from drift_assets.runs.ahead import is_standing
from drift_assets.settings import Settings

if TYPE_CHECKING:
    from dagster import DagsterInstance

    from drift_assets.runs.outcome import RunOutcome

SEARCH = "drift_search"
Status = Literal["failed", "canceled"]
_SECONDS = 10.0
_ENDED = "the run ended before the answer was there"


def close_search(settings: Settings, outcome: RunOutcome) -> None:
    """The search of a run that did not succeed does not say that it is running."""
    from drift_assets.search.step import INTERRUPTED

    if outcome.interrupted:
        _close(settings, [outcome.run_id], "canceled", INTERRUPTED)
    elif not outcome.success:
        _close(settings, [outcome.run_id], "failed", outcome.message or "the run failed")


def close_ended_searches(settings: Settings, instance: DagsterInstance) -> None:
    """Nor do those of runs that have ended meanwhile: runs that died, and runs that a UI ended between two steps.

    A server that does not stand is not started for that.
    """
    if not is_standing(settings):
        return

    async def close() -> None:
        async with open_graph(address) as graph:
            for run_id in await running_searches(graph):
                run = instance.get_run_by_id(run_id)
                if run is not None and run.is_finished:
                    status: Status = "canceled" if run.status.value == "CANCELED" else "failed"
                    await close_searches(graph, [run_id], reason=_ENDED, finished=time.time(), status=status)

    with suppress(DriftError, TimeoutError):
        address = neo4j_address(settings)
        run_to_end(close(), seconds=_SECONDS)


def _close(settings: Settings, run_ids: Sequence[str], status: Status, reason: str) -> None:
    async def close() -> None:
        async with open_graph(address) as graph:
            await close_searches(graph, run_ids, reason=reason, finished=time.time(), status=status)

    # Whatever ended the run, perhaps the loss of this very server, says more.
    with suppress(DriftError, TimeoutError):
        address = neo4j_address(settings)
        run_to_end(close(), seconds=_SECONDS)
