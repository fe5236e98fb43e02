import io
import sys

import pytest
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from drift_assets.cli.output import Lines, Terminal, progress_display, show, show_json


def test_without_a_terminal_progress_is_plain_lines_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_display() as display:
        display.stage("entities", 1200)
        display.advance(3)
        display.stage("hyde", None)
        display.note("a line\x1b[31m")
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors == "entities: 1,200 to do\nhyde\na line[31m\n"


def test_a_long_stage_tells_its_rate_and_the_time_left() -> None:
    said: list[str] = []
    lines = Lines(said.append, seconds=0)
    lines.stage("entities", 10)
    lines.advance(5, failed=1)
    assert said[1].startswith("entities: 5 of 10, 0 s left (")
    assert said[1].endswith("/s, 1 failed)")


def test_on_a_terminal_each_stage_has_a_bar_that_is_full_at_its_end() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"), console=console
    ) as bars:
        display = Terminal(bars, lambda text: None)
        display.note("[bold]as it stands[/bold]")
        display.stage("entities", 10)
        for _ in range(4):
            display.advance(2, failed=1)
        assert bars.tasks[0].fields["state"].startswith("8/10")
        assert bars.tasks[0].fields["state"].endswith("4 failed")
        display.stage("hyde", None)
        display.stage("summaries", 0)
        display.finish()
        assert all(task.finished for task in bars.tasks)
    assert "[bold]as it stands[/bold]" in screen.getvalue()


def test_results_go_to_standard_output_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    show("a [1] “long” line " + "x" * 200)
    show_json({"answer": "Käse [1]", "cost_usd": None})
    output, errors = capsys.readouterr()
    assert output.splitlines()[0].endswith("x" * 200)
    assert '"Käse [1]"' in output
    assert '"cost_usd": null' in output
    assert errors == ""


def test_on_a_terminal_results_break_at_words(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("TERM", "xterm")
    show("these words are wider [than] twenty")
    assert screen.getvalue().split("\n")[0].strip() == "these words are"
