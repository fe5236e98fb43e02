"""How a stage tells how far it is, and how the command line gets to show it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Progress(Protocol):
    """A display of one stage after the other."""

    def stage(self, name: str, total: int | None) -> None:
        """A stage begins; `total` items are to be done, None when that is not known yet."""
        ...

    def advance(self, done: int = 1, failed: int = 0) -> None:
        """Items of the current stage are finished, `failed` of them without success."""
        ...

    def note(self, line: str) -> None:
        """One line that a person should read."""
        ...


class Silent:
    """The display of runs that nobody watches."""

    def stage(self, name: str, total: int | None) -> None:
        """Shows nothing."""

    def advance(self, done: int = 1, failed: int = 0) -> None:
        """Shows nothing."""

    def note(self, line: str) -> None:
        """Shows nothing."""


class Logged:
    """The display of runs that are watched in Dagster's UI: a line at most every few seconds."""

    def __init__(self, log: Callable[[str], None], seconds: float = 10.0) -> None:
        self._log, self._seconds = log, seconds

    def stage(self, name: str, total: int | None) -> None:
        """The stage begins."""
        self._name, self._total, self._done, self._failed = name, total, 0, 0
        self._started = self._said = time.monotonic()

    def advance(self, done: int = 1, failed: int = 0) -> None:
        """Items are finished; said with the rate and the remaining time when it is time to say something."""
        self._done += done
        self._failed += failed
        now = time.monotonic()
        if now - self._said < self._seconds:
            return
        self._said = now
        rate = self._done / (now - self._started)
        left = f" of {self._total}, {(self._total - self._done) / rate:.0f} s left" if self._total else ""
        self._log(f"{self._name}: {self._done}{left} ({rate:.1f}/s, {self._failed} failed)")

    def note(self, line: str) -> None:
        """Something a person should read."""
        self._log(line)


_shown: ContextVar[Progress | None] = ContextVar("drift_progress", default=None)


@contextmanager
def displayed(display: Progress) -> Iterator[None]:
    """Runs in this process report to `display` inside the block."""
    token = _shown.set(display)
    try:
        yield
    finally:
        _shown.reset(token)


def current() -> Progress | None:
    """The display set by `displayed`, if any."""
    return _shown.get()
