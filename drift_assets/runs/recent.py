"""The last runs of the history, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster import DagsterInstance


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run; times are in seconds since the epoch, `ended` and `started` None as long as there is no such time."""

    run_id: str
    job: str
    status: str
    started: float | None
    ended: float | None


def recent_runs(instance: DagsterInstance, *, limit: int) -> list[RunLine]:
    """The newest runs, newest first."""
    return [
        RunLine(
            record.dagster_run.run_id,
            record.dagster_run.job_name,
            record.dagster_run.status.value,
            record.start_time,
            record.end_time,
        )
        for record in instance.get_run_records(limit=limit)
    ]
