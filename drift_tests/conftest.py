"""What every test gets: a clean environment, a folder of its own, and one real Neo4j for the whole run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from drift_assets.graph.address import Address
from drift_assets.local import server
from drift_assets.local.archive import bring_archive
from drift_assets.local.jars import bring_jars, cache_folder, class_path
from drift_assets.settings import Settings, load_settings, variables
from drift_tests.database import empty, shared
from drift_tests.soak import Soak, add_options, soak_of

# The downloaded jars are shared with the person's own use: they are verified at each start and never written twice.
SHARED = "DRIFT_NEO4J_CACHE"

# `pytest --hypothesis-profile=soak`: tests that take hours when they are thorough are so.
hypothesis.settings.register_profile("soak")
SOAK = pytest.StashKey[Soak]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--sequences` and `--kills`."""
    add_options(parser)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What the soak saw, at the end."""
    if SOAK in config.stash and config.stash[SOAK].lines:
        terminalreporter.section("soak")
        for line in config.stash[SOAK].lines:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def soak(pytestconfig: pytest.Config) -> Soak:
    """How thorough this run is."""
    return pytestconfig.stash.setdefault(SOAK, soak_of(pytestconfig))


def pytest_configure(config: pytest.Config) -> None:
    """Neo4j is brought and prepared before the first test, whose time is limited; and by one process, not by two."""
    if not hasattr(config, "workerinput"):
        jars = cache_folder(Settings(neo4j_cache=Path(os.environ[SHARED]) if os.environ.get(SHARED) else None))
        bring_jars(jars, server.to_stderr)
        bring_archive(jars, class_path(jars), server.to_stderr)


@pytest.fixture(scope="session", autouse=True)
def clean_environment() -> Iterator[None]:
    """No setting leaks in from the person's shell."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name != SHARED and (name in variables().values() or name.startswith(("DRIFT_", "DAGSTER_"))):
                patch.delenv(name)
        yield


@pytest.fixture(autouse=True)
def empty_working_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No `.env` and no `.drift` of the clone is picked up."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def neo4j_settings(tmp_path_factory: pytest.TempPathFactory, clean_environment: None) -> Settings:
    """Settings of the managed server that the whole run shares."""
    home = tmp_path_factory.mktemp("drift") / ".drift"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home.parent)
        return load_settings(home=home)


@pytest.fixture(scope="session")
def neo4j_server(neo4j_settings: Settings) -> Iterator[Address]:
    """The address of a real Neo4j, stopped at the end of the run. Empty it before use: other tests wrote to it."""
    address = server.start(neo4j_settings)
    with shared(address):
        yield address
    server.stop(neo4j_settings)


@pytest.fixture
def clean_address(neo4j_server: Address) -> Address:
    """The shared Neo4j with nothing in it."""
    empty(neo4j_server)
    return neo4j_server
