"""Searches of runs that ended, or died, outside of a step, which would have ended its search itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from drift_assets.errors import DriftError
from drift_assets.graph.connection import open_graph
from drift_assets.graph.searches import close_searches
from drift_assets.interrupts import run_to_end
from drift_assets.local.server import neo4j_address
from drift_assets.settings import Settings

if TYPE_CHECKING:
    from dagster import DagsterInstance

    from drift_assets.runs.outcome import RunOutcome

SEARCH = "drift_search"
_SECONDS = 10.0


def close_search(settings: Settings, outcome: RunOutcome) -> None:
    """The search of a run that did not succeed does not say that it is running."""
    from drift_assets.search.step import INTERRUPTED

    if outcome.interrupted:
        _close(settings, [outcome.run_id], "canceled", INTERRUPTED)
    elif not outcome.success:
        _close(settings, [outcome.run_id], "failed", outcome.message or "the run failed")


def close_dead_searches(settings: Settings, instance: DagsterInstance, closed: Sequence[str]) -> None:
    """Nor do the searches of dead runs, which were `closed`."""
    runs = [instance.get_run_by_id(run_id) for run_id in closed]
    searching = [run.run_id for run in runs if run and run.job_name == SEARCH]
    if searching:
        _close(settings, searching, "failed", "the process of the search ended before the answer was there")


def _close(settings: Settings, run_ids: Sequence[str], status: Literal["failed", "canceled"], reason: str) -> None:
    async def close() -> None:
        async with open_graph(address) as graph:
            await close_searches(graph, run_ids, reason=reason, finished=time.time(), status=status)

    # Whatever ended the run, perhaps the loss of this very server, says more.
    with suppress(DriftError, TimeoutError):
        address = neo4j_address(settings)
        run_to_end(close(), seconds=_SECONDS)
