"""Running a job of the code location in this process, as a run that the UI knows as its own.

`JobDefinition.execute_in_process` leaves runs that stand on no job's page and cannot be re-executed, since they do not
say where their job comes from. So the run is created with the origin of the code location and executed by the function
that Dagster's own workers use. All of that is Dagster's private interface; it is used here and nowhere else.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dagster._core.execution.context_creation_job as context_creation
from dagster import DagsterError
from dagster._core.code_pointer import CodePointer
from dagster._core.definitions.reconstruct import ReconstructableJob, ReconstructableRepository
from dagster._core.errors import DagsterExecutionInterruptedError
from dagster._core.execution.api import execute_run_iterator
from dagster._core.execution.plan.objects import ErrorSource
from dagster._core.remote_origin import (
    ManagedGrpcPythonEnvCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
)
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.utils import make_new_run_id
from dagster._utils.error import serializable_error_info_from_exc_info
from dagster._utils.interrupts import capture_interrupts
from pydantic import ValidationError

from drift_assets.errors import RunFailed
from drift_assets.refusals import refusal
from drift_assets.runs.dead import process_tags
from drift_assets.runs.outcome import RunOutcome, one_line, outcome
from drift_assets.runs.termination import terminable

if TYPE_CHECKING:
    from dagster import DagsterEvent, DagsterInstance, DagsterRun


@dataclass(frozen=True, slots=True)
class CodeLocation:
    """Where definitions are found, and the name under which the workspace knows them."""

    module: str
    attribute: str
    name: str
    working_directory: str | None = None

    def job(self, name: str) -> ReconstructableJob:
        """A job of these definitions, importing them."""
        pointer = CodePointer.from_module(self.module, self.attribute, self.working_directory)
        return ReconstructableRepository(pointer).get_reconstructable_job(name)

    def job_origin(self, job: ReconstructableJob) -> RemoteJobOrigin:
        """Where the webserver and the daemon find the job."""
        target = LoadableTargetOrigin(
            executable_path=sys.executable,
            module_name=self.module,
            attribute=self.attribute,
            working_directory=self.working_directory,
        )
        location = ManagedGrpcPythonEnvCodeLocationOrigin(target, self.name)
        repository = job.repository.get_definition().name
        return RemoteRepositoryOrigin(location, repository).get_job_origin(job.job_name)


LOCATION = CodeLocation("drift_assets.definitions", "defs", "drift_assets")


def execute(
    job_name: str,
    run_config: Mapping[str, Any],
    *,
    instance: DagsterInstance,
    tags: Mapping[str, str] | None = None,
    location: CodeLocation = LOCATION,
    debug: bool = False,
) -> RunOutcome:
    """Run the job here and now, in the main thread; its history is kept in `instance`.

    SIGINT, SIGTERM and a termination in the UI interrupt the step that runs; the run then ends as canceled and the
    outcome says so.
    Standard output stays free for the caller: what the job prints goes to standard error, and with `debug` Dagster's
    log does. Raises RunFailed when `run_config` is not valid.
    """
    job = location.job(job_name)
    events: list[DagsterEvent] = []
    interrupted, begun = False, time.monotonic()
    with capture_interrupts(), _console(shown=debug), redirect_stdout(sys.stderr):
        run = _create_run(job, run_config, instance, location, tags or {})
        try:
            with terminable(instance, run.run_id):
                for event in execute_run_iterator(job, run, instance):
                    events.append(event)
                    if _is_interrupt(event):
                        interrupted = True
                        # Only a run that is asked to stop ends as canceled, any other interrupted one as failed.
                        instance.report_run_canceling(run)
        except (KeyboardInterrupt, DagsterExecutionInterruptedError):
            interrupted = True
            instance.report_run_canceled(run)
    return outcome(run.run_id, job_name, events, interrupted=interrupted, seconds=time.monotonic() - begun)


def _create_run(
    job: ReconstructableJob,
    run_config: Mapping[str, Any],
    instance: DagsterInstance,
    location: CodeLocation,
    tags: Mapping[str, str],
) -> DagsterRun:
    definition = job.get_definition()
    run_id = make_new_run_id()
    try:
        return instance.create_run_for_job(
            definition,
            run_id=run_id,
            run_config=run_config,
            tags={**definition.run_tags, **tags, **process_tags(run_id)},
            remote_job_origin=location.job_origin(job),
            job_code_origin=job.get_python_origin(),
        )
    except DagsterError as error:
        message = _refused(error) or one_line(serializable_error_info_from_exc_info(sys.exc_info()))
        raise RunFailed(f"the job {job.job_name} refuses its configuration: {message}") from error


def _refused(error: BaseException | None) -> str | None:
    """What is wrong with a value of the configuration, which its form says somewhere down the chain."""
    while error is not None and not isinstance(error, ValidationError):
        error = error.__cause__ or error.__context__
    if error is None:
        return None
    first = error.errors()[0]
    return refusal(".".join(map(str, first["loc"])), first)


def _is_interrupt(event: DagsterEvent) -> bool:
    return event.is_step_failure and event.step_failure_data.error_source == ErrorSource.INTERRUPT


@contextmanager
def _console(*, shown: bool) -> Iterator[None]:
    """Without `shown`, a run in this block writes no log lines to standard error; its event log stays complete.

    A log level set for the instance would drop lines from the event log too, and the console logger by itself can only
    be told in the run's configuration, which is stored with the run.
    """
    names = vars(context_creation)
    original = names["default_system_loggers"]
    if not shown:
        names["default_system_loggers"] = lambda _instance: []
    try:
        yield
    finally:
        names["default_system_loggers"] = original
