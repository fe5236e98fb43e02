"""A language model and an embedder that do what a test says, and remember what they were asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

from drift_assets.embedding.model import Embedder, Vector
from drift_assets.language.calls import Limiter
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import O_co, Output, Task
from drift_assets.language.usage import Meter, Usage
from drift_assets.search.step import Models
from drift_assets.settings import Settings

Script = Callable[[Task[Any]], Output]


class ScriptedLanguageModel:
    """Answers each task with what `script` returns or raises, after the seconds that `delay` gives it.

    `history` holds the tasks in the order in which they were asked.
    """

    def __init__(self, script: Script, meter: Meter | None = None, delay: Callable[[Task[Any]], float] | None = None):
        self.script = script
        self.meter = meter or Meter()
        self.delay = delay
        self.history: list[Task[Any]] = []

    def origin(self, task: type[Task[Any]]) -> str:
        """One name for all tasks."""
        return "scripted"

    def version(self, task: type[Task[Any]]) -> str:
        """Never changes."""
        return f"scripted {task.name()}"

    async def perform(self, task: Task[O_co]) -> O_co:
        """Counts the call, with a token for input and output each, and follows the script."""
        self.meter.begin(Usage(language_calls=1, input_tokens=1, output_tokens=1))
        self.history.append(task)
        await asyncio.sleep(self.delay(task) if self.delay else 0)
        return cast(O_co, self.script(task))

    def asked(self, kind: type[Task[Any]]) -> list[Any]:
        """The tasks of a kind, in the order in which they were asked."""
        return [task for task in self.history if isinstance(task, kind)]


class ScriptedEmbedder:
    """Gives a text the vector of the first key that stands in it, else `default`."""

    name = "scripted:words"

    def __init__(self, vectors: Mapping[str, Vector], default: Vector, meter: Meter | None = None) -> None:
        self.vectors = vectors
        self.default = default
        self.meter = meter or Meter()
        self.history: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Counts one call, whose tokens are the texts."""
        self.meter.begin(Usage(embedding_calls=1, embedding_tokens=len(texts)))
        self.history.append(list(texts))
        await asyncio.sleep(0)
        return [next((v for key, v in self.vectors.items() if key in text), self.default) for text in texts]


def scripted_models(language: ScriptedLanguageModel, embedder: ScriptedEmbedder) -> Models:
    """Opens the two for each stage, counted on that stage's meter."""

    @asynccontextmanager
    async def opened(
        settings: Settings, meter: Meter, limiter: Limiter
    ) -> AsyncIterator[tuple[LanguageModel, Embedder]]:
        language.meter = embedder.meter = meter
        yield language, embedder

    return opened
