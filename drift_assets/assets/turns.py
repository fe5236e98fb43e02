"""One run at a time on an index: a stage waits until it is known whether another run is at work, and refuses if so."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from drift_assets.errors import GraphError, IndexBusy
from drift_assets.graph import lease as leases
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.runs.dead import Worker, is_of_command_line

if TYPE_CHECKING:
    from dagster import DagsterRun


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: how long a lease lasts, how often it is renewed, and how often one who waits looks."""

    lease: float = 60.0
    beat: float = 10.0
    look: float = 0.5


@dataclass(frozen=True, slots=True)
class Turn:
    """A run that wants to write the index, and where it stands.

    `more` says that stages of the run follow, so that the lease is kept for them; `one_process` that this process
    carries them out too.
    """

    run: str
    more: bool = False
    one_process: bool = True
    pace: Pace = field(default_factory=Pace)


def turn_of(run: DagsterRun, stage: str, stages: tuple[str, ...]) -> Turn:
    """The turn of a run's stage; `stages` are all that there are, in order."""
    selected = {key.path[-1] for key in run.asset_selection} if run.asset_selection else set(stages)
    if run.step_keys_to_execute:
        selected &= {key.rpartition("__")[2] for key in run.step_keys_to_execute}
    later = stages[stages.index(stage) + 1 :]
    return Turn(run.run_id, more=not selected.isdisjoint(later), one_process=is_of_command_line(run))


@asynccontextmanager
async def in_turn(graph: Graph, turn: Turn, note: Callable[[str], None]) -> AsyncIterator[None]:
    """In the block the index is held by the run, and no other run writes it.

    Raises IndexBusy when another run is at work, or has taken the index over in the block, which is then cancelled
    (that happens to one that gave no sign of life for the time of a lease).
    """
    await _take(graph, turn, note)
    heart = _Heart(graph, turn)
    kept = False
    try:
        async with heart.beating():
            yield
        kept = turn.more
    except asyncio.CancelledError:
        if heart.lost:
            raise IndexBusy(
                f"the index at {graph.address.uri} was taken over by another run or removed, while run {turn.run} gave "
                "no sign of life; nothing more was written: run `drift index` again"
            ) from None
        raise
    finally:
        # What cannot be given back runs out by itself; an error of the block says more.
        with suppress(GraphError):
            if kept:
                worker = this_worker() if turn.one_process else ""
                await leases.renew(graph, run=turn.run, worker=worker, seconds=turn.pace.lease)
            else:
                await leases.release(graph, run=turn.run)


async def _take(graph: Graph, turn: Turn, note: Callable[[str], None]) -> None:
    """The run holds the index; one who shows a sign of life keeps it."""
    worker, first, dead = this_worker(), None, None
    while held := await leases.take(graph, run=turn.run, worker=worker, seconds=turn.pace.lease, dead=dead):
        alive = is_alive(held.worker)
        if alive or (first and (held.run, held.until) != (first.run, first.until)):
            raise IndexBusy(
                f"run {held.run} is indexing database {graph.address.database} at {graph.address.uri}; "
                "wait until it has ended, or stop it, then run again"
            )
        dead = held if alive is False else None
        if dead is None and first is None:
            note(f"run {held.run} holds the index; looking for a sign of life for {held.left / 1000:.0f} s at most")
        first = first or held
        await asyncio.sleep(0 if dead else min(turn.pace.look, max(held.left, 1) / 1000))


class _Heart:
    """Renews the lease from a thread of its own, since a stage may keep the event loop busy for minutes."""

    def __init__(self, graph: Graph, turn: Turn) -> None:
        self.lost = False
        self._graph, self._turn = graph, turn
        self._ended = threading.Event()

    @asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def lose() -> None:
            self.lost = True
            loop.call_soon_threadsafe(task.cancel)

        thread = threading.Thread(target=self._beat, args=(lose,), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            await asyncio.to_thread(thread.join)

    def _beat(self, lose: Callable[[], None]) -> None:
        while not self._ended.wait(self._turn.pace.beat):
            try:
                held = asyncio.run(self._renew())
            # Unreachable for now: the stage itself finds out, and the lease lasts for some more beats.
            except GraphError:
                continue
            if not held:
                if not self._ended.is_set():
                    lose()
                return

    async def _renew(self) -> bool:
        # A managed server that was started again has another address.
        async with open_graph(self._graph.address) as graph:
            return await leases.renew(graph, run=self._turn.run, worker=this_worker(), seconds=self._turn.pace.lease)


def this_worker() -> str:
    """This process, told apart from all others on any machine."""
    process = psutil.Process()
    return json.dumps({"host": _host(), "pid": process.pid, "started": process.create_time()})


def is_alive(worker: str) -> bool | None:
    """Whether the process lives; None when that cannot be told from here."""
    if not worker:
        return None
    process = json.loads(worker)
    if process["host"] != _host():
        return None
    return Worker(process["pid"], process["started"], process["started"]).alive()


def _host() -> str:
    """Where process ids mean the same: a host, since it was started, and on Linux a namespace of it."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip())
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)
