"""Closing runs whose process is gone: after kill -9 nobody else would ever end them."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from dagster import DagsterInstance, DagsterRun

PROCESS_TAG = "drift/process"
CLOCK_SECONDS = 5.0


def process_tags(run_id: str) -> dict[str, str]:
    """Tags that say which process carries out the run: host, pid and start time.

    The run's id is part of it because a re-execution in the UI inherits the tags of the run it repeats.
    """
    process = psutil.Process()
    value = {
        "run": run_id,
        "host": socket.gethostname(),
        "pid": process.pid,
        "started": process.create_time(),
    }
    return {PROCESS_TAG: json.dumps(value)}


def close_dead_runs(instance: DagsterInstance) -> tuple[str, ...]:
    """Mark as failed the unfinished runs that a process of this host began and did not live to end; their ids."""
    from dagster import DagsterRunStatus, RunsFilter

    unfinished = [
        DagsterRunStatus.NOT_STARTED,
        DagsterRunStatus.STARTING,
        DagsterRunStatus.STARTED,
        DagsterRunStatus.CANCELING,
    ]
    dead = [run for run in instance.get_runs(RunsFilter(statuses=unfinished)) if _is_dead(run)]
    for run in dead:
        instance.report_run_failed(run, "The process of this run ended without ending the run.")
    return tuple(run.run_id for run in dead)


def _is_dead(run: DagsterRun) -> bool:
    process = _process_of(run)
    if process is None or process["host"] != socket.gethostname():
        return False
    try:
        started = psutil.Process(process["pid"]).create_time()
    except psutil.NoSuchProcess:
        return True
    # A process id is used again; the start time tells the two apart. It is counted from the time of boot, which
    # moves a little when the clock is corrected.
    return bool(abs(started - process["started"]) > CLOCK_SECONDS)


def _process_of(run: DagsterRun) -> dict[str, Any] | None:
    if PROCESS_TAG not in run.tags:
        return None
    process: dict[str, Any] = json.loads(run.tags[PROCESS_TAG])
    return process if process["run"] == run.run_id else None
