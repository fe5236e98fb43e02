"""Tiny jobs run by processes of their own, and waiting for what they do."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
StartRun = Callable[..., "subprocess.Popen[str]"]


def wait_for(path: Path, process: "subprocess.Popen[str]", seconds: float = 60) -> None:
    """Return when the process has made the file."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end, f"{path.name} was not made in time"
        time.sleep(0.02)
