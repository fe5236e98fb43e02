"""`drift dev`: Dagster's UI and daemon."""

from __future__ import annotations

from typing import Annotated

import typer

from drift_assets.cli.output import debugging, say, show


def dev(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the UI; 0 takes a free one.")] = 3000,
    host: Annotated[str, typer.Option(help="Address to listen on; the UI asks for no password.")] = "127.0.0.1",
) -> None:
    """Serve Dagster's UI and daemon over the history of all runs, until interrupted."""
    from drift_assets.runs.dev import serve
    from drift_assets.settings import load_settings

    def announce(address: str) -> None:
        show(f"Dagster answers at {address} (Ctrl-C stops it)")

    def stopping() -> None:
        say("stopping Dagster and what it runs …")

    say("starting Dagster …")
    serve(load_settings(), host=host, port=port, announce=announce, stopping=stopping, debug=debugging(context))
    say("stopped")
