"""`drift status`: what the index holds, what is stale, what failed, and what is in use."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drift_assets.cli.graph import never_used, with_graph
from drift_assets.cli.output import Json, counted, show, show_json
from drift_assets.wording import shown_name

if TYPE_CHECKING:
    from drift_assets.graph.connection import Graph
    from drift_assets.settings import Settings

SHOWN = 10
_SINGULAR = {
    "documents": "document",
    "chunks": "chunk",
    "entities": "entity",
    "summaries": "summary",
    "relationships": "relationship",
    "communities": "community",
    "reports": "report",
    "embeddings": "embedding",
}
ALL = 2**31 - 1


def status(
    failed: Annotated[
        bool, typer.Option("--failed", help="List every item that failed or was skipped, and nothing else.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what the index holds, what is stale or failed, the server and models in use, and the last runs."""
    from drift_assets.settings import load_settings

    settings = load_settings()
    if failed:
        _show_failed(_failed(settings), as_json=as_json)
        return
    found = {
        **_index(settings),
        "server": _server(settings),
        "models": _models(settings),
        "home": str(settings.home_folder),
        "settings": _settings(settings),
        "runs": _runs(settings),
    }
    if as_json:
        show_json(found)
    else:
        _show(found)


def _index(settings: Settings) -> dict[str, Any]:
    from drift_assets.assets.summary import index_status
    from drift_assets.search.result import list_searches

    async def read(graph: Graph) -> dict[str, Any]:
        searches = await list_searches(graph, SHOWN)
        return {**await index_status(graph, settings), "searches": [asdict(line) for line in searches]}

    return {"index": None, "searches": []} if never_used(settings) else with_graph(settings, read)


def _failed(settings: Settings) -> list[dict[str, Any]]:
    from drift_assets.graph.failures import failures

    async def read(graph: Graph) -> list[dict[str, Any]]:
        kept = [*await failures(graph, limit=ALL), *await failures(graph, limit=ALL, skipped=True)]
        return [asdict(item) for item in kept]

    return [] if never_used(settings) else with_graph(settings, read)


def _show_failed(items: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        show_json({"failed": items})
        return
    for item in items:
        state = "skipped" if item["skipped"] else "failed for good" if item["lasting"] else "failed for now"
        show(f"{item['stage']}: {shown_name(item['item'])}: {state}: {item['reason']}")
    if not items:
        show("No item has failed.")
    elif any(item["lasting"] and not item["skipped"] for item in items):
        show(
            "\nThe next `drift index` leaves alone what failed for good, unless its text, prompt or model changes: "
            "`drift retry [ITEM]` tries it again, `drift skip ITEM` sets it aside."
        )


def _server(settings: Settings) -> dict[str, Any]:
    from drift_assets.local import server

    if settings.neo4j_uri:
        return {"managed": False, "uri": settings.neo4j_uri, "database": settings.neo4j_database}
    managed = server.status(settings)
    return {
        "managed": True,
        "uri": managed.uri,
        "database": "neo4j",
        "version": managed.version,
        "pid": managed.pid,
        "log": str(managed.log),
    }


def _models(settings: Settings) -> dict[str, str]:
    from drift_assets.embedding.choose import embedding_name
    from drift_assets.language.choose import task_origin
    from drift_assets.language.tasks import Extract, Hyde

    return {
        "index": task_origin(settings, Extract),
        "search": task_origin(settings, Hyde),
        "embedding": embedding_name(settings),
    }


def _settings(settings: Settings) -> dict[str, dict[str, Any]]:
    from pydantic import SecretStr

    from drift_assets.settings import origins, variables

    shown: dict[str, dict[str, Any]] = {}
    for name, origin in origins().items():
        value = getattr(settings, name)
        if value is not None and not isinstance(value, str | int | float):
            value = (
                "set" if isinstance(value, SecretStr) else ",".join(value) if isinstance(value, tuple) else str(value)
            )
        shown[variables()[name]] = {"value": value, "origin": origin}
    return shown


def _runs(settings: Settings) -> list[dict[str, Any]]:
    from drift_assets.runs.instance import history_folder, open_instance
    from drift_assets.runs.recent import recent_runs

    if not history_folder(settings).exists():
        return []
    with open_instance(settings) as instance:
        return [asdict(line) for line in recent_runs(instance, limit=SHOWN)]


def _show(found: dict[str, Any]) -> None:
    if found["index"] is None:
        show("There is no index yet: `drift index FOLDER` makes one, `drift demo` shows how it goes.")
    else:
        show(f"Index of {found['corpus']}")
        show("  holds: " + _list(found["index"]))
        if found["indexing"]:
            show(f"  run {found['indexing']} is indexing it now")
        stale = {stage: "?" if number is None else number for stage, number in found["stale"].items() if number != 0}
        show("  stale: " + (_list(stale) + "; `drift index` works on it" if stale else "nothing"))
        show(f"  failed: {found['failed']}")
        for item in found["failures"]:
            show(f"    {item['stage']}: {shown_name(item['item'])}: {item['reason']}")
    server = found["server"]
    where = "managed Neo4j" if server["managed"] else "Neo4j of NEO4J_URI"
    show(f"Server: {where} at {server['uri'] or 'no address: it does not run'}, database {server['database']}")
    models = found["models"]
    show(f"Models: {models['index']} to index, {models['search']} to search, {models['embedding']} to embed")
    changed = {name: entry for name, entry in found["settings"].items() if entry["origin"] != "default"}
    for name, entry in changed.items():
        show(f"  {name}={entry['value']} (from {entry['origin']})")
    show(f"State: {found['home']}")
    if found["runs"]:
        show("Last runs")
    for run in found["runs"]:
        show(f"  {_time(run['started'])}  {run['job']}  {run['status'].lower()}  {run['run_id']}")
    if found["searches"]:
        show("Last searches")
    for search in found["searches"]:
        show(f"  {search['search_id']}  {search['status']}  {search['question']}")


def _list(numbers: dict[str, Any]) -> str:
    return ", ".join(
        f"? {name}" if number == "?" else counted(number, _SINGULAR.get(name, name), name)
        for name, number in numbers.items()
    )


def _time(seconds: float | None) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)) if seconds else "not started     "
