import os
import subprocess
import sys
from pathlib import Path

import pytest

from drift_assets.cli import _debug_first
from drift_assets.cli.demo import command_name
from drift_assets.cli.output import counted, printable, shown_cost

HEAVY = (
    "dagster",
    "neo4j",
    "spacy",
    "openai",
    "numpy",
    "pandas",
    "onnxruntime",
    "tokenizers",
    "jpype",
    "pydantic",
    "rich",
)


def drift(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "drift_assets.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )


def test_the_command_line_loads_nothing_heavy() -> None:
    code = f"import sys, drift_assets.cli; print([name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n"


def test_every_command_is_listed_with_what_it_does() -> None:
    shown = drift("--help").stdout
    for command in ("demo", "index", "ask", "status", "trace", "dev", "reset", "neo4j"):
        assert f" {command} " in shown


def test_an_error_is_one_line_that_says_what_to_do() -> None:
    failed = drift("status", DRIFT_CHUNK_TOKEN="1")
    assert failed.returncode == 1
    assert failed.stdout == ""
    assert failed.stderr == "error: unknown setting DRIFT_CHUNK_TOKEN; did you mean DRIFT_CHUNK_TOKENS?\n"


@pytest.mark.parametrize("arguments", [("--debug", "status"), ("status", "--debug"), ("status", "--json", "--debug")])
def test_debug_shows_the_traceback_wherever_it_stands(arguments: tuple[str, ...]) -> None:
    failed = drift(*arguments, DRIFT_CHUNK_TOKEN="1")
    assert failed.returncode == 1
    assert "Traceback" in failed.stderr
    assert failed.stderr.endswith("did you mean DRIFT_CHUNK_TOKENS?\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("ask",), "give either a QUESTION"),
        (("ask", " ? "), "the question is blank"),
        (("ask", "who?", "--depth", "9"), "depth"),
        (("index", "a", "b"), "unexpected extra argument"),
        (("dev", "--port", "70000"), "port"),
        (("frobnicate",), "No such command"),
    ],
)
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...], reason: str) -> None:
    refused = drift(*arguments)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert reason in refused.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m drift_assets.cli ask --help | true"
    assert subprocess.run(["sh", "-c", command], capture_output=True, timeout=60).stderr == b""


def test_debug_after_two_dashes_is_an_argument() -> None:
    assert _debug_first(["ask", "--debug", "who?"]) == (["--debug", "ask", "who?"], True)
    assert _debug_first(["ask", "--", "--debug"]) == (["ask", "--", "--debug"], False)
    assert _debug_first([]) == ([], False)


def test_text_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[2Jb\x07\u202ec\nd\té\u00a0–") == "a[2Jbc\nd\té–"


def test_numbers_read_like_sentences() -> None:
    assert [counted(number, "entity", "entities") for number in (0, 1, 2000)] == [
        "0 entities",
        "1 entity",
        "2,000 entities",
    ]
    assert (shown_cost(0.5), shown_cost(None)) == ("0.5000 USD", "cost unknown")


def test_a_folder_that_is_not_there_is_told_before_anything_is_started(tmp_path: Path) -> None:
    failed = drift("index", str(tmp_path / "gone"), DRIFT_HOME=str(tmp_path / "home"))
    assert failed.returncode == 1
    assert f"{tmp_path / 'gone'} does not exist: name an existing folder of documents\n" in failed.stderr
    assert not (tmp_path / "home").exists()


def test_the_command_is_named_so_that_the_shell_finds_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command_name() == ".venv/bin/drift"
    (tmp_path / "drift").touch(mode=0o755)
    assert command_name() == "drift"
