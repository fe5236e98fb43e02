"""One run of a job, as a command makes it: with its history kept, its progress shown, and dead runs closed before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from drift_assets.graph.connection import close_connections, keep_connections
from drift_assets.interrupts import one_loop, run
from drift_assets.progress import Progress, displayed
from drift_assets.runs.ahead import begin_models, begin_server, is_standing, planning_index, planning_search
from drift_assets.settings import Settings

if TYPE_CHECKING:
    from drift_assets.runs.launch import CodeLocation
    from drift_assets.runs.outcome import RunOutcome


def run_job(
    job: str,
    config: Mapping[str, Any],
    *,
    settings: Settings,
    display: Progress,
    debug: bool = False,
    location: CodeLocation | None = None,
    search: bool = False,
) -> RunOutcome:
    """The outcome of the job, run in this process; see `execute` for signals, output and errors.

    Of a `search`, models and queries are begun ahead. Raises ServerError when Neo4j cannot be started.
    """
    standing = is_standing(settings)
    server = begin_server(settings, planning_search() if search else planning_index())
    if search and standing:
        begin_models(settings)
    # Dagster is loaded meanwhile.
    from drift_assets.runs.dead import close_dead_runs
    from drift_assets.runs.instance import open_instance
    from drift_assets.runs.launch import LOCATION, execute
    from drift_assets.runs.searches import SEARCH, close_ended_searches, close_search

    with open_instance(settings) as instance:
        close_dead_runs(instance)
        if search and not standing:
            # Not sooner: a server that starts and Dagster take a core each.
            begin_models(settings)
        server.result()
        with displayed(display), _shared_connections():
            close_ended_searches(settings, instance)
            outcome = execute(job, config, instance=instance, location=location or LOCATION, debug=debug)
            if job == SEARCH:
                close_search(settings, outcome)
            return outcome


@contextmanager
def _shared_connections() -> Iterator[None]:
    """The steps of a run in this process use the same connections to Neo4j, one after another."""
    with one_loop():
        run(keep_connections())
        try:
            yield
        finally:
            run(close_connections())
