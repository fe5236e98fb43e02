"""The language model that needs no key and no network; it performs every task by rules."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from drift_assets.embedding.model import Embedder, Vector
from drift_assets.language.extractive.version import extractive_version
from drift_assets.language.extractive.workers import Made, compute
from drift_assets.language.tasks import (
    Answer,
    Extract,
    Hyde,
    O_co,
    Output,
    Prime,
    Reduce,
    Refine,
    Rephrase,
    Report,
    Resolve,
    Summarise,
    Task,
)
from drift_assets.language.usage import Meter, Usage

if TYPE_CHECKING:
    from drift_assets.language.extractive.answers import Reading

ORIGIN = "extractive"
_REMEMBERED = 4000
# By model and text, for all stages of a search in this process: they read the same sentences.
_vectors: OrderedDict[tuple[str, str], Vector] = OrderedDict()


class ExtractiveLanguageModel:
    """Performs the tasks by finding names, statements and the sentences that say most; each counts as one call."""

    def __init__(self, meter: Meter, embedder: Embedder) -> None:
        self._meter = meter
        self._embedder = embedder
        # A search's own tasks take less time together than a second process takes to load the pipeline.
        self._one = asyncio.Semaphore(1)

    def origin(self, task: type[Task[Any]]) -> str:
        """`extractive`, whatever the task."""
        return ORIGIN

    def version(self, task: type[Task[Any]]) -> str:
        """The version of the rules and of the spaCy model."""
        return extractive_version()

    async def perform(self, task: Task[O_co]) -> O_co:
        """Returns the output.

        Raises LimitReached, RunStopped when the spaCy model is missing, and what the embedder raises.
        """
        self._meter.begin(Usage(language_calls=1))
        started = time.monotonic()
        output = await self._output(task)
        self._meter.add(Usage(call_seconds=time.monotonic() - started))
        return cast(O_co, output)

    async def _output(self, task: Task[Any]) -> Output:
        from drift_assets.language.extractive import (
            answers,
            extract,
            hyde,
            reduce,
            refine,
            rephrase,
            report,
            resolve,
            summarise,
        )

        match task:
            case Extract():
                return await compute(extract.extract, task)
            case Resolve():
                return resolve.resolve(task)
            case Summarise():
                return await compute(summarise.summarise, task)
            case Report():
                return await compute(report.report, task)
            case Rephrase():
                return await self._compute(rephrase.rephrase, task)
            case Hyde():
                return await self._compute(hyde.hyde, task)
            case Prime() | Answer():
                reading = await self._compute(answers.read, task)
                return await self._compute(answers.answer, task, reading, await self._cosines(reading))
            case Refine():
                vectors = await self._embedded([candidate.question for candidate in task.candidates])
                return refine.refine(task, _products(vectors + vectors, len(vectors)))
            case Reduce():
                reading = await self._compute(reduce.read, task)
                return await self._compute(reduce.reduce, task, reading, await self._cosines(reading))
        raise TypeError(f"no rules for the task {task.name()}")

    async def _compute(self, function: Callable[..., Made], *given: Any) -> Made:
        async with self._one:
            return await compute(function, *given)

    async def _cosines(self, reading: Reading) -> list[list[float]]:
        """The cosine of each shortlisted sentence with each aspect, a row per aspect; recent vectors are remembered."""
        vectors = await self._embedded(reading.texts if reading.shortlist else [])
        return _products(vectors, len(reading.aspects))

    async def _embedded(self, texts: list[str]) -> list[Vector]:
        model = self._embedder.name
        found = {text: _vectors[model, text] for text in texts if (model, text) in _vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found.update(zip(missing, await self._embedder.embed(missing), strict=True))
            _vectors.update(((model, text), found[text]) for text in missing)
        while len(_vectors) > _REMEMBERED:
            _vectors.popitem(last=False)
        return [found[text] for text in texts]


def forget() -> None:
    """Nothing is remembered: the next search counts as many calls as one in a process of its own."""
    _vectors.clear()


def _products(vectors: list[Vector], aspects: int) -> list[list[float]]:
    import numpy as np

    if not vectors:
        return [[] for _ in range(aspects)]
    matrix = np.array(vectors)
    products: list[list[float]] = (matrix[:aspects] @ matrix[aspects:].T).tolist()
    return products
