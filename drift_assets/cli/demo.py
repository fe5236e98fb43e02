"""`drift demo`: the demo corpus indexed, and two questions answered."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drift_assets.cli.answer import search, show_answer
from drift_assets.cli.graph import with_graph
from drift_assets.cli.index import index_folder
from drift_assets.cli.output import debugging, interruptible, show

if TYPE_CHECKING:
    from drift_assets.graph.connection import Graph
    from drift_assets.search.result import SearchResult
    from drift_assets.settings import Settings

# Stored searches among which the demo's own are looked for.
LOOKED_AT = 100


class Language(StrEnum):
    """Who does the language work of the demo."""

    EXTRACTIVE = "extractive"
    OPENAI = "openai"


def demo(
    context: typer.Context,
    language: Annotated[
        Language, typer.Option(help="extractive needs no key and no network; openai uses OPENAI_API_KEY.")
    ] = Language.EXTRACTIVE,
) -> None:
    """Index a small corpus that comes with the project, and ask two questions of it."""
    from drift_assets.demo import DEMO_QUESTIONS, corpus_folder
    from drift_assets.settings import load_settings

    usual = load_settings()
    # The job reads its settings from the environment, as it does when the UI starts it.
    os.environ["DRIFT_LANGUAGE"] = language.value
    if language is Language.EXTRACTIVE:
        os.environ["DRIFT_EMBEDDING"] = "minilm"
    settings = load_settings()
    with interruptible("run `drift demo` again: it goes on from there"):
        show(f"Indexing the demo corpus ({corpus_folder()}), {language.value}")
        summary = index_folder(settings, {"folder": str(corpus_folder())}, debug=debugging(context))
        changed = any(summary["calls"].values())
        for question in DEMO_QUESTIONS:
            show(f"\nQuestion: {question}\n")
            stored = None if changed else stored_answer(settings, question)
            show_answer(stored or search(settings, {"question": question}, debug=debugging(context)))
            if stored:
                show("This is the stored answer: nothing has changed since it was given, so 0 calls were made.")
    same = (usual.language_name, usual.embedding_name) == (settings.language_name, settings.embedding_name)
    prefix = "" if same else f"DRIFT_LANGUAGE={settings.language_name} DRIFT_EMBEDDING={settings.embedding_name} "
    drift = command_name()
    show("\nNext")
    show(f'  {prefix}{drift} ask "Who was Clara Whitcombe?"')
    show(f"  {drift} trace            how the last answer came about")
    show(f"  {drift} dev              Dagster's UI: assets, runs, searches")
    show(f"  {drift} index FOLDER     your own documents take the demo's place")


def command_name() -> str:
    """`drift`, or what to type for it in a shell that does not find it."""
    if shutil.which("drift"):
        return "drift"
    own = Path(sys.executable).with_name("drift")
    return shlex.quote(os.path.relpath(own) if own.is_relative_to(Path.cwd()) else str(own))


def stored_answer(settings: Settings, question: str) -> SearchResult | None:
    """The newest complete answer that this language model gave to the question, if there is one."""
    from drift_assets.search.result import list_searches, search_result

    async def read(graph: Graph) -> SearchResult | None:
        for line in await list_searches(graph, LOOKED_AT):
            if line.question == question and line.status == "complete":
                result = await search_result(graph, line.search_id)
                if (result.origin or "").partition(":")[0] == settings.language_name:
                    return result
        return None

    return with_graph(settings, read)
