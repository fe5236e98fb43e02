"""What commands show: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drift_assets.progress import Logged, Progress
from drift_assets.wording import counted as counted
from drift_assets.wording import shown_cost as shown_cost

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn, TaskID

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@dataclass(frozen=True, slots=True)
class Options:
    """What holds for every command."""

    debug: bool = False


def debugging(context: typer.Context) -> bool:
    """Whether the person asked for tracebacks and Dagster's log."""
    return isinstance(context.obj, Options) and context.obj.debug


def printable(text: str) -> str:
    """The text without control characters, which could steer the terminal."""
    return "".join(character for character in text if character in "\n\t" or character.isprintable())


def say(line: str) -> None:
    """A line for the person, on standard error."""
    typer.echo(printable(line), err=True)


def show(text: str = "") -> None:
    """A line of the result, on standard output, broken at words to the width of a terminal."""
    text = printable(text)
    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(text, markup=False, highlight=False, emoji=False)
    else:
        typer.echo(text)


def show_markdown(text: str) -> None:
    """A page of Markdown, rendered on a terminal and as it is elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(printable(text), hyperlinks=False))
    else:
        typer.echo(printable(text))


def show_json(value: Mapping[str, Any]) -> None:
    """The one object of `--json`."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


@contextmanager
def interruptible(advice: str, *, or_own: bool = False) -> Iterator[None]:
    """An interrupt in the block ends the command with exit code 130 and this advice, or what the interrupt says."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        own = str(interrupt) if or_own else ""
        say(f"interrupted; {own or advice}")
        raise typer.Exit(130) from None


@contextmanager
def progress_display() -> Iterator[Progress]:
    """Bars with rate and remaining time on a terminal, plain lines elsewhere; both on standard error."""
    if not sys.stderr.isatty():
        yield Lines(say)
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from drift_assets.cli.writing import BarsAndText

    columns: list[str | ProgressColumn] = [
        SpinnerColumn(),
        TextColumn("{task.description:<12}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    with BarsAndText(*columns, console=Console(stderr=True)) as bars:
        display = Terminal(bars, bars.write)
        yield display
        bars.write("")
        display.finish()


class Lines(Logged):
    """Plain lines: one when a stage begins, and then one every few seconds."""

    def stage(self, name: str, total: int | None) -> None:
        """The stage begins."""
        super().stage(name, total)
        self.note(name if total is None else f"{name}: {total:,} to do")


class Terminal:
    """A bar for each stage, the present one moving; `write` shows a text that is under way."""

    def __init__(self, bars: Bars, write: Callable[[str], None]) -> None:
        self._bars = bars
        self.write = write
        self._task: TaskID | None = None
        self._failed = 0

    def stage(self, name: str, total: int | None) -> None:
        """The stage before is finished, and this one begins."""
        self.finish()
        self._failed = 0
        self._task = self._bars.add_task(name, total=total, state="" if total is None else f"{total:,} to do")

    def advance(self, done: int = 1, failed: int = 0) -> None:
        """Items are finished."""
        if self._task is None:
            return
        self._failed += failed
        self._bars.advance(self._task, done)
        task = next(task for task in self._bars.tasks if task.id == self._task)
        of = "" if task.total is None else f"/{task.total:,.0f}"
        rate = f" {task.speed:.1f}/s" if task.speed else ""
        lost = f" {self._failed:,} failed" if self._failed else ""
        self._bars.update(self._task, state=f"{task.completed:,.0f}{of}{rate}{lost}")

    def note(self, line: str) -> None:
        """A line above the bars."""
        self._bars.console.print(printable(line), markup=False, highlight=False, emoji=False)

    def finish(self) -> None:
        """No stage is under way."""
        if self._task is None:
            return
        task = next(task for task in self._bars.tasks if task.id == self._task)
        total = task.total or task.completed or 1
        self._bars.update(self._task, total=total, completed=total)
        self._task = None


def listening(display: Progress | None) -> AbstractContextManager[None]:
    """Inside the block an answer is shown while it is written, where the display is a terminal."""
    from drift_assets.language.streaming import heard_by

    return heard_by(display.write) if isinstance(display, Terminal) else nullcontext()
