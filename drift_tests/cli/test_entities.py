"""`drift entities`: what was merged and why, and the user's word on it, for the next run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from drift_assets.cli import app
from drift_assets.errors import IndexMismatch
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.resolution import DecisionRow, Move, move_names, write_decisions
from drift_tests.database import empty
from drift_tests.graph.writing import describe, extraction, on, write_graph

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def run(neo4j_server: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """`drift entities` on an index in which ADA QUILL is merged into QUILL, and BOB stands alone."""
    empty(neo4j_server)

    async def write(graph: Graph) -> None:
        await write_graph(
            graph, {"a": [extraction("one", ["Ada Quill", "Quill", "Bob"])], "b": [extraction("two", ["Quill"])]}
        )
        decision = DecisionRow("ADA QUILL", "QUILL", same=True, reason="A surname.", origin="extractive", key="k")
        await write_decisions(graph, [decision], {})
        await move_names(graph, [Move("ADA QUILL", "ADA QUILL", "QUILL")])
        await describe(graph)

    on(neo4j_server, write)
    variables = {
        "DRIFT_HOME": str(tmp_path_factory.mktemp("home")),
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
    }
    yield lambda *arguments, **others: CliRunner().invoke(app, ["entities", *arguments], env={**variables, **others})
    empty(neo4j_server)


def shown(result: Result) -> Any:
    assert result.exit_code == 0, result.exception
    return json.loads(result.stdout)


def test_merges_are_listed_with_their_reasons_and_the_users_word_waits_for_the_next_run(run: Run) -> None:
    assert run("merges").stdout == "Quill: QUILL (2), ADA QUILL (1)\n  ADA QUILL = QUILL: A surname. [extractive]\n"
    assert run("split", "ada quill").stdout.splitlines()[0] == "ADA QUILL ≠ QUILL"
    assert shown(run("merge", "Bob", "Quill", "--json")) == {
        "told": [{"first": "BOB", "second": "QUILL", "same": True}]
    }
    listed = shown(run("merges", "--json"))
    assert listed["merges"] == [
        {"entity": "QUILL", "shown": "Quill", "names": {"QUILL": 2, "ADA QUILL": 1}, "reasons": []}
    ]
    assert [(told["first"], told["same"], told["done"]) for told in listed["told"]] == [
        ("ADA QUILL", False, False),
        ("BOB", True, False),
    ]
    assert "You said: BOB = QUILL, from the next `drift index` on" in run("merges").stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("split", "Ada Quil"), "the index knows no name 'Ada Quil'; did you mean ADA QUILL"),
        (("merge", "Bob", "§"), "the index knows no name '§'"),
        (("merge", "Bob", "BOB"), "'Bob' and 'BOB' are one name already"),
        (("split", "Bob"), "BOB is merged with no other name: `drift entities merges` lists"),
        (("split", "Quill", "quill"), "only names that are told apart can be split"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(run: Run, arguments: tuple[str, ...], line: str) -> None:
    error = run(*arguments).exception
    assert isinstance(error, IndexMismatch)
    assert line in str(error)


def test_where_nothing_was_ever_indexed_no_name_is_known(run: Run, tmp_path: Path) -> None:
    nowhere = {"NEO4J_URI": "", "DRIFT_HOME": str(tmp_path)}
    assert run("merges", **nowhere).stdout == "No names are merged.\n"
    assert isinstance(run("split", "A", **nowhere).exception, IndexMismatch)
