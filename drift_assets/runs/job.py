"""One run of a job, as a command makes it: with its history kept, its progress shown, and dead runs closed before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from drift_assets.progress import Progress, displayed
from drift_assets.runs.ahead import begin_models, begin_server
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
    models: bool = False,
) -> RunOutcome:
    """The outcome of the job, run in this process; see `execute` for signals, output and errors.

    With `models`, the job is known to need the models at once. Raises ServerError when Neo4j cannot be started.
    """
    server = begin_server(settings)
    if models:
        begin_models(settings)
    # Dagster is loaded meanwhile.
    from drift_assets.runs.dead import close_dead_runs
    from drift_assets.runs.instance import open_instance
    from drift_assets.runs.launch import LOCATION, execute

    with open_instance(settings) as instance:
        close_dead_runs(instance)
        server.result()
        with displayed(display):
            return execute(job, config, instance=instance, location=location or LOCATION, debug=debug)
