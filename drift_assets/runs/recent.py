"""The last runs of the history, for people to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drift_assets.runs.dead import is_dead

if TYPE_CHECKING:
    from dagster import AssetKey, DagsterInstance

KILLED = "KILLED"


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run; times are in seconds since the epoch, `ended` and `started` None as long as there is no such time.

    `status` is Dagster's, and KILLED for a run whose process is gone, which the next run will close as failed.
    """

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
            KILLED if is_dead(instance, record.dagster_run) else record.dagster_run.status.value,
            record.start_time,
            record.end_time,
        )
        for record in instance.get_run_records(limit=limit)
    ]


def last_said(instance: DagsterInstance, asset: AssetKey, figure: str, *, runs: int = 20) -> dict[str, Any]:
    """What the asset said at the newest of its runs where the figure was above 0; empty where there is none."""
    for record in instance.fetch_materializations(asset, limit=runs).records:
        entries = record.asset_materialization.metadata if record.asset_materialization else {}
        values = {name: entry.value for name, entry in entries.items()}
        if values.get(figure):
            return values
    return {}


def last_brought_up(instance: DagsterInstance, asset: AssetKey) -> float | None:
    """When the newest run that brought the asset up to date began, in seconds since the epoch."""
    for record in instance.fetch_materializations(asset, limit=1).records:
        run = instance.get_run_record_by_id(record.run_id)
        return run.start_time if run and run.start_time else record.timestamp
    return None


def stage_figures(
    instance: DagsterInstance, stages: Sequence[str], *, origin: str, runs: int = 20
) -> dict[str, dict[str, float]]:
    """Sums of the numbers that each stage of the index reported, over those of its newest runs that asked `origin`.

    What another model, or the extractive mode, took says nothing of this one.
    """
    from dagster import AssetKey

    found: dict[str, dict[str, float]] = {}
    for stage in stages:
        sums = found.setdefault(stage, {})
        for record in instance.fetch_materializations(AssetKey(["drift", stage]), limit=runs).records:
            entries = record.asset_materialization.metadata if record.asset_materialization else {}
            values = {name: entry.value for name, entry in entries.items()}
            for name, value in values.items() if _is_of(values, origin) else ():
                if isinstance(value, int | float):
                    sums[name] = sums.get(name, 0) + value
    return found


def _is_of(said: Mapping[str, Any], origin: str) -> bool:
    """Whether a stage was worked on by `origin`; runs of earlier versions do not say, but rules take no tokens."""
    if "language_model" in said:
        return bool(said["language_model"] == origin)
    return bool(said.get("input_tokens")) == (origin != "extractive")
