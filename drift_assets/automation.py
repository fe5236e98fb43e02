"""Jobs, schedule and sensor: what runs the index, and when."""

from pathlib import Path
from typing import Any

import dagster as dg
from dagster import DefaultScheduleStatus, DefaultSensorStatus

from drift_assets.errors import CorpusError
from drift_assets.fingerprint import fingerprint
from drift_assets.resources import DriftResource
from drift_assets.settings import Settings

SENSOR_SECONDS = 60


class IndexConfig(dg.Config):
    """What the job `index` is asked to do; everything else is a setting."""

    folder: str | None = None
    replace: bool = False
    allow_deletes: bool = False


@dg.config_mapping
def index_config(config: IndexConfig) -> dict[str, Any]:
    """The flat form of the Launchpad, handed to the first asset."""
    return {"ops": {"drift__chunks": {"config": config.model_dump(exclude_none=True)}}}


# Each step waits on Neo4j and on calls, not on the processor, and a process per step costs seconds.
index_job = dg.define_asset_job(
    "index",
    selection=dg.AssetSelection.groups("drift_index"),
    config=index_config,
    executor_def=dg.in_process_executor,
    description="Bring the index up to date with the corpus folder: all six assets and their checks.",
)


def nightly(settings: Settings) -> dg.ScheduleDefinition:
    """Re-index at the time of DRIFT_SCHEDULE."""
    return dg.ScheduleDefinition(
        name="nightly_index",
        job=index_job,
        cron_schedule=settings.schedule,
        default_status=DefaultScheduleStatus.STOPPED,
        description="Re-index the corpus folder every night.",
    )


def corpus_state(folder: Path) -> str:
    """Changes when a file below `folder` is added, removed, renamed or written; no file is read."""
    from drift_assets.documents import list_files

    seen = []
    for path in list_files(folder):
        try:
            status = path.stat()
        except OSError:
            continue
        seen.append([path.relative_to(folder).as_posix(), status.st_size, status.st_mtime_ns])
    return fingerprint("folder", seen)


@dg.sensor(
    job=index_job,
    minimum_interval_seconds=SENSOR_SECONDS,
    default_status=DefaultSensorStatus.STOPPED,
    description="Re-index when a file of DRIFT_CORPUS has changed and the folder has been still since the last look.",
)
def corpus_changed(context: dg.SensorEvaluationContext, drift: DriftResource) -> dg.SensorResult | dg.SkipReason:
    """One run for a burst of changes: a change is acted upon when two looks in a row see the same state.

    The cursor is `<state acted upon> <state last seen>`.
    """
    folder = drift.settings().corpus
    if folder is None:
        return dg.SkipReason("DRIFT_CORPUS is not set")
    try:
        state = corpus_state(folder.expanduser().resolve())
    except CorpusError as error:
        return dg.SkipReason(str(error))
    acted, _, seen = (context.cursor or "").partition(" ")
    if state == acted:
        return dg.SkipReason("the corpus has not changed")
    if state != seen:
        return dg.SensorResult(
            skip_reason=dg.SkipReason("the corpus is changing; waiting until it is still"), cursor=f"{acted} {state}"
        )
    # No run key: the daemon would remember it, and a corpus that returns to an earlier state is to be indexed again.
    return dg.SensorResult(run_requests=[dg.RunRequest()], cursor=f"{state} {state}")
