"""Dagster's UI and daemon on the history of the command line."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from drift_assets.errors import DriftError, SettingsError
from drift_assets.interrupts import ignore_signals, raise_on_signals
from drift_assets.runs.dead import close_dead_runs, unfinished_runs, worker_of_ui
from drift_assets.runs.instance import history_folder, open_instance
from drift_assets.runs.launch import LOCATION, CodeLocation
from drift_assets.runs.searches import close_ended_searches
from drift_assets.settings import Settings

STOP_SECONDS = 30.0


def serve(
    settings: Settings,
    *,
    host: str,
    port: int,
    announce: Callable[[str], None],
    stopping: Callable[[], None],
    location: CodeLocation = LOCATION,
    debug: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM, then stop all that was started; `announce` gets the address once it answers.

    `stopping` is called at the signal, before the services are stopped, which takes some seconds. The services log to
    `dev.log` beside the history, with `debug` to standard error. Port 0 takes a free one. Raises SettingsError when the
    address cannot be listened on and DriftError when the services end by themselves.
    """
    raise_on_signals()
    port = _free_port(host, port)
    with open_instance(settings) as instance:
        close_dead_runs(instance, of_ui=True)
        close_ended_searches(settings, instance)
    log = history_folder(settings) / "dev.log"
    workspace = _write_workspace(history_folder(settings), location)
    arguments = ["dev", "--workspace", str(workspace), "--host", host, "--port", str(port)]
    arguments += ["--log-level", "info" if debug else "warning"]
    with contextlib.ExitStack() as stack:
        output = None if debug else stack.enter_context(log.open("wb"))
        stack.enter_context(contextlib.suppress(KeyboardInterrupt))
        services = stack.enter_context(_services(settings, arguments, output))
        try:
            while not _answers(host, port):
                _raise_if_ended(services, log)
                time.sleep(0.2)
            announce(f"http://{host}:{port}")
            services.wait()
        except KeyboardInterrupt:
            stopping()
            raise
        _raise_if_ended(services, log)


def _free_port(host: str, port: int) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise SettingsError(
                f"cannot listen on {host}:{port} ({error.strerror}); choose another with `drift dev --port` or --host"
            ) from error
        found: int = probe.getsockname()[1]
        return found


def _write_workspace(folder: Path, location: CodeLocation) -> Path:
    """A workspace with our location, under the name and origin that runs of the command line carry (JSON is YAML)."""
    module = {
        "module_name": location.module,
        "attribute": location.attribute,
        "location_name": location.name,
        "executable_path": sys.executable,
    }
    if location.working_directory:
        module["working_directory"] = location.working_directory
    path = folder / "dev-workspace.yaml"
    path.write_text(json.dumps({"load_from": [{"python_module": module}]}, indent=2), encoding="utf-8")
    return path


@contextlib.contextmanager
def _services(settings: Settings, arguments: list[str], output: object) -> Iterator[subprocess.Popen[bytes]]:
    """The services in a session of their own, so that a Ctrl-C at the terminal reaches them only through us."""
    command = [sys.executable, "-m", "drift_assets.runs.attached", str(settings.home_folder), *arguments]
    process = subprocess.Popen(  # type: ignore[call-overload]
        command, stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True
    )
    try:
        yield process
    finally:
        ignore_signals()
        process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
        _end_session(process.pid, settings)
        process.wait()


def _end_session(session: int, settings: Settings) -> None:
    """End what is left of the services: a code server waits for its runs, which are told to stop."""
    left = [process for process in psutil.process_iter() if _session_of(process.pid) == session]
    if not left:
        return
    process_ids = {process.pid for process in left}
    with open_instance(settings) as instance:
        for run in unfinished_runs(instance):
            worker = worker_of_ui(instance, run)
            if worker and worker.pid in process_ids:
                instance.report_run_canceling(run)
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGINT)
    for process in psutil.wait_procs(left, timeout=STOP_SECONDS)[1]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _session_of(process_id: int) -> int | None:
    try:
        return os.getsid(process_id)
    except OSError:
        return None


def _answers(host: str, port: int) -> bool:
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    name = f"[{reachable}]" if ":" in reachable else reachable
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"http://{name}:{port}/server_info", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _raise_if_ended(services: subprocess.Popen[bytes], log: Path) -> None:
    if services.poll() is None:
        return
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.exists() else []
    last = next((line.strip() for line in reversed(lines) if line.strip()), "no output")
    raise DriftError(f"Dagster's services ended by themselves ({last}); {log} says more")
