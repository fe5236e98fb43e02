"""Which process carries out a run, and closing runs whose process is gone: nobody else would ever end them."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from dagster import DagsterInstance, DagsterRun, DagsterRunStatus

PROCESS_TAG = "drift/process"
# Start times are counted from the time of boot, which moves a little when the clock is corrected.
CLOCK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Worker:
    """The process of a run: its id, and between which times it started (seconds since the epoch)."""

    pid: int
    earliest: float
    latest: float

    def alive(self) -> bool:
        """Whether that very process still runs; an id is used again, the start time tells the two apart."""
        try:
            process = psutil.Process(self.pid)
            started = process.create_time()
            # It has ended, and only whoever started it has not asked yet how.
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
        except psutil.NoSuchProcess:
            return False
        return bool(self.earliest - CLOCK_SECONDS <= started <= self.latest + CLOCK_SECONDS)


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


def close_dead_runs(instance: DagsterInstance, *, of_ui: bool = False) -> tuple[str, ...]:
    """Mark as failed the unfinished runs that a process of this host began and did not live to end; their ids.

    Runs launched from the UI do not name their host. They are looked at with `of_ui`, for the start of a UI, which is
    the only one on its history.
    """
    closed = []
    for run in unfinished_runs(instance):
        if is_dead(instance, run, of_ui=of_ui):
            instance.report_run_failed(run, "The process of this run ended without ending the run.")
            closed.append(run.run_id)
    return tuple(closed)


def is_dead(instance: DagsterInstance, run: DagsterRun, *, of_ui: bool = False) -> bool:
    """Whether the run was begun and will never end, its process on this host being gone; see `close_dead_runs`."""
    if run.status not in _unfinished():
        return False
    worker = _tagged_worker(run) or (worker_of_ui(instance, run) if of_ui else None)
    if worker is None or worker.alive():
        return False
    # The process may have ended the run, and itself, since the run was read.
    now = instance.get_run_by_id(run.run_id)
    return now is not None and now.status in _unfinished()


def unfinished_runs(instance: DagsterInstance) -> list[DagsterRun]:
    """Runs that began, or are about to, and have not ended; those that only wait in the queue are not among them."""
    from dagster import RunsFilter

    return list(instance.get_runs(RunsFilter(statuses=_unfinished())))


def _unfinished() -> list[DagsterRunStatus]:
    from dagster import DagsterRunStatus

    return [
        DagsterRunStatus.NOT_STARTED,
        DagsterRunStatus.STARTING,
        DagsterRunStatus.STARTED,
        DagsterRunStatus.CANCELING,
    ]


def worker_of_ui(instance: DagsterInstance, run: DagsterRun) -> Worker | None:
    """The process that a code server started for the run, which Dagster keeps as an event; None for other runs."""
    from dagster import DagsterEventType

    if is_of_command_line(run):
        return None
    for entry in instance.all_logs(run.run_id, of_type=DagsterEventType.ENGINE_EVENT):
        pid = entry.get_dagster_event().engine_event_data.metadata.get("pid")
        if pid is not None:
            return Worker(int(str(pid.value)), 0.0, entry.timestamp)
    return None


def is_of_command_line(run: DagsterRun) -> bool:
    """Whether a command carries the run out, all of it in the process that the run's tag names."""
    return PROCESS_TAG in run.tags and bool(json.loads(run.tags[PROCESS_TAG])["run"] == run.run_id)


def _tagged_worker(run: DagsterRun) -> Worker | None:
    """The process that the command line ran it in; None for a run of the UI or of another host."""
    if not is_of_command_line(run):
        return None
    process = json.loads(run.tags[PROCESS_TAG])
    if process["host"] != socket.gethostname():
        return None
    return Worker(process["pid"], process["started"], process["started"])
