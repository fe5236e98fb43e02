"""`drift index`: bring the index up to date with a folder of documents."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drift_assets.cli.graph import with_graph
from drift_assets.cli.output import (
    Json,
    counted,
    debugging,
    interruptible,
    progress_display,
    say,
    show,
    show_json,
    shown_cost,
)
from drift_assets.cli.usage import MaxCalls, MaxCost, MaxTokens
from drift_assets.errors import RunFailed

if TYPE_CHECKING:
    from drift_assets.runs.outcome import RunOutcome
    from drift_assets.settings import Settings

RESUME = "run `drift index` again: it goes on from there"


def index(  # noqa: PLR0913
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[FOLDER]", help="Folder of documents; unset: DRIFT_CORPUS, or that of the index."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let this folder take the place of the one that was indexed before.")
    ] = False,
    allow_deletes: Annotated[
        bool, typer.Option("--allow-deletes", help="Go on when over half of ten or more documents are gone.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done and what it would cost, as `drift estimate`.")
    ] = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_cost_usd: MaxCost = None,
    as_json: Json = False,
) -> None:
    """Bring the index up to date with a folder of documents.

    Only what is new or changed is worked on, and an interrupted run goes on where it stopped.
    """
    from drift_assets.settings import load_settings

    if dry_run:
        from drift_assets.cli.estimate import show_estimate

        settings = load_settings()
        return show_estimate(settings, folder or settings.corpus, "drift index --dry-run", as_json=as_json)
    if folder:
        from drift_assets.documents import refuse_unreadable

        # Before Neo4j is started for it.
        refuse_unreadable(folder.expanduser().resolve())
    with interruptible(RESUME):
        index_folder(
            load_settings(),
            {
                "folder": _absolute(folder),
                "replace": replace,
                "allow_deletes": allow_deletes,
                "max_calls": max_calls,
                "max_tokens": max_tokens,
                "max_cost_usd": max_cost_usd,
            },
            debug=debugging(context),
            as_json=as_json,
        )


def index_folder(settings: Settings, config: dict[str, Any], *, debug: bool, as_json: bool = False) -> dict[str, Any]:
    """Run the job `index`, show what the index then holds and return it; raises RunFailed when it or an item failed."""
    from drift_assets.runs.job import run_job

    config = {name: value for name, value in config.items() if value is not None}
    with progress_display() as display:
        outcome = run_job("index", config, settings=settings, display=display, debug=debug)
    if outcome.interrupted or not _went_through(outcome):
        outcome.raise_for_failure()
    summary = _summary(settings, outcome)
    if as_json:
        show_json(summary)
    else:
        _show_summary(summary)
    for check in outcome.failed_checks:
        say(f"check {check.asset} {check.name} failed: {check.description}")
    if summary["failed"] > settings.tolerance:
        raise RunFailed(
            f"{counted(summary['failed'], 'item')} failed, the rest is indexed and can be asked; "
            f"`drift status --failed` says why and what to do (run {outcome.run_id})"
        )
    if summary["failed"]:
        say(f"warning: {counted(summary['failed'], 'item')} failed, which DRIFT_TOLERANCE allows")
    outcome.raise_for_failure()
    return summary


def _absolute(folder: Path | None) -> str | None:
    return str(folder.expanduser().resolve()) if folder else None


def _went_through(outcome: RunOutcome) -> bool:
    """Whether all stages ran, so that there is something to tell even when the run did not succeed."""
    return "drift/embeddings" in outcome.materialized


def _summary(settings: Settings, outcome: RunOutcome) -> dict[str, Any]:
    from drift_assets.assets.summary import index_holdings, spent

    held, failed = with_graph(settings, index_holdings)
    stages = {key.removeprefix("drift/"): _numbers(values) for key, values in outcome.materialized.items()}
    return {
        **asdict(held),
        **spent(outcome.materialized),
        "seconds": round(outcome.seconds, 3),
        "failed": failed,
        "run_id": outcome.run_id,
        "stages": stages,
        "failed_checks": [asdict(check) for check in outcome.failed_checks],
    }


def _numbers(values: Any) -> dict[str, int | float]:
    return {name: value for name, value in values.items() if isinstance(value, int | float)}


def _show_summary(summary: dict[str, Any]) -> None:
    kinds = ("document", "chunk", "relationship", "report", "embedding")
    parts = {f"{kind}s": counted(summary[f"{kind}s"], kind) for kind in kinds}
    parts["entities"] = counted(summary["entities"], "entity", "entities")
    parts["communities"] = counted(summary["communities"], "community", "communities")
    order = ("documents", "chunks", "entities", "relationships", "communities", "reports", "embeddings")
    show("The index holds " + ", ".join(parts[name] for name in order) + ".")
    calls = summary["calls"]
    if not any(calls.values()):
        show(f"Nothing had to be asked: 0 calls, {summary['seconds']:.1f} s.")
    else:
        show(
            f"{counted(calls['language'], 'language call')}, {counted(calls['embedding'], 'embedding call')}, "
            f"{shown_cost(summary['cost_usd'])}, {summary['seconds']:.1f} s."
        )
