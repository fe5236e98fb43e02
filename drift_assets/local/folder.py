"""The server's folder below DRIFT_HOME: its files, its password, its locks, and what is running in it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from drift_assets.errors import ServerError

PATIENCE_SECONDS = 2.0
POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ServerFolder:
    """`<DRIFT_HOME>/neo4j`, readable by its owner alone."""

    root: Path

    @property
    def state(self) -> Path:
        """JSON of the running process; absent when none runs."""
        return self.root / "server.json"

    @property
    def password_file(self) -> Path:
        """The random password of user neo4j."""
        return self.root / "password"

    @property
    def log(self) -> Path:
        """What the process says, of this start; the former start's is beside it."""
        return self.root / "server.log"

    @property
    def start_lock(self) -> Path:
        """Held by whoever starts the server."""
        return self.root / "start.lock"

    @property
    def run_lock(self) -> Path:
        """Held by the server process for as long as it lives."""
        return self.root / "run.lock"

    @property
    def used(self) -> Path:
        """Touched whenever somebody asks for the address; counts as use for the idle stop."""
        return self.root / "used"

    @property
    def database(self) -> Path:
        """Neo4j's own home folder: data and its logs."""
        return self.root / "database"

    @property
    def unfinished(self) -> Path:
        """Present until the first start of a new database has come to its end."""
        return self.root / "unfinished"

    def prepare(self) -> None:
        """Make the folder private and give it a password; raises ServerError when it cannot be written."""
        with writing(self.root):
            self.root.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
            self.root.mkdir(mode=0o700, exist_ok=True)
            self.root.chmod(0o700)
            if not self.password_file.exists():
                write_private(self.password_file, secrets.token_urlsafe(24))

    def password(self) -> str:
        """The password of user neo4j; raises ServerError when the file is gone."""
        try:
            return self.password_file.read_text(encoding="ascii").strip()
        except OSError as error:
            raise ServerError(
                f"cannot read {self.password_file}: {error.strerror}; `drift neo4j stop` and `start` make a new one"
            ) from error


@dataclass(frozen=True, slots=True)
class Running:
    """A server process. `port` is 0 while it starts; `started` is in seconds since the epoch.

    `token` is random and stands on the process's command line, so that another process that got the same
    id later is never taken for the server.
    """

    pid: int
    token: str
    started: float
    idle_minutes: float
    version: str
    port: int = 0

    def alive(self) -> bool:
        """Whether this very process still exists."""
        import psutil

        try:
            return f"--token={self.token}" in psutil.Process(self.pid).cmdline()
        except psutil.Error:
            return False


def read_running(folder: ServerFolder) -> Running | None:
    """The live server process of this folder; None when there is none, whatever a killed one left behind."""
    running = _read(folder)
    return running if running and running.alive() else None


def read_token(folder: ServerFolder) -> str | None:
    """The token in the state file, whether its process lives or not; None without a readable file."""
    running = _read(folder)
    return running.token if running else None


def _read(folder: ServerFolder) -> Running | None:
    try:
        return Running(**json.loads(folder.state.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def modified(path: Path) -> int | None:
    """When the file was last changed, in nanoseconds since the epoch; None when there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def write_running(folder: ServerFolder, running: Running) -> None:
    """Publish the state whole: readers see the old or the new one."""
    write_private(folder.state, json.dumps(asdict(running)))


def write_private(path: Path, text: str) -> None:
    """Replace a file by one that only its owner can read."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    part.replace(path)


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn the system's refusal to write into one line that names the folder."""
    try:
        yield
    except OSError as error:
        raise ServerError(
            f"cannot write in {folder}: {error.strerror or error}; make it writable, or choose other folders with"
            " DRIFT_HOME and DRIFT_NEO4J_CACHE"
        ) from error


@contextlib.contextmanager
def locked(path: Path, seconds: float, holder: str, say: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock file, which ends with this process however it ends.

    Says after a moment that `holder` is waited for; raises ServerError naming it when that takes longer than
    `seconds`.
    """
    import filelock

    lock = filelock.FileLock(path)
    with writing(path.parent):
        try:
            try:
                lock.acquire(timeout=min(seconds, PATIENCE_SECONDS), poll_interval=POLL_SECONDS)
            except filelock.Timeout:
                if say:
                    say(f"waiting for {holder} …")
                lock.acquire(timeout=max(0.0, seconds - PATIENCE_SECONDS), poll_interval=POLL_SECONDS)
        except filelock.Timeout:
            raise ServerError(
                f"{holder} holds {path} for more than {seconds:.0f} s; wait for it or end it, then try again"
            ) from None
    try:
        yield
    finally:
        lock.release()


def need_space(folder: Path, megabytes: int, purpose: str) -> None:
    """Raise ServerError unless the disk of `folder` has that much room."""
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < megabytes:
        raise ServerError(f"{folder} has {free} MB free and {megabytes} MB are needed {purpose}; make room")
