"""A fresh home with Dagster's history in it, and tiny jobs run in it by processes of their own."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drift_assets.runs.instance import open_instance
from drift_assets.settings import Settings, load_settings
from drift_tests.runs.processes import HERE, StartRun


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(home=tmp_path / "home")


@pytest.fixture(scope="session")
def empty_history(tmp_path_factory: pytest.TempPathFactory, clean_environment: None) -> Path:
    """A home whose history holds no run yet; making one takes a second, copying it does not."""
    home = tmp_path_factory.mktemp("history") / "home"
    with open_instance(load_settings(home=home)):
        return home


@pytest.fixture
def instance(settings: Settings, empty_history: Path) -> Iterator[Any]:
    shutil.copytree(empty_history, settings.home_folder)
    with open_instance(settings) as opened:
        yield opened


@pytest.fixture
def start_run(settings: Settings) -> Iterator[StartRun]:
    """Starts `tiny_run.py` in the home; whatever still runs at the end is ended."""
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
