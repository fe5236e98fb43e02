"""Dagster's development server as a process that lives no longer than the one that started it.

Run as `python -m drift_assets.runs.attached DRIFT_HOME ARGUMENT…`; the arguments are those of `dagster`. Its standard
input is a pipe from the starter: when that closes, by an orderly stop or by the starter's death, the server is
interrupted and ends its own children in order.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from pathlib import Path

from drift_assets.interrupts import raise_on_signals


def main() -> None:
    """Run `dagster` with its home below DRIFT_HOME until standard input ends."""
    home, sys.argv[1:] = sys.argv[1], sys.argv[2:]
    os.environ["DRIFT_HOME"] = home
    os.environ["DAGSTER_HOME"] = str(Path(home) / "dagster")
    raise_on_signals()
    threading.Thread(target=_interrupt_at_end_of_input, daemon=True).start()
    runpy.run_module("dagster", run_name="__main__", alter_sys=True)


def _interrupt_at_end_of_input() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main()
