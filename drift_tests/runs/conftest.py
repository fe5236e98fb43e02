"""A fresh home with Dagster's history in it, and tiny jobs run in it by processes of their own."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drift_assets.runs.instance import open_instance
from drift_assets.settings import Settings, load_settings

HERE = Path(__file__).parent
StartRun = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(home=tmp_path / "home")


@pytest.fixture
def instance(settings: Settings) -> Iterator[Any]:
    with open_instance(settings) as opened:
        yield opened


@pytest.fixture
def start_run(settings: Settings) -> Iterator[StartRun]:
    """Starts `tiny_run.py` on the fresh home; whatever still runs at the end is ended."""
    started: list[subprocess.Popen[str]] = []

    def start(job: str, **config: object) -> "subprocess.Popen[str]":
        command = [sys.executable, str(HERE / "tiny_run.py"), str(settings.home_folder), job, json.dumps(config)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_for(path: Path, process: "subprocess.Popen[str]", seconds: float = 60) -> None:
    """Return when the process has made the file."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end, f"{path.name} was not made in time"
        time.sleep(0.02)
