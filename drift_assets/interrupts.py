"""Running a coroutine so that Ctrl-C and SIGTERM let it write what is finished.

Dagster raises its interrupt wherever the main thread happens to be, inside the event loop too, where a background
task can swallow it; and `asyncio.run` leaves signals alone when somebody else has set a handler. So a stage is run
by `run`: a signal cancels the coroutine at its next await, which can catch the cancellation and finish its writes.
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
ONE_WISH_SECONDS = 1.0

_lasting: asyncio.Runner | None = None


@contextmanager
def one_loop() -> Iterator[None]:
    """What `run` runs in the block shares one event loop, so that connections can outlive the work that opened them.

    For the main thread; blocks do not nest.
    """
    global _lasting
    assert _lasting is None
    with asyncio.Runner() as _lasting:
        try:
            yield
        finally:
            _lasting = None


def run(work: Coroutine[Any, Any, T]) -> T:
    """Result of `work`, as by `asyncio.run`; raises KeyboardInterrupt after a signal, when `work` has ended.

    A further signal cancels once more, so that it cuts a slow clean-up short, at an await as well; signals within a
    second of the last count as one, since a shell or a supervisor often sends two. Outside the main thread, which
    gets no signals, this is plain `asyncio.run`.
    """
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(work)
    interrupted: float | None = None

    async def cancellable() -> T:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None

        def stop() -> None:
            nonlocal interrupted
            now = time.monotonic()
            if interrupted is None or now - interrupted > ONE_WISH_SECONDS:
                loop.call_soon_threadsafe(task.cancel)
            interrupted = now

        with _handled(stop):
            return await work

    try:
        result = _run(cancellable())
    # The work may end in any way once it is cancelled; what counts then is that it was interrupted.
    except BaseException as error:
        if interrupted is not None:
            raise KeyboardInterrupt from error
        raise
    if interrupted is not None:
        raise KeyboardInterrupt
    return result


def run_to_end(work: Coroutine[Any, Any, T], *, seconds: float) -> T:
    """Result of a short `work` in the main thread, which no signal interrupts; TimeoutError after so many seconds."""

    async def undisturbed() -> T:
        with _handled(lambda: None):
            async with asyncio.timeout(seconds):
                return await work

    return _run(undisturbed())


def _run(work: Coroutine[Any, Any, T]) -> T:
    return _lasting.run(work, context=copy_context()) if _lasting else asyncio.run(work)


@contextmanager
def _handled(stop: Callable[[], None]) -> Iterator[None]:
    def handler(_number: int, _frame: FrameType | None) -> None:
        stop()

    before = {number: signal.signal(number, handler) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, previous in before.items():
            # None: a handler that was not set from Python and cannot be set again from here.
            if previous is not None:
                signal.signal(number, previous)


def raise_on_signals() -> None:
    """Make SIGINT and SIGTERM raise KeyboardInterrupt, also in a process that was started with SIGINT ignored."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.default_int_handler)


def ignore_signals() -> None:
    """Let nothing disturb the last steps of a process; SIGKILL remains."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
