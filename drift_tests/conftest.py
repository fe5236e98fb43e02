"""What every test gets: a clean environment, and one real Neo4j for the whole run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from drift_assets.graph.address import Address
from drift_assets.local import server
from drift_assets.settings import Settings, variables


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting leaks in from the person's shell, no `.env` or `.drift` from the working folder."""
    for name in list(os.environ):
        if name in variables().values() or name.startswith(("DRIFT_", "DAGSTER_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def neo4j_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of the server that the whole run shares; its jars stay in the user's cache."""
    return Settings(DRIFT_HOME=tmp_path_factory.mktemp("drift") / ".drift", NEO4J_URI="", DRIFT_NEO4J_PORT=0)


@pytest.fixture(scope="session")
def neo4j_server(neo4j_settings: Settings) -> Iterator[Address]:
    """The address of a real Neo4j, stopped at the end of the run. Empty it before use: others wrote to it."""
    yield server.start(neo4j_settings)
    server.stop(neo4j_settings)
