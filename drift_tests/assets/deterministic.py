"""Stages on a language model and an embedding that answer by rule, and on a database that fails at a chosen write.

The answers follow from the request, from the model's name and from the prompt's version, but by two dialects only: so
of two changes of a model or prompt one changes what is answered and one may change nothing but who answered it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, LiteralString, TypeVar, cast

from drift_assets.assets.stage import Stage
from drift_assets.embedding.model import Embedder, Vector
from drift_assets.errors import GraphUnavailable
from drift_assets.graph.connection import Graph, Row, Transaction
from drift_assets.language.choose import task_origin, task_version
from drift_assets.language.model import LanguageModel
from drift_assets.language.prompts import render
from drift_assets.language.tasks import Extract, O_co, Resolve, Task
from drift_assets.language.usage import Meter, Usage
from drift_assets.settings import Settings
from drift_tests.openai_answers import default_output

T = TypeVar("T")
DIALECTS = 2


@dataclass(frozen=True, slots=True)
class _Request:
    task: str
    input: str


def draw(*parts: str) -> int:
    """A number that follows from the parts alone."""
    return int.from_bytes(hashlib.blake2b("\0".join(parts).encode(), digest_size=4).digest(), "big")


class DeterministicLanguageModel:
    """The answers of the local OpenAI server without the server, in a dialect of the model and the prompt."""

    def __init__(self, settings: Settings, meter: Meter) -> None:
        self.settings = settings
        self.meter = meter

    def origin(self, task: type[Task[Any]]) -> str:
        """That of the settings."""
        return task_origin(self.settings, task)

    def version(self, task: type[Task[Any]]) -> str:
        """That of the settings."""
        return task_version(self.settings, task)

    async def perform(self, task: Task[O_co]) -> O_co:
        """Counts the call and answers; a report's rating runs from 0 to 9, so that some are embedded."""
        self.meter.begin(Usage(language_calls=1))
        output = default_output(cast(Any, _Request(task.name(), render(task, self.settings.prompts).input)))
        dialect = f"{draw(self.version(type(task))) % DIALECTS}"
        if isinstance(task, Extract):
            for said in output["entities"] + output["relationships"]:
                said["description"] += f" ({dialect})"
        elif isinstance(task, Resolve):
            # Of the same pairs, one dialect joins some that the other keeps apart.
            for verdict in output["verdicts"]:
                verdict["same"] = draw(dialect, verdict["reason"]) % 3 > 0
                verdict["reason"] += f" ({dialect})"
        elif "rating" in output:
            output["summary"] += f" ({dialect})"
            output["rating"] = draw(output["summary"]) % 10
        else:
            output["summary"] += f" ({dialect})"
        return cast(O_co, type(task).output.model_validate(output))


class DeterministicEmbedder:
    """A vector that follows from the text and the model's name: eight numbers, or twelve by `wide…`."""

    def __init__(self, settings: Settings, meter: Meter) -> None:
        self.name = f"openai:{settings.embedding_model}"
        self.dimensions = 12 if settings.embedding_model.startswith("wide") else 8
        self.meter = meter

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Counts the call and answers."""
        self.meter.begin(Usage(embedding_calls=1))
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        numbers = [1.0 + draw(self.name, text, str(n)) % 1000 for n in range(self.dimensions)]
        norm = math.hypot(*numbers)
        return [number / norm for number in numbers]


class DeterministicStage(Stage):
    """A stage whose models are these two."""

    @asynccontextmanager
    async def language(self, calls: int = 0) -> AsyncIterator[LanguageModel]:  # type: ignore[override]
        """The language model."""
        yield DeterministicLanguageModel(self.settings, self.meter)

    @asynccontextmanager
    async def embedder(self) -> AsyncIterator[Embedder]:  # type: ignore[override]
        """The embedder."""
        yield DeterministicEmbedder(self.settings, self.meter)


class FailingGraph(Graph):
    """The open database `graph`, which is gone from a chosen write on.

    `committed` tells whether that write still arrived: the link may be lost before a commit or after it.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph._driver, graph.address, graph.server)
        self.left: int | None = None
        self.committed = False

    def fail_at(self, write: int | None, *, committed: bool = False) -> None:
        """Writes fail from this one on (1 is the next); None: no more."""
        self.left, self.committed = write, committed

    async def write(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """A statement, unless it is too late for it."""
        return await self._unless_gone(lambda: super(FailingGraph, self).write(query, **parameters))

    async def write_together(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Several statements, unless it is too late for them."""
        return await self._unless_gone(lambda: super(FailingGraph, self).write_together(work))

    async def _unless_gone(self, send: Callable[[], Awaitable[T]]) -> T:
        if self.left is None:
            return await send()
        self.left -= 1
        if self.left > 0 or (self.left == 0 and self.committed):
            result = await send()
            if self.left > 0:
                return result
        raise GraphUnavailable("the database is gone, as the test says")
