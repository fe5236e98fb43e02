"""A DRIFT_HOME, and `drift` run in it as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.watch import Watched, watch
from drift_assets.settings import load_settings, variables

DRIFT = Path(sys.executable).with_name("drift")
# Where a person keeps the downloaded server: the one setting that changes no figure.
KEPT = "DRIFT_NEO4J_CACHE"


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that succeeded: the object that its `--json` printed, and what was seen of it."""

    output: Mapping[str, Any]
    watched: Watched


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a Dagster run; times in seconds since the epoch."""

    name: str
    began: float
    ended: float

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began


@dataclass(frozen=True, slots=True)
class Home:
    """A folder of local state, and the settings beside it as environment variables."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """`drift` with these arguments, running; none of the person's settings and no `.env` reaches it."""
        return subprocess.Popen(
            [str(DRIFT), *arguments],
            env={**_plain_environment(), **self.settings, "DRIFT_HOME": str(self.folder)},
            cwd=self.folder.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def drift(self, *arguments: str) -> Finished:
        """`drift` with these arguments, ended. Raises RuntimeError with its last lines when it failed."""
        process = self.start(*arguments)
        output, errors, watched = watch(process, self.folder)
        if process.returncode:
            lines = "\n".join(errors.splitlines()[-5:])
            raise RuntimeError(f"drift {' '.join(arguments)} ended with {process.returncode}:\n{lines}")
        return Finished(json.loads(output) if "--json" in arguments else {}, watched)

    def steps(self, run_id: str) -> list[Step]:
        """The steps of a run from Dagster's history, in the order in which they began."""
        from drift_assets.runs.instance import open_instance

        with open_instance(load_settings(home=self.folder)) as instance:
            found = instance.get_run_step_stats(run_id)
        steps = [
            Step(step.step_key.removeprefix("drift__"), step.start_time, step.end_time)
            for step in found
            if step.start_time and step.end_time
        ]
        return sorted(steps, key=lambda step: step.began)


@contextmanager
def fresh_home(**settings: str) -> Iterator[Home]:
    """A new, empty DRIFT_HOME with these settings; its server is stopped and the folder removed at the end."""
    with tempfile.TemporaryDirectory(prefix="drift-benchmark-") as folder:
        home = Home(Path(folder) / ".drift", settings)
        try:
            yield home
        finally:
            home.drift("neo4j", "stop")


def _plain_environment() -> dict[str, str]:
    """Without what would make `drift` another one than a user runs, such as Python kept from storing its bytecode."""
    ours = set(variables().values())
    return {
        name: value
        for name, value in os.environ.items()
        if name == KEPT or (name not in ours and not name.startswith(("DRIFT_", "DAGSTER_", "PYTHON")))
    }
