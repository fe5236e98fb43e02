"""The managed Neo4j as its users see it: its address, start, stop and status.

One server belongs to one DRIFT_HOME and is shared by all processes that use it. It is a session of its own: it
outlives whoever started it and stops when nobody has used it for a while.
"""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from drift_assets.errors import ServerError, SettingsError
from drift_assets.graph.address import Address
from drift_assets.local.folder import (
    POLL_SECONDS,
    Running,
    ServerFolder,
    locked,
    need_space,
    read_running,
    writing,
)
from drift_assets.settings import Settings

START_SECONDS = 180.0
STOP_SECONDS = 30.0
# A first start downloads 135 MB, on a slow line too, while others wait for it.
OTHER_START_SECONDS = 3600.0
DATA_MB = 50
LOG_LINES = 3


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What is known of the managed server without starting it; `pid`, `uri`, `since` (seconds since the epoch)
    and `idle_minutes` (after which it stops) are None when it does not run."""

    running: bool
    pid: int | None
    uri: str | None
    since: float | None
    idle_minutes: float | None
    version: str
    folder: Path
    log: Path


def to_stderr(line: str) -> None:
    """Say a line to the person at the terminal."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def neo4j_address(settings: Settings, say: Callable[[str], None] = to_stderr) -> Address:
    """The Neo4j to use: NEO4J_URI when set, and then nothing is started or downloaded; else the managed server.

    Raises SettingsError when NEO4J_URI stands without a password, ServerError when the managed one cannot run.
    """
    if not settings.neo4j_uri:
        return start(settings, say)
    if settings.neo4j_password is None:
        raise SettingsError(
            "NEO4J_URI is set without NEO4J_PASSWORD: set it too, or unset NEO4J_URI to use the managed local server"
        )
    return Address(
        settings.neo4j_uri,
        settings.neo4j_username,
        settings.neo4j_password.get_secret_value(),
        settings.neo4j_database,
    )


def start(settings: Settings, say: Callable[[str], None] = to_stderr) -> Address:
    """The address of the running managed server, started if need be (a few ms when it runs, else some 8 s)."""
    folder = _folder(settings)
    running = read_running(folder)
    if not (running and _answers(running)):
        folder.prepare()
        with locked(folder.start_lock, OTHER_START_SECONDS, "another process that starts Neo4j", say):
            running = _ensure_running(folder, settings, say)
    with writing(folder.root):
        folder.used.touch()
    return Address(_uri(running), "neo4j", folder.password(), "neo4j")


def stop(settings: Settings, say: Callable[[str], None] = to_stderr) -> bool:
    """The managed server does not run any more; True when it did. Raises ServerError when it cannot be ended."""
    import psutil

    folder = _folder(settings)
    running = read_running(folder)
    if running is None:
        return False
    say("stopping Neo4j …")
    try:
        process = psutil.Process(running.pid)
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except psutil.TimeoutExpired:
            say(f"Neo4j did not stop within {STOP_SECONDS:.0f} s and is ended; it recovers at the next start")
            process.kill()
            process.wait(STOP_SECONDS)
    except psutil.NoSuchProcess:
        pass
    except psutil.Error as error:
        raise ServerError(f"process {running.pid} (Neo4j) cannot be ended: {error}; end it by hand") from error
    return True


def status(settings: Settings) -> ServerStatus:
    """Whether the managed server of this DRIFT_HOME runs, and where things are."""
    from drift_assets.local.jars import NEO4J_VERSION

    folder = _folder(settings)
    running = read_running(folder)
    ready = running if running and running.port else None
    return ServerStatus(
        running=ready is not None,
        pid=running.pid if running else None,
        uri=_uri(ready) if ready else None,
        since=running.started if running else None,
        idle_minutes=running.idle_minutes if running else None,
        version=running.version if running else NEO4J_VERSION,
        folder=folder.root,
        log=folder.log,
    )


def _folder(settings: Settings) -> ServerFolder:
    return ServerFolder(settings.home_folder / "neo4j")


def _uri(running: Running) -> str:
    return f"bolt://127.0.0.1:{running.port}"


def _answers(running: Running) -> bool:
    if not running.port:
        return False
    try:
        socket.create_connection(("127.0.0.1", running.port), timeout=2).close()
    except OSError:
        return False
    return True


def _ensure_running(folder: ServerFolder, settings: Settings, say: Callable[[str], None]) -> Running:
    """With the start lock held: the server that came up meanwhile or is coming up, else a new one."""
    running = read_running(folder)
    if running and _answers(running):
        return running
    if running and not running.port:
        say("waiting for Neo4j, which is starting …")
        return _wait_until_ready(folder)
    from drift_assets.local.archive import bring_archive
    from drift_assets.local.jars import bring_jars, cache_folder, class_path

    jars = cache_folder(settings)
    bring_jars(jars, say)
    archive = bring_archive(jars, class_path(jars), say)
    need_space(folder.root, DATA_MB, "for Neo4j to start")
    with locked(folder.run_lock, STOP_SECONDS, "a Neo4j that is stopping", say):
        _refuse_taken_port(settings.neo4j_port)
    say("starting Neo4j …")
    return _launch(folder, jars, archive, settings)


def _launch(folder: ServerFolder, jars: Path, archive: Path | None, settings: Settings) -> Running:
    options = {
        "root": folder.root,
        "jars": jars,
        "port": settings.neo4j_port,
        "idle-minutes": settings.neo4j_idle_minutes,
        "token": secrets.token_hex(8),
    }
    command = [sys.executable, "-m", "drift_assets.local.process"]
    command += [f"--{name}={value}" for name, value in options.items()]
    if archive:
        command.append(f"--archive={archive}")
    with writing(folder.root):
        if folder.log.exists():
            folder.log.replace(folder.log.with_suffix(".previous.log"))
        log = folder.log.open("wb")
    with log:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder.root,
            start_new_session=True,
        )
    try:
        running = _wait_until_ready(folder, child)
    except BaseException:
        # Also on Ctrl-C: nobody waits for this server any more.
        child.kill()
        child.wait()
        raise
    # It may end long before this process does, and would stay a zombie until somebody asks for its exit code.
    threading.Thread(target=child.wait, daemon=True, name="neo4j-reaper").start()
    return running


def _wait_until_ready(folder: ServerFolder, child: subprocess.Popen[bytes] | None = None) -> Running:
    """The server that is coming up: `child`, or one that a starter who has died since left behind."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        child_lives = child is not None and child.poll() is None
        running = read_running(folder)
        if running and running.port:
            return running
        if not running and not child_lives:
            raise ServerError(
                f"Neo4j did not start: {_last_lines(folder.log)} (log: {folder.log});"
                " put right what it names and run the command again"
            )
        time.sleep(POLL_SECONDS)
    raise ServerError(
        f"Neo4j was not ready within {START_SECONDS:.0f} s: {_last_lines(folder.log)} (log: {folder.log});"
        " try again when the machine is less busy"
    )


def _last_lines(log: Path) -> str:
    try:
        lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError as error:
        return f"its log cannot be read: {error.strerror}"
    return " | ".join([line for line in lines if line][-LOG_LINES:]) or "it was ended before it said anything"


def _refuse_taken_port(port: int) -> None:
    if not port:
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise ServerError(
                f"port {port} for the local Neo4j cannot be used: {error.strerror}; end the program that uses"
                " it, or set DRIFT_NEO4J_PORT to another port (0: any free one)"
            ) from error
