"""The `drift` command. Heavy libraries are imported by the command that needs them, so that `--help` is quick."""

from __future__ import annotations

import atexit
import gc
import sys
import traceback
from typing import Annotated

import typer

from drift_assets import __version__
from drift_assets.cli import (
    ask,
    demo,
    dev,
    entities,
    estimate,
    eval,
    failed,
    index,
    neo4j,
    picture,
    prompts,
    reset,
    status,
    trace,
)
from drift_assets.cli.output import Options, say
from drift_assets.cli.usage import usage_line
from drift_assets.errors import DriftError

app = typer.Typer(
    name="drift",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A GraphRAG index kept in Neo4j by Dagster assets, and DRIFT search over it.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"drift-assets {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks and Dagster's log; may stand anywhere.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = Options(debug=debug)


app.command()(demo.demo)
app.command()(index.index)
app.command()(estimate.estimate)
app.command()(ask.ask)
app.command("eval")(eval.evaluate)
app.command()(status.status)
app.command()(trace.trace)
app.command("graph")(picture.picture)
app.command()(failed.retry)
app.command()(failed.skip)
app.command()(dev.dev)
app.command()(reset.reset)
app.add_typer(entities.app, name="entities")
app.add_typer(neo4j.app, name="neo4j")
app.add_typer(prompts.app, name="prompts")


def main() -> None:
    """Run the command line; exits 0 when done, 1 after a failure, 2 after wrong usage, 130 when interrupted."""
    from drift_assets.interrupts import raise_on_signals

    raise_on_signals()
    # What a command allocates are modules above all, and these stay: collecting among them, while they are loaded and
    # once more at the end, would take a fifth of a short command.
    gc.set_threshold(100_000, 50, 50)
    atexit.register(gc.freeze)
    arguments, debug = _debug_first(sys.argv[1:])
    try:
        # A command returns nothing, and what ends it early its exit code.
        sys.exit(app(arguments, prog_name="drift", standalone_mode=False) or 0)
    except DriftError as error:
        sys.exit(_failed(str(error), debug=debug))
    # What no part of the project foresaw is a bug; the person at the terminal gets one line of it as well.
    except Exception as error:  # noqa: BLE001
        line = usage_line(error)
        if line is not None:
            sys.exit(_misused(line, debug=debug))
        sys.exit(_failed(f"{type(error).__name__}: {error} (this is a bug; --debug shows where)", debug=debug))


def _debug_first(arguments: list[str]) -> tuple[list[str], bool]:
    """The arguments with `--debug`, wherever it stands, before the command, which is where it is declared."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = [argument for argument in arguments[:end] if argument != "--debug"]
    debug = len(options) < end
    return [*(["--debug"] if debug else []), *options, *arguments[end:]], debug


def _misused(line: str, *, debug: bool) -> int:
    if line:
        _failed(line, debug=debug)
    return 2


def _failed(message: str, *, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    say("error: " + " ".join(message.split()))
    return 1
