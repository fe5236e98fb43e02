"""One search as a command makes it, and its answer as a person reads it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from drift_assets.cli.graph import with_graph
from drift_assets.cli.output import counted, listening, progress_display, say, show, shown_cost
from drift_assets.errors import DriftError

if TYPE_CHECKING:
    from drift_assets.graph.connection import Graph
    from drift_assets.search.result import SearchResult
    from drift_assets.settings import Settings


def search(settings: Settings, config: dict[str, Any], *, debug: bool, aloud: bool = True) -> SearchResult:
    """Run the job `drift_search` and read the search that it stored; raises RunFailed when the run failed.

    On a terminal the answer is shown while it is written, unless it is not to be read `aloud`. A KeyboardInterrupt says
    what can be done with what was found up to then.
    """
    from drift_assets.runs.job import run_job
    from drift_assets.search.result import search_result

    with progress_display() as display, listening(display if aloud else None):
        outcome = run_job("drift_search", config, settings=settings, display=display, debug=debug, search=True)
    if outcome.interrupted:
        raise KeyboardInterrupt(*_advice(settings, outcome.run_id))
    outcome.raise_for_failure()
    search_id = str(outcome.materialized["drift/answers"]["search_id"])

    async def read(graph: Graph) -> SearchResult:
        return await search_result(graph, search_id)

    try:
        return with_graph(settings, read)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"`drift trace {search_id}` shows the answer") from None


def _advice(settings: Settings, run_id: str) -> tuple[str, ...]:
    """What to do with the interrupted search of this run; nothing when it has no answer to any question yet."""
    from drift_assets.graph.searches import questions_of, search_of_run

    async def read(graph: Graph) -> tuple[str, ...]:
        search_id = await search_of_run(graph, run_id)
        questions = await questions_of(graph, search_id) if search_id else []
        if not questions or questions[0].status not in ("answered", "dropped"):
            return ()
        return (
            f"`drift ask --replay {search_id}` answers from what was found so far, `drift trace {search_id}` shows it",
        )

    with suppress(DriftError, KeyboardInterrupt):
        return with_graph(settings, read)
    return ()


def changed_since_index(settings: Settings) -> int | None:
    """How many files of the corpus folder changed since the index was made; None where that cannot be told."""
    from pathlib import Path

    from dagster import AssetKey

    from drift_assets.assets.changes import changed_files
    from drift_assets.graph.chunks import stored_documents
    from drift_assets.graph.schema import index_state
    from drift_assets.runs.instance import open_instance
    from drift_assets.runs.recent import last_brought_up

    async def read(graph: Graph) -> tuple[str | None, list[str]]:
        state = await index_state(graph)
        return state.corpus if state else None, [document.id for document in await stored_documents(graph)]

    try:
        with open_instance(settings) as instance:
            since = last_brought_up(instance, AssetKey(["drift", "chunks"]))
        corpus, documents = with_graph(settings, read)
        return None if corpus is None or since is None else changed_files(Path(corpus), documents, since)
    # The answer is there; whoever interrupts now does not want to wait for more.
    except (DriftError, KeyboardInterrupt):
        return None


def tell_of_changes(changed: int | None) -> None:
    """A line that the answer does not rest on the documents as they are now."""
    if changed:
        say(f"{counted(changed, 'file')} changed since the index was made: `drift index` takes that in")


def show_answer(result: SearchResult) -> None:
    """The answer with its sources, and what it took."""
    from drift_assets.search.trace import NEAREST

    show(result.text)
    if result.sources:
        show("\nSources")
    for source in result.sources:
        quote = "its document was deleted" if source.gone else f"“{source.excerpt}”"
        show(f"[{source.number}] {source.name} ({source.place}): {quote}")
    for note in result.notes:
        show(f"\nNote: {note}")
    if result.reply == "nearest_passages":
        show(f"\n{NEAREST}")
    calls = result.usage.language_calls + result.usage.embedding_calls
    show(
        f"\n{result.status.replace('_', ' ')}, made by {result.origin or 'nobody'}, {counted(calls, 'call')}, "
        f"{shown_cost(result.usage.cost_usd)}, {result.seconds:.1f} s; `drift trace {result.search_id}` shows how"
    )
