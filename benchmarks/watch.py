"""A process, its children and the managed Neo4j watched while they run: their memory and computing time."""

from __future__ import annotations

import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from drift_assets.local.folder import ServerFolder, read_running

INTERVAL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Sample:
    """All processes together at a time in seconds since the epoch.

    `resident` is their memory in bytes, `computed` the processor time in seconds that they have used since the start.
    """

    at: float
    resident: int
    computed: float


@dataclass(slots=True)
class Watched:
    """What was seen of a process; pages that processes share are counted in each, so the memory is an upper bound.

    `server_seconds` is the time from the start of a managed Neo4j to its first open port, None when none started.
    """

    began: float = field(default_factory=time.time)
    ended: float = 0.0
    samples: list[Sample] = field(default_factory=list)
    server_seconds: float | None = None

    @property
    def seconds(self) -> float:
        """From the start of the process to its end."""
        return self.ended - self.began

    def peak(self, began: float | None = None, ended: float | None = None) -> float:
        """Largest memory between two times in MB, of the whole run without them; 0 when nothing was seen."""
        begin, end = began or self.began, ended or self.ended
        return max((sample.resident for sample in self.samples if begin <= sample.at <= end), default=0) / 1e6

    def computed(self, began: float | None = None, ended: float | None = None) -> float:
        """Processor time in seconds between two times, of the whole run without them: of a busy machine, too."""
        return self._computed_at(ended or self.ended) - self._computed_at(began or self.began)

    def _computed_at(self, at: float) -> float:
        return max((sample.computed for sample in self.samples if sample.at <= at), default=0.0)


def watch(process: subprocess.Popen[str], home: Path) -> tuple[str, str, Watched]:
    """Standard output and error of the process when it has ended, and what was seen of it on the way.

    Its children and the managed Neo4j of `home` are watched with it.
    """
    watched, ended = Watched(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, ServerFolder(home / "neo4j"), watched, ended))
    watcher.start()
    try:
        output, errors = process.communicate()
        watched.ended = time.time()
    finally:
        ended.set()
        watcher.join()
    return output, errors, watched


def _watch(pid: int, folder: ServerFolder, watched: Watched, ended: threading.Event) -> None:
    computed: dict[int, float] = {}
    before = 0.0
    while not ended.is_set():
        running = read_running(folder)
        if running and running.port and running.started >= watched.began and watched.server_seconds is None:
            watched.server_seconds = time.time() - running.started
        resident = 0
        for process in _processes(pid, running.pid if running else None):
            try:
                with process.oneshot():
                    times = process.cpu_times()
                    resident += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
            computed[process.pid] = times.user + times.system
        # A server that was up already has computed for others.
        before = before if watched.samples else sum(computed.values())
        watched.samples.append(Sample(time.time(), resident, sum(computed.values()) - before))
        ended.wait(INTERVAL_SECONDS)


def _processes(pid: int, server: int | None) -> list[psutil.Process]:
    """The process, its children and the server, each once, as far as they live."""
    found: dict[int, psutil.Process] = {}
    for root in (pid, server):
        try:
            process = psutil.Process(root) if root else None
            for one in [process, *process.children(recursive=True)] if process else []:
                found[one.pid] = one
        except psutil.NoSuchProcess:
            continue
    return list(found.values())
