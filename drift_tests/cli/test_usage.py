"""Wrong usage is one line that names the option and what is allowed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import annotated_types
import pytest
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from drift_assets.cli import app, main
from drift_assets.search.config import SearchConfig

# What no value of a number may be, and no choice is.
WRONG = ("nan", "x", "-1", "1e9", "")


def told(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says that is wrong usage and so does nothing."""
    monkeypatch.setattr(sys, "argv", ["drift", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr()
    assert (ended.value.code, shown.out) == (2, "")
    return shown.err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ask who --max-seconds 0", "--max-seconds: give more than 0"),
        ("ask who --max-cost-usd nan", "--max-cost-usd: give more than 0"),
        ("ask who --late-seconds -1", "--late-seconds: give more than 0"),
        ("ask who --max-calls 0", "--max-calls is '0': give at least 1"),
        ("ask who --depth 9", "--depth is '9': give 0 to 5"),
        ("ask who --depth x", "--depth is 'x': give 0 to 5"),
        ("ask who --response-type=", "--response-type: give 1 to 200 characters"),
        ("ask --replay ID --from hyde", "--from: 'hyde' is not one of 'local', 'reduce'"),
        ("ask", "give either a QUESTION or --replay with the id of a stored search"),
        ("eval q.jsonl --max-cost-usd 0", "--max-cost-usd: give more than 0"),
        ("dev --port 70000", "--port is '70000': give 0 to 65535"),
        ("index --max-calls 0", "--max-calls is '0': give at least 1"),
        ("index --max-tokens x", "--max-tokens is 'x': give a whole number"),
        ("index --max-cost-usd 0", "--max-cost-usd: give more than 0"),
        ("index --nonsense", "No such option: --nonsense"),
        ("eval", "Missing argument 'FILE'"),
    ],
)
def test_the_option_and_what_is_allowed_stand_in_one_line(
    command: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = command.split()
    assert told(arguments, monkeypatch, capsys) == f"error: {said} (`drift {arguments[0]} --help` tells more)\n"


def test_a_command_without_arguments_shows_its_help_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["drift", "neo4j"])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr()
    assert ended.value.code == 2
    assert "Usage" in shown.out + shown.err
    assert "error" not in shown.err


def options() -> Iterator[tuple[str, str]]:
    """Each option that takes a number or a choice, with its command."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    for name, command in group.commands.items():
        for param in command.params:
            bounded = isinstance(param, TyperOption) and (param.min is not None or param.max is not None)
            if bounded or (param.name in ("method", "preset", "hyde", "unsupported", "replay_from") and name == "ask"):
                yield name, param.opts[0]


@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize(("command", "option"), list(options()))
def test_nothing_of_what_takes_the_arguments_apart_shows(
    command: str, option: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if option == "--seed" and value == "1e9":
        value = "1.5"
    line = told([command, *(["who"] if command == "ask" else []), f"{option}={value}"], monkeypatch, capsys)
    assert line.startswith(f"error: {option}")
    assert line.count("\n") == 1
    assert not re.search(r"Input should|pydantic|Value error|[╭│]", line)


def outside() -> Iterator[tuple[str, Any]]:
    """Of each number of a search the values next to what its form in Dagster allows."""
    for name, field in SearchConfig.model_fields.items():
        for bound in field.metadata:
            match bound:
                case annotated_types.Ge(ge=least):
                    yield name, least - 1  # type: ignore[operator]
                case annotated_types.Gt(gt=least):
                    yield name, least
                case annotated_types.Le(le=most):
                    yield name, most + 1  # type: ignore[operator]


@pytest.mark.parametrize(("name", "value"), list(outside()))
def test_an_option_refuses_what_the_form_of_a_search_refuses(
    name: str, value: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    option = f"--{name.replace('_', '-')}"
    assert told(["ask", "who", f"{option}={value}"], monkeypatch, capsys).startswith(f"error: {option}")
