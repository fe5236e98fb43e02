"""Dagster's webserver as its own pages use it: by GraphQL."""

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

_PAGE = "query ($of: PipelineSelector!) { pipelineOrError(params: $of) { ... on Pipeline { runs { runId } } } }"
_LAUNCH = """mutation ($params: ExecutionParams!) { launchRun(executionParams: $params) {
    ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
    ... on RunConfigValidationInvalid { errors { message } } } }"""
_RE_EXECUTE = """mutation ($params: ReexecutionParams!) { launchRunReexecution(reexecutionParams: $params) {
    ... on LaunchRunSuccess { run { runId parentRunId runConfigYaml } } ... on PythonError { message } } }"""
_START_SENSOR = """mutation ($of: SensorSelector!) { startSensor(sensorSelector: $of) {
    ... on Sensor { name } ... on PythonError { message } ... on SensorNotFoundError { message } } }"""
_START_SCHEDULE = """mutation ($of: ScheduleSelector!) { startSchedule(scheduleSelector: $of) {
    ... on ScheduleStateResult { scheduleState { status } } ... on PythonError { message } } }"""
_STATUS = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


@dataclass(frozen=True)
class Webserver:
    """The webserver at `address`, with one code location."""

    address: str
    location: str

    def runs_on_page_of(self, job: str) -> list[str]:
        """Ids of the runs that the job's page shows."""
        page = self._ask(_PAGE, of={"pipelineName": job, **self._repository})
        return [run["runId"] for run in page["runs"]]

    def launch(self, job: str, **config: object) -> str:
        """Launch from the Launchpad; the run's id."""
        selector = {"jobName": job, **self._repository}
        launched = self._ask(_LAUNCH, params={"selector": selector, "runConfigData": json.dumps(config)})
        assert "run" in launched, launched
        return str(launched["run"]["runId"])

    def refusal(self, job: str, **config: object) -> str:
        """What people read first when the Launchpad's form is refused."""
        selector = {"jobName": job, **self._repository}
        refused = self._ask(_LAUNCH, params={"selector": selector, "runConfigData": json.dumps(config)})
        return str(refused["message"]).splitlines()[0]

    def re_execute(self, run_id: str) -> dict[str, str]:
        """Execute the run again, all of it; `runId`, `parentRunId` and `runConfigYaml` of the new run."""
        again = self._ask(_RE_EXECUTE, params={"parentRunId": run_id, "strategy": "ALL_STEPS"})
        assert "run" in again, again
        run: dict[str, str] = again["run"]
        return run

    def start_sensor(self, name: str) -> None:
        """Turn the sensor on."""
        started = self._ask(_START_SENSOR, of={"sensorName": name, **self._repository})
        assert started == {"name": name}, started

    def start_schedule(self, name: str) -> None:
        """Turn the schedule on."""
        started = self._ask(_START_SCHEDULE, of={"scheduleName": name, **self._repository})
        assert started == {"scheduleState": {"status": "RUNNING"}}, started

    def wait_for_end(self, run_id: str, seconds: float = 120) -> str:
        """The status with which the run ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            status: str = self._ask(_STATUS, id=run_id)["status"]
            if status in ("SUCCESS", "FAILURE", "CANCELED"):
                return status
            time.sleep(0.2)
        raise TimeoutError(f"run {run_id} did not end")

    @property
    def _repository(self) -> dict[str, str]:
        return {"repositoryName": "__repository__", "repositoryLocationName": self.location}

    def _ask(self, query: str, **variables: object) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.address}/graphql", body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                (data,) = json.load(answer)["data"].values()
        # An answer that tells of an error has the status of one.
        except urllib.error.HTTPError as answer:
            (data,) = json.load(answer)["data"].values()
        return data
