"""What is computed in processes comes back as if it had been computed here, whatever becomes of the processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from drift_assets.errors import RunStopped
from drift_assets.language.extractive import workers
from drift_assets.language.extractive.extract import extract
from drift_assets.language.extractive.workers import compute
from drift_assets.language.tasks import Extract

TASK = Extract(text="Clara Whitcombe built the organ. The organ stands in Port Merrin.", types=("PERSON", "LOCATION"))


def test_a_result_is_that_of_the_function_itself() -> None:
    assert asyncio.run(compute(extract, TASK)) == extract(TASK)


def test_an_error_of_the_function_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(compute(divmod, 1, 0))
    assert asyncio.run(compute(divmod, 7, 2)) == (3, 1)


def test_what_prints_does_not_disturb_the_results() -> None:
    assert asyncio.run(compute(print, "not a result")) is None
    assert asyncio.run(compute(divmod, 7, 2)) == (3, 1)


def test_a_process_that_was_ended_is_replaced() -> None:
    number = asyncio.run(compute(os.getpid))
    assert number != os.getpid()
    os.kill(number, signal.SIGKILL)
    assert asyncio.run(compute(os.getpid)) != number


def test_two_calls_are_computed_side_by_side() -> None:
    parent_after_a_while = ("sh", "-c", "echo $PPID; sleep 0.5")

    async def both() -> set[bytes]:
        return set(await asyncio.gather(*(compute(subprocess.check_output, parent_after_a_while) for _ in range(2))))

    assert len(asyncio.run(both())) == 2


def test_a_process_that_cannot_live_stops_the_run_with_what_to_look_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    monkeypatch.setattr(workers, "_idle", [])
    with pytest.raises(RunStopped, match="250 MB"):
        asyncio.run(compute(divmod, 7, 2))


def test_no_process_outlives_a_killed_parent(tmp_path: Path) -> None:
    code = (
        "import asyncio, os, signal\n"
        "from drift_assets.language.extractive.workers import compute\n"
        "print(asyncio.run(compute(os.getpid)), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    parent = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(int(parent.stdout)).wait(timeout=30)
    assert parent.returncode == -signal.SIGKILL
