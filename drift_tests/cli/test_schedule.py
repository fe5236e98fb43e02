"""The real daemon runs the nightly schedule at its time, within the limits of a run that nobody waits for."""

from __future__ import annotations

import re
import time

import dagster as dg
import pytest

from drift_assets.runs.instance import open_instance
from drift_tests.cli.conftest import DOCUMENTS, Drift
from drift_tests.openai_server import openai_server
from drift_tests.runs.webserver import Webserver

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]


def scheduled(drift: Drift, *, seconds: float = 240) -> tuple[dg.DagsterRun, list[str]]:
    """The first index run that has ended, and what it logged."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with open_instance(drift.settings) as instance:
            for run in instance.get_runs(dg.RunsFilter(job_name="index")):
                if run.is_finished:
                    return run, [entry.user_message for entry in instance.all_logs(run.run_id)]
        time.sleep(1)
    raise TimeoutError("the schedule launched no run that ended")


def test_the_schedule_runs_by_itself_within_the_default_limits(drift: Drift) -> None:
    with openai_server() as service:
        dev = drift.start(
            "dev",
            "--port",
            "0",
            DRIFT_CORPUS=str(drift.folder / "corpus"),
            DRIFT_SCHEDULE="* * * * *",
            OPENAI_BASE_URL=service.url,
            OPENAI_API_KEY="test-key-0123456789",
            DRIFT_LANGUAGE="openai",
            DRIFT_EMBEDDING="openai",
        )
        assert dev.stdout is not None
        address = re.match(r"Dagster answers at (http://127.0.0.1:\d+) ", dev.stdout.readline())
        assert address is not None
        Webserver(address.group(1), "drift_assets").start_schedule("nightly_index")
        try:
            run, logged = scheduled(drift)
        finally:
            dev.terminate()
            dev.communicate(timeout=60)
        asked = len(service.of("extract"))

    assert run.is_success
    assert asked == len(DOCUMENTS)
    assert run.tags["dagster/schedule_name"] == "nightly_index"
    assert (run.tags["drift/scheduled"], run.tags["dagster/max_retries"]) == ("true", "2")
    # Said where a limit on the cost is set, which by default only such a run has, and the service has no prices.
    assert [line for line in logged if "does not limit the cost" in line]
