"""`drift neo4j`: the managed local server, started, stopped, looked at, lent to other tools."""

from __future__ import annotations

import shlex
import time

import typer

app = typer.Typer(no_args_is_help=True, help="The managed local Neo4j: start, stop, status, env.")


@app.command()
def start() -> None:
    """Start the local Neo4j of this DRIFT_HOME, or find it running."""
    from drift_assets.local import server
    from drift_assets.settings import load_settings

    address = server.start(load_settings())
    typer.echo(f"Neo4j runs at {address.uri}")


@app.command()
def stop() -> None:
    """Stop the local Neo4j of this DRIFT_HOME; what it stores stays."""
    from drift_assets.local import server
    from drift_assets.settings import load_settings

    was_running = server.stop(load_settings())
    typer.echo("Neo4j is stopped" if was_running else "Neo4j was not running")


@app.command()
def status() -> None:
    """Show whether the local Neo4j runs, and where its files are."""
    from drift_assets.local import server
    from drift_assets.settings import load_settings

    settings = load_settings()
    found = server.status(settings)
    if settings.neo4j_uri:
        typer.echo(f"NEO4J_URI is set: {settings.neo4j_uri} is used, not the local server")
    if found.running and found.since is not None:
        minutes = (time.time() - found.since) / 60
        typer.echo(f"Neo4j {found.version} runs at {found.uri} (process {found.pid}, for {minutes:.0f} minutes)")
        typer.echo(f"it stops after {found.idle_minutes:g} minutes without a connection")
    elif found.pid:
        typer.echo(f"Neo4j {found.version} is starting (process {found.pid})")
    else:
        typer.echo("Neo4j does not run; `drift neo4j start` starts it, as does every command that needs it")
    typer.echo(f"folder: {found.folder}")
    typer.echo(f"log:    {found.log}")


@app.command()
def env() -> None:
    """Print `export NAME=value` lines for other tools, and start the local Neo4j if need be."""
    from drift_assets.local import server
    from drift_assets.settings import load_settings

    address = server.neo4j_address(load_settings())
    values = {
        "NEO4J_URI": address.uri,
        "NEO4J_USERNAME": address.username,
        "NEO4J_PASSWORD": address.password,
        "NEO4J_DATABASE": address.database,
    }
    for name, value in values.items():
        typer.echo(f"export {name}={shlex.quote(value)}")
