"""`drift demo`: the demo corpus indexed, and two questions answered."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from drift_assets.cli.ask import search, show_answer
from drift_assets.cli.index import index_folder
from drift_assets.cli.output import debugging, interruptible, show


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
        index_folder(settings, {"folder": str(corpus_folder())}, debug=debugging(context))
        for question in DEMO_QUESTIONS:
            show(f"\nQuestion: {question}\n")
            show_answer(search(settings, {"question": question}, debug=debugging(context)))
    same = (usual.language_name, usual.embedding_name) == (settings.language_name, settings.embedding_name)
    prefix = "" if same else f"DRIFT_LANGUAGE={settings.language_name} DRIFT_EMBEDDING={settings.embedding_name} "
    show("\nNext")
    show(f'  {prefix}drift ask "Who was Clara Whitcombe?"')
    show("  drift trace            how the last answer came about")
    show("  drift dev              Dagster's UI: assets, runs, searches")
    show("  drift index FOLDER     your own documents take the demo's place")
