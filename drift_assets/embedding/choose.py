"""Which embedding the settings mean: opened for a run, or only named, without loading it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from drift_assets.embedding.model import Embedder
from drift_assets.language.calls import Limiter
from drift_assets.language.usage import Meter
from drift_assets.settings import Settings

MINILM_NAME = "minilm:all-MiniLM-L6-v2"


@asynccontextmanager
async def open_embedder(settings: Settings, meter: Meter, limiter: Limiter) -> AsyncIterator[Embedder]:
    """The embedder of the settings, closed at the end. Raises SettingsError when it lacks its key."""
    if settings.embedding_name == "openai":
        from drift_assets.embedding.openai import OpenAIEmbedder
        from drift_assets.language.service import open_client

        async with open_client(settings) as client:
            yield OpenAIEmbedder(settings, client=client, meter=meter, limiter=limiter)
    else:
        from drift_assets.embedding.minilm import MiniLMEmbedder

        yield MiniLMEmbedder(settings, meter)


def begin_embedder(settings: Settings) -> None:
    """What the embedder must load before its first call is being loaded; returns at once."""
    if settings.embedding_name == "minilm":
        from drift_assets.embedding.minilm import begin

        begin(settings)


def embedding_name(settings: Settings) -> str:
    """`openai:<model>`, with `@<dimensions>` where these are set, or `minilm:<model>`; cheap.

    Equal to the opened embedder's `name`, by which an index knows vectors of another model or dimension.

    Raises SettingsError when DRIFT_MINILM_FOLDER holds no model.
    """
    if settings.embedding_name == "openai":
        dimensions = f"@{settings.embedding_dimensions}" if settings.embedding_dimensions else ""
        return f"openai:{settings.embedding_model}{dimensions}"
    if settings.minilm_folder is None:
        return MINILM_NAME
    from drift_assets.local.models import minilm_files

    return f"minilm:{minilm_files(settings.minilm_folder).name}"
