"""`drift estimate`: what `drift index` would find to do and what it would cost, before anything is spent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drift_assets.cli.graph import never_used, with_graph
from drift_assets.cli.output import Json, show, show_json

if TYPE_CHECKING:
    from drift_assets.assets.estimate import Plan
    from drift_assets.graph.connection import Graph
    from drift_assets.settings import Settings


def estimate(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[FOLDER]", help="Folder of documents; unset: DRIFT_CORPUS, or that of the index."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what `drift index` would work on, and its calls, tokens and cost; nothing is asked and nothing is changed.

    The calls of extraction are counted; later stages are judged by what earlier runs took, unknown before the first.
    """
    from drift_assets.settings import load_settings

    settings = load_settings()
    show_estimate(settings, folder or settings.corpus, "drift estimate", as_json=as_json)


def show_estimate(settings: Settings, folder: Path | None, command: str, *, as_json: bool) -> None:
    """Print the estimate for the folder, without one for that of the index, as `command` was asked to.

    Raises SettingsError when there is no folder either way, and CorpusError for one that is missing.
    """
    import asyncio

    from drift_assets.assets import estimate as estimates
    from drift_assets.assets.corpus import known_folder
    from drift_assets.graph.schema import refuse_foreign

    async def read(graph: Graph | None) -> tuple[Path, Plan]:
        if graph:
            await refuse_foreign(graph)
        wanted = folder or await known_folder(graph, command)
        return wanted, await estimates.plan(graph, settings, wanted)

    wanted, found = asyncio.run(read(None)) if never_used(settings) else with_graph(settings, read)
    stages = estimates.estimate(found, settings, _history(settings))
    result = estimates.as_json(found, stages, wanted)
    if as_json:
        show_json(result)
    else:
        _show(result)


def _history(settings: Settings) -> dict[str, dict[str, float]]:
    from drift_assets.assets.estimate import earlier_runs
    from drift_assets.runs.instance import history_folder, open_instance

    if not history_folder(settings).exists():
        return {}
    with open_instance(settings) as instance:
        return earlier_runs(instance, settings)


def _show(result: dict[str, Any]) -> None:
    from drift_assets.assets.estimate import lines

    documents = result["documents"]
    show("Documents: " + ", ".join(f"{number:,} {name}" for name, number in documents.items()))
    for line in lines(result):
        show(line)
