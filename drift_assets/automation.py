"""Jobs, schedule and sensors: what runs the index, when, and who is told when it fails."""

import shlex
import subprocess
from pathlib import Path
from typing import Any

import dagster as dg
from dagster import DefaultScheduleStatus, DefaultSensorStatus
from dagster._utils.schedules import is_valid_cron_string
from pydantic import Field

from drift_assets.assets.stage import SCHEDULED
from drift_assets.errors import CorpusError, SettingsError
from drift_assets.fingerprint import fingerprint
from drift_assets.forms import plainly
from drift_assets.resources import DriftResource
from drift_assets.settings import Settings

TELLING_SECONDS = 60.0
LIMITS = ("max_calls", "max_tokens", "max_cost_usd")


class IndexConfig(dg.Config):
    """What the job `index` is asked to do, and how much it may use; everything else is a setting."""

    folder: str | None = None
    replace: bool = False
    allow_deletes: bool = False
    max_calls: int | None = Field(None, ge=1, description="Most calls, language and embedding; empty: DRIFT_MAX_CALLS.")
    max_tokens: int | None = Field(None, ge=1, description="Most tokens of all calls; empty: DRIFT_MAX_TOKENS.")
    max_cost_usd: float | None = Field(
        None, gt=0, description="Highest cost in USD, above 0; empty: DRIFT_MAX_COST_USD."
    )


@plainly
@dg.config_mapping
def index_config(config: IndexConfig) -> dict[str, Any]:
    """The flat form of the Launchpad: the limits are of all stages, the rest is of the first."""
    given = config.model_dump(exclude_none=True)
    limits = {name: given.pop(name) for name in LIMITS if name in given}
    return {"ops": {"drift__chunks": {"config": given}}, "resources": {"drift": {"config": limits}}}


# Each step waits on Neo4j and on calls, not on the processor, and a process per step costs seconds.
index_job = dg.define_asset_job(
    "index",
    selection=dg.AssetSelection.groups("drift_index"),
    config=index_config,
    executor_def=dg.in_process_executor,
    description="Bring the index up to date with the corpus folder: all six assets and their checks.",
)


def scheduled_tags(settings: Settings) -> dict[str, str]:
    """What tells a run that nobody waits for: it has a limit on its cost, and is tried again when it fails.

    All stages are tried again: they do what is missing and no more.
    """
    return {
        SCHEDULED: "true",
        "dagster/max_retries": str(settings.scheduled_retries),
        "dagster/retry_strategy": "ALL_STEPS",
    }


def nightly(settings: Settings) -> dg.ScheduleDefinition:
    """Re-index at the time of DRIFT_SCHEDULE. Raises SettingsError when that is no cron line."""
    if not is_valid_cron_string(settings.schedule):
        raise SettingsError(f"DRIFT_SCHEDULE={settings.schedule} is no cron line such as '0 3 * * *'")
    return dg.ScheduleDefinition(
        name="nightly_index",
        job=index_job,
        cron_schedule=settings.schedule,
        tags=scheduled_tags(settings),
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


def corpus_changed(settings: Settings) -> dg.SensorDefinition:
    """Re-index when the corpus folder has changed, looked at every DRIFT_SENSOR_SECONDS."""

    @dg.sensor(
        job=index_job,
        name="corpus_changed",
        minimum_interval_seconds=settings.sensor_seconds,
        default_status=DefaultSensorStatus.STOPPED,
        description="Re-index when a file of DRIFT_CORPUS has changed and the folder has been still since the last "
        "look.",
    )
    def corpus_changed(context: dg.SensorEvaluationContext, drift: DriftResource) -> dg.SensorResult | dg.SkipReason:
        return look(context.cursor or "", drift.settings())

    return corpus_changed


def look(cursor: str, settings: Settings) -> dg.SensorResult | dg.SkipReason:
    """One run for a burst of changes: a change is acted upon when two looks in a row see the same state.

    The cursor is `<state acted upon> <state last seen>`.
    """
    folder = settings.corpus
    if folder is None:
        return dg.SkipReason("DRIFT_CORPUS is not set")
    try:
        state = corpus_state(folder.expanduser().resolve())
    except CorpusError as error:
        return dg.SkipReason(str(error))
    acted, _, seen = cursor.partition(" ")
    if state == acted:
        return dg.SkipReason("the corpus has not changed")
    if state != seen:
        return dg.SensorResult(
            skip_reason=dg.SkipReason("the corpus is changing; waiting until it is still"), cursor=f"{acted} {state}"
        )
    # No run key: the daemon would remember it, and a corpus that returns to an earlier state is to be indexed again.
    return dg.SensorResult(run_requests=[dg.RunRequest(tags=scheduled_tags(settings))], cursor=f"{state} {state}")


def index_failed(settings: Settings) -> dg.SensorDefinition:
    """Tell of runs of the schedule and sensor that have failed for good."""

    @dg.run_failure_sensor(
        name="index_failed",
        monitored_jobs=[index_job],
        minimum_interval_seconds=settings.sensor_seconds,
        default_status=DefaultSensorStatus.STOPPED,
        description="When a run of the schedule or sensor has failed for good, say why: in the log, and to the command "
        "of DRIFT_ON_FAILURE.",
    )
    def index_failed(context: dg.RunFailureSensorContext) -> dg.SkipReason | None:
        run = context.dagster_run
        if not is_to_be_told(run):
            return dg.SkipReason(f"run {run.run_id} is tried again, or somebody watches it")
        message = failure_message(run, context.failure_event.message)
        context.log.error(message)
        tell(settings.on_failure, message)
        return None

    return index_failed


def is_to_be_told(run: dg.DagsterRun) -> bool:
    """Whether nobody else knows that the run failed: not of one that is tried again or was launched by hand."""
    return SCHEDULED in run.tags and run.tags.get("dagster/will_retry") != "true"


def failure_message(run: dg.DagsterRun, reason: str | None) -> str:
    """One line: which run, after how many attempts, and why."""
    attempts = int(run.tags.get("dagster/retry_number", "0")) + 1
    why = " ".join((reason or "no reason is known").split())
    return f"drift: the index run {run.run_id} failed for good (attempt {attempts}): {why}"


def tell(command: str | None, message: str) -> None:
    """Give `message` to the command's standard input; no shell takes part.

    Raises SettingsError when the command cannot be started, fails or takes longer than a minute.
    """
    if not command:
        return
    try:
        subprocess.run(shlex.split(command), input=message + "\n", text=True, check=True, timeout=TELLING_SECONDS)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise SettingsError(f"DRIFT_ON_FAILURE cannot tell of a failed run: {error}") from error
