"""The real webserver, daemon and code server over the history of the command line."""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from drift_assets.errors import SettingsError
from drift_assets.runs.dev import serve
from drift_assets.runs.instance import open_instance
from drift_assets.runs.launch import execute
from drift_assets.settings import Settings, load_settings
from drift_tests.runs.processes import HERE, wait_for
from drift_tests.runs.tiny_run import TINY

REPOSITORY = {"repositoryName": "__repository__", "repositoryLocationName": "tiny"}


@dataclass
class Server:
    settings: Settings
    process: "subprocess.Popen[str]"
    address: str

    def graphql(self, query: str, **variables: object) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.address}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            (data,) = json.load(answer)["data"].values()
        return data

    def wait_for_end(self, run_id: str) -> str:
        query = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
        end = time.monotonic() + 90
        while time.monotonic() < end:
            status: str = self.graphql(query, id=run_id)["status"]
            if status in ("SUCCESS", "FAILURE", "CANCELED"):
                return status
            time.sleep(0.2)
        raise TimeoutError(f"run {run_id} did not end")

    def session(self) -> list[psutil.Process]:
        """The services: every process below the one that serves."""
        return psutil.Process(self.process.pid).children(recursive=True)


def started(settings: Settings) -> Server:
    # As in the background of a script, where interrupts are ignored.
    process = subprocess.Popen(
        [sys.executable, str(HERE / "tiny_serve.py"), str(settings.home_folder)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert process.stdout is not None
    return Server(settings, process, process.stdout.readline().strip())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = started(load_settings(home=tmp_path_factory.mktemp("served") / "home"))
    yield running
    running.process.kill()
    running.process.wait()


@pytest.fixture
def made_here(server: Server) -> str:
    """A run that the command line makes while the UI is up; its id."""
    with open_instance(server.settings) as instance:
        return execute("search", {"question": "who?"}, instance=instance, location=TINY).run_id


def test_a_run_of_the_command_line_stands_on_the_page_of_its_job(server: Server, made_here: str) -> None:
    query = "query ($of: PipelineSelector!) { pipelineOrError(params: $of) { ... on Pipeline { runs { runId } } } }"
    page = server.graphql(query, of={"pipelineName": "search", **REPOSITORY})
    assert made_here in [run["runId"] for run in page["runs"]]


def test_a_run_of_the_command_line_can_be_re_executed(server: Server, made_here: str) -> None:
    again = server.graphql(
        """mutation ($params: ReexecutionParams!) { launchRunReexecution(reexecutionParams: $params) {
        ... on LaunchRunSuccess { run { runId parentRunId runConfigYaml } } ... on PythonError { message } } }""",
        params={"parentRunId": made_here, "strategy": "ALL_STEPS"},
    )["run"]
    assert again["parentRunId"] == made_here
    assert again["runConfigYaml"] == "question: who?\n"
    assert server.wait_for_end(again["runId"]) == "SUCCESS"


def launch(server: Server, **config: object) -> str:
    launched = server.graphql(
        """mutation ($params: ExecutionParams!) { launchRun(executionParams: $params) {
        ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }""",
        params={"selector": {"jobName": "search", **REPOSITORY}, "runConfigData": json.dumps(config)},
    )
    run_id: str = launched["run"]["runId"]
    return run_id


def test_stopping_ends_all_services_and_cancels_what_runs(server: Server, tmp_path: Path) -> None:
    run_id = launch(server, seconds=60, marks=str(tmp_path))
    wait_for(tmp_path / "begun", server.process)
    services = server.session()
    assert len(services) > 4

    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(60) == 0
    assert psutil.wait_procs(services, timeout=5)[1] == []
    assert (tmp_path / "written").exists()
    with open_instance(server.settings) as instance:
        assert instance.get_run_by_id(run_id).status.value == "CANCELED"


def test_services_do_not_outlive_a_server_that_is_killed(tmp_path: Path) -> None:
    server = started(load_settings(home=tmp_path / "home"))
    services = server.session()
    server.process.kill()
    server.process.wait()
    assert psutil.wait_procs(services, timeout=60)[1] == []


def test_a_taken_port_names_the_option(settings: Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=rf"cannot listen on 127.0.0.1:{port} .*in use.*`drift dev --port`"):
            serve(settings, host="127.0.0.1", port=port, announce=print)
