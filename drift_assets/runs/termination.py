"""Obeying the UI's wish to terminate a run that the command line carries out, which Dagster only writes down."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster import DagsterInstance

LOOK_SECONDS = 2.0


@contextmanager
def terminable(instance: DagsterInstance, run_id: str) -> Iterator[None]:
    """Within the block, a request to terminate the run interrupts this process as Ctrl-C does."""
    from dagster import DagsterRunStatus

    over = threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_SECONDS):
            run = instance.get_run_by_id(run_id)
            if run and run.status in (DagsterRunStatus.CANCELING, DagsterRunStatus.CANCELED):
                os.kill(os.getpid(), signal.SIGINT)
                return

    watcher = threading.Thread(target=watch, name="termination", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
