"""Which language model the settings mean: opened for a run, or only named, without loading it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from drift_assets.language.calls import Limiter
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import Task
from drift_assets.language.usage import Meter
from drift_assets.settings import Settings


@asynccontextmanager
async def open_language(settings: Settings, meter: Meter, limiter: Limiter) -> AsyncIterator[LanguageModel]:
    """The language model of the settings, closed at the end. Raises SettingsError when it lacks its key."""
    if settings.language_name == "openai":
        from drift_assets.language.openai import OpenAILanguageModel
        from drift_assets.language.service import open_client

        async with open_client(settings) as client:
            yield OpenAILanguageModel(settings, client=client, meter=meter, limiter=limiter)
    else:
        from drift_assets.embedding.choose import open_embedder
        from drift_assets.language.extractive import ExtractiveLanguageModel

        async with open_embedder(settings, meter, limiter) as embedder:
            yield ExtractiveLanguageModel(meter=meter, embedder=embedder)


def refuse_unusable(settings: Settings) -> None:
    """Raises SettingsError when a model of the settings lacks its key, before anything is begun that would want it."""
    if "openai" in (settings.language_name, settings.embedding_name):
        from drift_assets.language.service import key_of

        key_of(settings)


def begin_language(settings: Settings) -> None:
    """What the language model must load before its first call is being loaded; returns at once."""
    if settings.language_name == "extractive":
        from drift_assets.language.extractive.workers import begin
    else:
        from drift_assets.language.service import begin
    begin()


def task_origin(settings: Settings, task: type[Task[Any]]) -> str:
    """`openai:<model>` or `extractive`: equal to the opened model's `origin`, and cheap."""
    if settings.language_name == "extractive":
        return "extractive"
    from drift_assets.language.openai import task_model

    return f"openai:{task_model(settings, task)}"


def task_version(settings: Settings, task: type[Task[Any]]) -> str:
    """Equal to the opened model's `version`, and cheap: it stands in the code version of the assets."""
    if settings.language_name == "extractive":
        from drift_assets.language.extractive.version import extractive_version

        return extractive_version()
    from drift_assets.language.openai import model_version

    return model_version(settings, task)
