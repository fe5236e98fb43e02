"""The real webserver, daemon and code server over the history of the command line."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from drift_assets.errors import SettingsError
from drift_assets.runs.dev import serve
from drift_assets.runs.instance import open_instance
from drift_assets.runs.launch import execute
from drift_assets.settings import Settings, load_settings
from drift_tests.runs.processes import HERE, wait_for
from drift_tests.runs.tiny_run import TINY
from drift_tests.runs.webserver import Webserver


@dataclass
class Served:
    settings: Settings
    process: "subprocess.Popen[str]"
    web: Webserver

    def services(self) -> list[psutil.Process]:
        """Every process below the one that serves."""
        return psutil.Process(self.process.pid).children(recursive=True)


def started(settings: Settings) -> Served:
    # As in the background of a script, where interrupts are ignored.
    process = subprocess.Popen(
        [sys.executable, str(HERE / "tiny_serve.py"), str(settings.home_folder)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert process.stdout is not None
    return Served(settings, process, Webserver(process.stdout.readline().strip(), "tiny"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = started(load_settings(home=tmp_path_factory.mktemp("served") / "home"))
    yield running
    running.process.kill()
    running.process.communicate()


def test_a_run_of_the_command_line_stands_on_its_page_and_can_be_re_executed(server: Served) -> None:
    with open_instance(server.settings) as instance:
        made_here = execute("search", {"question": "who?"}, instance=instance, location=TINY).run_id
    assert made_here in server.web.runs_on_page_of("search")

    again = server.web.re_execute(made_here)
    assert again["parentRunId"] == made_here
    assert again["runConfigYaml"] == "question: who?\n"
    assert server.web.wait_for_end(again["runId"]) == "SUCCESS"


def test_stopping_ends_all_services_and_cancels_what_runs(server: Served, tmp_path: Path) -> None:
    run_id = server.web.launch("search", seconds=60, marks=str(tmp_path))
    wait_for(tmp_path / "begun", server.process)
    services = server.services()
    assert len(services) > 4

    server.process.send_signal(signal.SIGINT)
    assert server.process.stdout is not None
    assert server.process.stdout.readline() == "stopping\n"
    assert server.process.poll() is None
    assert server.process.wait(60) == 0
    assert psutil.wait_procs(services, timeout=5)[1] == []
    assert (tmp_path / "written").exists()
    with open_instance(server.settings) as instance:
        assert instance.get_run_by_id(run_id).status.value == "CANCELED"


def test_services_do_not_outlive_a_server_that_is_killed(tmp_path: Path) -> None:
    server = started(load_settings(home=tmp_path / "home"))
    services = server.services()
    server.process.kill()
    server.process.communicate()
    assert psutil.wait_procs(services, timeout=60)[1] == []


def test_a_taken_port_names_the_option(settings: Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=rf"cannot listen on 127.0.0.1:{port} .*in use.*`drift dev --port`"):
            serve(settings, host="127.0.0.1", port=port, announce=print, stopping=print)
