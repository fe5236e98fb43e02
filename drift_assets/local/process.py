"""The process that is the managed Neo4j: a JVM inside Python, apart from whoever started it.

It publishes its port in the folder's state file once queries can be sent, and shuts the database down in order on
SIGTERM or SIGINT, after some minutes without a connection, and when its state file is taken away.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

from drift_assets.local.archive import archive_options
from drift_assets.local.folder import Running, ServerFolder, locked, modified, read_token, write_running
from drift_assets.local.jars import NEO4J_VERSION, class_path
from drift_assets.local.jvm import EmbeddedNeo4j, Neo4jStartError


def main() -> None:
    """Run until stopped; exits 1 with the causes on standard error when Neo4j cannot start."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--jars", type=Path, required=True)
    parser.add_argument("--archive", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--idle-minutes", type=float, required=True)
    parser.add_argument("--token", required=True)
    options = parser.parse_args()
    folder = ServerFolder(options.root)
    with locked(folder.run_lock, 0, "another server process"):
        running = Running(os.getpid(), options.token, time.time(), options.idle_minutes, NEO4J_VERSION)
        write_running(folder, running)
        try:
            _serve(folder, running, options.jars, options.archive, options.port)
        finally:
            _withdraw(folder, running)


def _serve(folder: ServerFolder, running: Running, jars: Path, archive: Path | None, port: int) -> None:
    _discard_unfinished(folder)
    try:
        neo4j = EmbeddedNeo4j(folder.database, class_path(jars), port, archive_options(archive))
    except Neo4jStartError as error:
        raise SystemExit(str(error)) from None
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        neo4j.set_password(folder.password())
        folder.unfinished.unlink(missing_ok=True)
        running = replace(running, port=neo4j.port())
        write_running(folder, running)
        _log(f"ready on port {running.port}")
        _log(f"stopping: {_reason_to_stop(folder, running, neo4j, stop)}")
        # Whoever comes from now on sees no server and waits for the lock.
        _withdraw(folder, running)
    finally:
        neo4j.shutdown()
    _log("stopped")


def _discard_unfinished(folder: ServerFolder) -> None:
    """Start afresh where the very first start was killed before anybody could have stored anything."""
    if folder.unfinished.exists() or not folder.database.exists():
        folder.unfinished.touch()
        shutil.rmtree(folder.database, ignore_errors=True)


def _reason_to_stop(folder: ServerFolder, running: Running, neo4j: EmbeddedNeo4j, stop: threading.Event) -> str:
    """Wait until there is one."""
    idle_seconds = running.idle_minutes * 60
    last_use, seen = time.monotonic(), None
    while not stop.wait(min(1.0, idle_seconds / 4)):
        if read_token(folder) != running.token:
            return "its state file was taken away"
        touched = modified(folder.used)
        if neo4j.connections() or touched != seen:
            last_use, seen = time.monotonic(), touched
        if time.monotonic() - last_use > idle_seconds:
            return f"no connection for {running.idle_minutes:g} minutes"
    return "told to"


def _withdraw(folder: ServerFolder, running: Running) -> None:
    """Take the state file away if it is this process's."""
    if read_token(folder) == running.token:
        folder.state.unlink(missing_ok=True)


def _log(line: str) -> None:
    sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
