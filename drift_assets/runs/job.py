"""One run of a job, as a command makes it: with its history kept, its progress shown, and dead runs closed before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drift_assets.progress import Progress, displayed
from drift_assets.runs.dead import close_dead_runs
from drift_assets.runs.instance import open_instance
from drift_assets.runs.launch import LOCATION, CodeLocation, execute
from drift_assets.runs.outcome import RunOutcome
from drift_assets.settings import Settings


def run_job(
    job: str,
    config: Mapping[str, Any],
    *,
    settings: Settings,
    display: Progress,
    debug: bool = False,
    location: CodeLocation = LOCATION,
) -> RunOutcome:
    """The outcome of the job, run in this process; see `execute` for signals, output and errors."""
    with open_instance(settings) as instance:
        close_dead_runs(instance)
        with displayed(display):
            return execute(job, config, instance=instance, location=location, debug=debug)
