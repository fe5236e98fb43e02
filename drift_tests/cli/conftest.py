"""The `drift` command as people start it: a process of its own, on the Neo4j of the test run and a home of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from drift_assets.graph.address import Address
from drift_assets.settings import Settings, load_settings
from drift_tests.database import empty

DOCUMENTS = {
    "bridge.md": "# The bridge\n\nClara Whitcombe built the bridge of Merrin in 1880. Captain Edmund Hale paid for the "
    "bridge of Merrin. The bridge of Merrin fell into the river Ouse in 1903.\n",
    "inquiry.md": "# The inquiry\n\nProfessor Amos Grant led the inquiry into the fall of the bridge of Merrin. Amos "
    "Grant blamed Frederick Marsh for the fall of the bridge. Frederick Marsh left Merrin before the inquiry.\n",
}


@dataclass
class Drift:
    """Starts commands in `folder` with these variables on top of a clean environment."""

    folder: Path
    variables: dict[str, str]
    started: list["subprocess.Popen[str]"] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        return load_settings(home=self.variables["DRIFT_HOME"])

    def start(self, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "drift_assets.cli", *arguments],
            cwd=self.folder,
            env={**os.environ, **self.variables, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def run(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments, **variables)
        output, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def json(self, *arguments: str, **variables: str) -> Any:
        """The object that the command prints, which must succeed and print nothing else."""
        done = self.run(*arguments, "--json", **variables)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def drift(neo4j_server: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drift]:
    """Commands on an emptied Neo4j, next to a folder `corpus` of two documents."""
    empty(neo4j_server)
    folder = tmp_path_factory.mktemp("commands")
    (folder / "corpus").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "corpus" / name).write_text(text, encoding="utf-8")
    made = Drift(
        folder,
        {
            "DRIFT_HOME": str(folder / "home"),
            "NEO4J_URI": neo4j_server.uri,
            "NEO4J_USERNAME": neo4j_server.username,
            "NEO4J_PASSWORD": neo4j_server.password,
        },
    )
    yield made
    for process in made.started:
        process.kill()
        process.communicate()
    empty(neo4j_server)
