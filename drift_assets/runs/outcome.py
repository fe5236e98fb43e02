"""What came of a run, read from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from drift_assets import errors

if TYPE_CHECKING:
    from dagster import DagsterEvent
    from dagster_shared.error import SerializableErrorInfo


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """An asset check that did not pass; `asset` is the key with slashes, `blocking` one that fails the run."""

    asset: str
    name: str
    description: str
    blocking: bool


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A finished run.

    `failed_step` and `message` (one line) tell of the first failure; `failed_checks` may be present in a success.
    `materialized` holds the metadata of each asset that was brought up to date, as plain values, by its key.
    `seconds` is the time of the whole run.
    """

    run_id: str
    job: str
    success: bool
    interrupted: bool = False
    failed_step: str | None = None
    message: str | None = None
    failed_checks: tuple[FailedCheck, ...] = ()
    materialized: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0

    def raise_for_failure(self) -> None:
        """Raise KeyboardInterrupt or RunFailed, unless the run succeeded."""
        if self.interrupted:
            raise KeyboardInterrupt
        if not self.success:
            step = f", step {self.failed_step}" if self.failed_step else ""
            raise errors.RunFailed(f"{self.message} (run {self.run_id}{step})")


def outcome(run_id: str, job: str, events: Iterable[DagsterEvent], *, interrupted: bool, seconds: float) -> RunOutcome:
    """The outcome that the events of a run tell, in the order in which they came."""
    success, failed_step, message = False, None, None
    checks: list[FailedCheck] = []
    materialized: dict[str, Mapping[str, Any]] = {}
    for event in events:
        if event.is_step_failure and failed_step is None:
            failed_step = event.step_key
            message = one_line(event.step_failure_data.error) or event.message
        elif event.is_run_failure:
            message = message or one_line(event.job_failure_data.error) or event.message
        elif event.event_type_value == "PIPELINE_SUCCESS":
            success = True
        elif event.event_type_value == "ASSET_CHECK_EVALUATION":
            checks += _failed_check(event)
        elif event.is_step_materialization:
            materialization = event.step_materialization_data.materialization
            values = {name: entry.value for name, entry in materialization.metadata.items()}
            materialized[materialization.asset_key.to_user_string()] = values
    return RunOutcome(run_id, job, success, interrupted, failed_step, message, tuple(checks), materialized, seconds)


def _failed_check(event: DagsterEvent) -> list[FailedCheck]:
    evaluation = event.asset_check_evaluation_data
    if evaluation.passed:
        return []
    return [
        FailedCheck(
            evaluation.asset_key.to_user_string(),
            evaluation.check_name,
            evaluation.description or "",
            bool(evaluation.blocking),
        )
    ]


def one_line(error: SerializableErrorInfo | None) -> str | None:
    """The message of the exception under Dagster's wrappers, on one line; our own errors without their class name."""
    if error is None:
        return None
    while error.cls_name and error.cls_name.startswith("Dagster") and error.cause:
        error = error.cause
    text = " ".join(error.message.split())
    if isinstance(getattr(errors, error.cls_name or "", None), type):
        text = text.partition(": ")[2]
    return text
