"""`drift neo4j` on the server of the test run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drift_assets.cli.neo4j import app
from drift_assets.graph.address import Address
from drift_assets.settings import Settings

RUNNER = CliRunner()


@pytest.fixture
def home(neo4j_settings: Settings, neo4j_server: Address, monkeypatch: pytest.MonkeyPatch) -> Path:
    """DRIFT_HOME of the running server."""
    monkeypatch.setenv("DRIFT_HOME", str(neo4j_settings.home))
    return neo4j_settings.home_folder


@pytest.fixture
def nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFT_HOME", str(tmp_path / "home"))


def drift_neo4j(command: str) -> str:
    result = RUNNER.invoke(app, [command], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.usefixtures("home")
def test_env_is_what_another_tool_needs_and_a_shell_reads(neo4j_server: Address) -> None:
    show = 'printf "%s|" "$NEO4J_URI" "$NEO4J_USERNAME" "$NEO4J_PASSWORD" "$NEO4J_DATABASE"'
    read = subprocess.run(["sh", "-c", drift_neo4j("env") + show], capture_output=True, text=True, check=True)
    address = neo4j_server

    assert read.stdout == f"{address.uri}|{address.username}|{address.password}|{address.database}|"


def test_env_of_an_address_of_ones_own_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j://example.org")
    monkeypatch.setenv("NEO4J_PASSWORD", "it's $HOME")

    assert drift_neo4j("env").splitlines()[2] == """export NEO4J_PASSWORD='it'"'"'s $HOME'"""


def test_start_finds_the_running_server(home: Path, neo4j_server: Address) -> None:
    assert drift_neo4j("start") == f"Neo4j runs at {neo4j_server.uri}\n"


def test_status_says_where_it_runs_and_not_the_password(home: Path, neo4j_server: Address) -> None:
    shown = drift_neo4j("status")

    assert f"Neo4j 5.26.30 runs at {neo4j_server.uri} (process " in shown
    assert "it stops after 15 minutes without a connection" in shown
    assert f"log:    {home / 'neo4j' / 'server.log'}" in shown
    assert neo4j_server.password not in shown


@pytest.mark.usefixtures("nothing_runs")
def test_status_says_that_nothing_runs_and_starts_nothing(tmp_path: Path) -> None:
    assert "Neo4j does not run; `drift neo4j start` starts it" in drift_neo4j("status")
    assert not (tmp_path / "home").exists()


def test_status_says_that_an_address_of_ones_own_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j://example.org")

    assert drift_neo4j("status").startswith("NEO4J_URI is set: neo4j://example.org is used")


@pytest.mark.usefixtures("nothing_runs")
def test_stop_says_when_there_was_nothing_to_stop() -> None:
    assert drift_neo4j("stop") == "Neo4j was not running\n"
