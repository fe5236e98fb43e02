"""How a stage tells how far it is, and how the command line gets to show it."""

from __future__ import annotations

from collections.abc import Iterator
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
