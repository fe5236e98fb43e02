import json
import os
import uuid

import psutil
import pytest
from dagster import DagsterRunStatus
from dagster._core.events import EngineEventData

from drift_assets.runs.dead import PROCESS_TAG, close_dead_runs, is_dead, process_tags
from drift_assets.runs.recent import recent_runs
from drift_tests.runs.processes import StartRun
from drift_tests.runs.tiny_run import TINY


@pytest.fixture
def unfinished(instance):
    """Makes a run that claims to be in progress, with these fields of its process changed."""

    def make(**changes: object) -> str:
        run_id = str(uuid.uuid4())
        process = {**json.loads(process_tags(run_id)[PROCESS_TAG]), **changes}
        instance.create_run_for_job(
            TINY.job("search").get_definition(),
            run_id=run_id,
            status=DagsterRunStatus.STARTED,
            tags={PROCESS_TAG: json.dumps(process)},
        )
        return run_id

    return make


def test_a_killed_run_is_closed_by_the_next_start(instance, start_run: StartRun) -> None:
    killed = start_run("search", fail="kill")
    killed.communicate(timeout=60)
    (run,) = instance.get_runs()
    assert run.status.value == "STARTED"
    assert [line.status for line in recent_runs(instance, limit=5)] == ["KILLED"]

    output, _ = start_run("index").communicate(timeout=60)
    assert json.loads(output)["closed"] == [run.run_id]
    assert instance.get_run_by_id(run.run_id).status.value == "FAILURE"
    assert close_dead_runs(instance) == ()


def test_a_run_in_progress_is_left_alone(instance, unfinished) -> None:
    unfinished()
    assert close_dead_runs(instance) == ()
    assert [line.status for line in recent_runs(instance, limit=5)] == ["STARTED"]


def test_another_process_with_the_same_id_does_not_keep_a_run_open(instance, unfinished) -> None:
    run_id = unfinished(started=psutil.Process().create_time() - 3600)
    assert close_dead_runs(instance) == (run_id,)


def test_a_run_of_another_host_is_left_alone(instance, unfinished) -> None:
    unfinished(host="elsewhere", pid=2**22 + 1)
    assert close_dead_runs(instance) == ()


def test_a_re_execution_that_inherited_the_tags_is_left_alone(instance, unfinished) -> None:
    unfinished(run="the run it repeats", pid=2**22 + 1)
    assert close_dead_runs(instance) == ()


def test_a_run_that_ended_since_it_was_read_is_not_dead(instance, unfinished) -> None:
    read = instance.get_run_by_id(unfinished(pid=2**22 + 1))
    assert is_dead(instance, read)
    instance.report_run_canceled(read)
    assert not is_dead(instance, read)


@pytest.fixture
def launched_by_ui(instance):
    """Makes a run in progress as a code server leaves it, in the process with this id."""

    def make(pid: int) -> str:
        run = instance.create_run_for_job(TINY.job("search").get_definition(), status=DagsterRunStatus.STARTED)
        instance.report_engine_event("Started process for run.", run, EngineEventData.in_process(pid))
        return run.run_id

    return make


def test_a_ui_closes_the_runs_that_died_with_the_ui_before_it(instance, launched_by_ui) -> None:
    dead = launched_by_ui(2**22 + 1)
    launched_by_ui(os.getpid())
    assert close_dead_runs(instance) == ()
    assert close_dead_runs(instance, of_ui=True) == (dead,)


def test_a_run_whose_process_nobody_knows_is_left_alone(instance) -> None:
    instance.create_run_for_job(TINY.job("search").get_definition(), status=DagsterRunStatus.STARTED)
    assert close_dead_runs(instance, of_ui=True) == ()
