"""The processes in which the extractive language model computes: two at most, begun when there is work for them."""

from __future__ import annotations

import asyncio
import atexit
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from drift_assets.errors import RunStopped
from drift_assets.language.extractive.nlp import load

WORKERS = 2
# An index goes on without them soon, and needs their memory; one that was begun ahead waits for its first call.
IDLE_SECONDS, IDLE_SECONDS_AHEAD = 2.0, 30.0
Made = TypeVar("Made")
# Each thread waits for one process at a time.
_threads = ThreadPoolExecutor(max_workers=WORKERS, thread_name_prefix="extractive")
_idle: list[subprocess.Popen[bytes]] = []


async def compute(function: Callable[..., Made], *given: Any) -> Made:
    """Result of a module's function, computed in a process; what it raises is raised here.

    Raises RunStopped when no process can be kept alive.
    """
    return await asyncio.get_running_loop().run_in_executor(_threads, _compute, function, given)


def begin() -> None:
    """One process begins to load the pipeline, so that the first call need not wait for it; returns at once."""
    _threads.submit(_compute, load, (), IDLE_SECONDS_AHEAD)


def _compute(function: Callable[..., Any], given: tuple[Any, ...], idle_seconds: float = IDLE_SECONDS) -> Any:
    request = pickle.dumps((function, given))
    for _ in range(WORKERS + 1):
        process = _idle.pop() if _idle else _start(idle_seconds)
        try:
            result, error = _ask(process, request)
        except (OSError, EOFError, pickle.UnpicklingError):
            # One that had nothing to do has ended by itself; the next may have, too, but not a new one.
            _end(process)
            continue
        _idle.append(process)
        if error is not None:
            raise error
        return result
    raise RunStopped(
        "the process of the extractive language model ends as soon as it is started: see what it said above; it "
        "needs about 250 MB of memory"
    )


def _ask(process: subprocess.Popen[bytes], request: bytes) -> tuple[Any, Exception | None]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(request)
    process.stdin.flush()
    answer: tuple[Any, Exception | None] = pickle.load(process.stdout)
    return answer


def _start(idle_seconds: float) -> subprocess.Popen[bytes]:
    # -P: nothing in the current folder passes for a module. A session of its own: Ctrl-C is its parent's to handle.
    command = [sys.executable, "-P", "-m", "drift_assets.language.extractive.worker", str(idle_seconds)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


@atexit.register
def _end_all() -> None:
    while _idle:
        _end(_idle.pop())
