"""An answer is shown below the bars while it is written, and leaves nothing behind."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import TextColumn

from drift_assets.cli.output import Lines, Terminal, listening
from drift_assets.cli.writing import BarsAndText
from drift_assets.language.streaming import aloud, hearing


def bars(height: int = 20) -> BarsAndText:
    """Bars on a terminal that nobody sees, with one stage under way."""
    console = Console(file=io.StringIO(), force_terminal=True, width=40, height=height)
    made = BarsAndText(TextColumn("{task.description}"), console=console)
    made.add_task("reduce", total=None)
    return made


def shown(display: BarsAndText) -> str:
    with display.console.capture() as captured:
        display.console.print(display.get_renderable())
    return captured.get()


def test_the_text_so_far_stands_below_the_bars_without_its_citations() -> None:
    display = bars()
    display.write("Ada keeps the lamp [3] at night [1")
    assert shown(display).splitlines() == ["reduce", "Ada keeps the lamp at night"]
    display.write("")
    assert shown(display).splitlines() == ["reduce"]


def test_of_a_long_text_the_last_lines_are_seen_as_it_stands() -> None:
    display = bars(height=8)
    display.write("\n".join(f"[bold]line {n}\x1b[31m" for n in range(40)))
    lines = shown(display).splitlines()
    assert lines[0] == "reduce"
    assert lines[1:] == [f"[bold]line {n}[31m" for n in range(35, 40)]


def test_only_a_terminal_listens() -> None:
    display = bars()
    with listening(Terminal(display, display.write)), aloud("answer"):
        hear = hearing()
        assert hear is not None
        hear('{"answer": "Ada ke')
    assert display.written == "Ada ke"
    for other in (Lines(print), None):
        with listening(other), aloud("answer"):
            assert hearing() is None


def test_a_terminal_that_is_finished_shows_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from drift_assets.cli import output

    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(output.sys, "stderr", screen)
    with output.progress_display() as display:
        assert isinstance(display, Terminal)
        display.stage("reduce", None)
        display.write("half of an ans")
    assert display._bars.written == ""
