import json
import signal

import pytest
from dagster import RunsFilter
from dagster._core.workspace.load import location_origins_from_yaml_paths

from drift_assets.errors import RunFailed
from drift_assets.runs.launch import LOCATION, execute
from drift_tests.runs.processes import ROOT, StartRun, wait_for
from drift_tests.runs.tiny_run import TINY


def events(instance, run_id: str) -> list[str]:
    return [entry.dagster_event.event_type_value for entry in instance.all_logs(run_id) if entry.dagster_event]


def test_an_asset_job_tells_its_metadata_and_its_failed_checks(instance) -> None:
    outcome = execute("index", {}, instance=instance, location=TINY)
    assert outcome.success
    assert outcome.materialized == {"drift/chunks": {"new": 3, "share": 0.5}}
    (check,) = outcome.failed_checks
    assert (check.asset, check.name, check.description) == ("drift/chunks", "chunks_are_few", "3 are too many")
    assert not check.blocking


def test_a_run_carries_the_label_of_its_code_location(instance) -> None:
    outcome = execute("search", {"question": "who?"}, instance=instance, location=TINY, tags={"drift/from": "cli"})
    label = {".dagster/repository": "__repository__@tiny"}
    (run,) = instance.get_runs(RunsFilter(job_name="search", tags=label))
    assert run.run_id == outcome.run_id
    assert run.run_config == {"question": "who?"}
    assert run.tags["drift/from"] == "cli"
    assert run.remote_job_origin.location_name == "tiny"
    assert run.job_code_origin.job_name == "search"


def test_the_terminal_stays_free_and_the_event_log_complete(instance, capfd) -> None:
    outcome = execute("index", {}, instance=instance, location=TINY)
    assert capfd.readouterr() == ("", "")
    assert "a line of the stage" in [entry.user_message for entry in instance.all_logs(outcome.run_id)]
    assert {"PIPELINE_START", "ASSET_MATERIALIZATION", "PIPELINE_SUCCESS"} <= set(events(instance, outcome.run_id))


def test_debug_shows_the_log_on_standard_error_alone(instance, capfd) -> None:
    execute("index", {}, instance=instance, location=TINY, debug=True)
    output, errors = capfd.readouterr()
    assert output == ""
    assert "a line of the stage" in errors
    assert "PIPELINE_SUCCESS" in errors or "RUN_SUCCESS" in errors


def test_what_a_job_prints_goes_to_standard_error(instance, capsys) -> None:
    execute("search", {}, instance=instance, location=TINY)
    assert capsys.readouterr().out == ""


def test_an_error_of_ours_becomes_one_line_with_run_and_step(instance) -> None:
    outcome = execute("search", {"fail": "corpus", "question": "x"}, instance=instance, location=TINY)
    assert not outcome.success
    assert outcome.failed_step == "answer"
    assert outcome.message == "no folder 'x'; name another one"
    with pytest.raises(RunFailed, match=rf"name another one \(run {outcome.run_id}, step answer\)"):
        outcome.raise_for_failure()


def test_an_unexpected_error_keeps_its_class(instance) -> None:
    assert execute("search", {"fail": "bug"}, instance=instance, location=TINY).message == "ValueError: a bug"


def test_a_configuration_that_the_job_refuses_leaves_no_run(instance) -> None:
    with pytest.raises(RunFailed, match=r'the job search refuses its configuration: .*"nope"'):
        execute("search", {"nope": 1}, instance=instance, location=TINY)
    assert instance.get_runs() == []


def test_a_value_that_the_form_of_a_job_refuses_is_told_with_what_is_allowed(instance) -> None:
    with pytest.raises(RunFailed) as refused:
        execute("drift_search", {"question": "Who?", "max_seconds": 0}, instance=instance)
    told = "the job drift_search refuses its configuration: max_seconds is 0.0: give more than 0"
    assert str(refused.value) == told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_a_stage_write_and_cancels_the_run(settings, instance, start_run: StartRun, tmp_path, number):
    process = start_run("search", seconds=60, marks=str(tmp_path))
    wait_for(tmp_path / "begun", process)
    process.send_signal(number)
    output, _ = process.communicate(timeout=30)

    assert process.returncode in (130, -signal.SIGINT)
    assert (tmp_path / "written").exists()
    outcome = json.loads(output)
    assert outcome["interrupted"]
    assert instance.get_run_by_id(outcome["run_id"]).status.value == "CANCELED"
    assert "PIPELINE_FAILURE" not in events(instance, outcome["run_id"])


def test_a_signal_in_plain_code_cancels_the_run(instance, start_run: StartRun, tmp_path) -> None:
    process = start_run("search", fail="sleep", nap=60, marks=str(tmp_path))
    wait_for(tmp_path / "begun", process)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    assert json.loads(output)["failed_step"] == "sleepy"
    assert instance.get_runs(limit=1)[0].status.value == "CANCELED"


def test_many_signals_leave_a_canceled_run_and_a_working_history(instance, start_run: StartRun, tmp_path) -> None:
    process = start_run("search", seconds=60, marks=str(tmp_path))
    wait_for(tmp_path / "begun", process)
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=30)
    assert json.loads(output)["interrupted"], errors
    assert (tmp_path / "written").exists()
    assert instance.get_runs(limit=1)[0].status.value == "CANCELED"
    assert execute("index", {}, instance=instance, location=TINY).success


def test_a_termination_in_the_ui_stops_a_run_of_the_command_line(instance, start_run: StartRun, tmp_path) -> None:
    process = start_run("search", seconds=60, marks=str(tmp_path))
    wait_for(tmp_path / "begun", process)
    (run,) = instance.get_runs()
    # What the webserver does first, before it looks for a code server to tell.
    instance.report_run_canceling(run)
    output, _ = process.communicate(timeout=30)
    assert json.loads(output)["interrupted"]
    assert (tmp_path / "written").exists()
    assert instance.get_run_by_id(run.run_id).status.value == "CANCELED"


def test_the_workspace_of_a_clone_names_the_same_place() -> None:
    (origin,) = location_origins_from_yaml_paths([str(ROOT / "workspace.yaml")])
    target = origin.loadable_target_origin
    assert (target.module_name, target.attribute, origin.location_name) == (
        LOCATION.module,
        LOCATION.attribute,
        LOCATION.name,
    )
