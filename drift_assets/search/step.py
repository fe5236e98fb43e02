"""What every stage of a search works with: the stored search, an open index, the models, and what may still be used."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeVar

from drift_assets.embedding.model import Embedder, Vector
from drift_assets.errors import DriftError, GraphError, IndexMismatch, LimitReached
from drift_assets.graph.address import Address
from drift_assets.graph.candidates import word_indexes
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.graph.former import View
from drift_assets.graph.retrieval import Piece, missing_vector_indexes
from drift_assets.graph.schema import index_state
from drift_assets.graph.searches import (
    StoredPassage,
    StoredSearch,
    begin_step,
    fail_search,
    store_steps,
)
from drift_assets.graph.texts import Texts
from drift_assets.graph.together import Together
from drift_assets.language.calls import Limiter
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import O_co, Task
from drift_assets.language.usage import Meter, Usage
from drift_assets.search.options import SearchOptions
from drift_assets.search.selection import selected
from drift_assets.settings import Settings

# The share of a limit on tokens, cost or seconds that is kept for the final answer.
RESERVE = 0.2
INTERRUPTED = "interrupted: re-execute the run to go on from there"
T = TypeVar("T")

Models = Callable[[Settings, Meter, Limiter], AbstractAsyncContextManager[tuple[LanguageModel, Embedder]]]


@dataclass(slots=True)
class StepUse:
    """What one stage of a search has used, over all its executions, and what went wrong in the last of them."""

    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)


def read_steps(text: str) -> dict[str, StepUse]:
    """The stages' use as stored with a search."""
    return {
        name: StepUse(Usage(**stored["usage"]), stored["seconds"], list(stored["notes"]))
        for name, stored in json.loads(text).items()
    }


def total_usage(steps: dict[str, StepUse]) -> Usage:
    """The use of all stages together."""
    total = Usage()
    for step in steps.values():
        total.add(step.usage)
    return total


@dataclass(slots=True)
class Step:
    """One execution of one stage.

    `vectors` is the suffix of the vector indexes in use, `words` are the full-text indexes at hand, `entities` those
    found for a question, `texts` those of chunks that were looked at, `documents` those that may be read, None for all.
    `dimensions` is the length of the index's vectors, None where it is not known.
    """

    name: str
    settings: Settings
    graph: Graph
    language: LanguageModel
    embedder: Embedder
    meter: Meter
    search: StoredSearch
    vectors: str
    options: SearchOptions
    uses: dict[str, StepUse]
    started: float = field(default_factory=time.monotonic)
    words: frozenset[str] = frozenset()
    entities: dict[str, list[Piece]] = field(default_factory=dict)
    documents: Sequence[str] | None = None
    dimensions: int | None = None
    texts: Texts = field(default_factory=Texts)

    @property
    def use(self) -> StepUse:
        """What this stage has used up to now."""
        earlier = self.uses[self.name]
        others = total_usage({name: use for name, use in self.uses.items() if name != self.name})
        own = self.meter.usage.since(others)
        return StepUse(own, earlier.seconds + time.monotonic() - self.started, earlier.notes)

    @property
    def question(self) -> str:
        """The user's question, as it can be understood alone."""
        return self.search.standalone or self.search.question

    @property
    def question_vector(self) -> Sequence[float]:
        """The embedding of the user's question."""
        return self.search.question_vector or self.search.vector

    def evidence_left(self, known: Sequence[StoredPassage] = ()) -> int | None:
        """Tokens of evidence that may be read beside what is `known`; None without a limit."""
        limit = self.options.evidence_tokens
        return None if limit is None else max(0, limit - sum(passage.tokens for passage in known))

    def steps(self) -> str:
        """The use of all stages up to now, as it is stored."""
        return json.dumps({name: asdict(use) for name, use in {**self.uses, self.name: self.use}.items()})

    def note(self, line: str) -> None:
        """The answer is not what it could be, for this reason: the search is marked partial."""
        if line not in self.uses[self.name].notes:
            self.uses[self.name].notes.append(line)

    async def perform(self, task: Task[O_co]) -> O_co:
        """What `LanguageModel.perform` brings, within the search's time."""
        return await self._in_time(lambda: self.language.perform(task))

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """What `Embedder.embed` brings, within the search's time.

        Raises IndexMismatch when the vectors are not as long as the index's, as those of another service may be.
        """
        vectors = await self._in_time(lambda: self.embedder.embed(texts))
        if vectors and self.dimensions not in (None, len(vectors[0])):
            length, name = len(vectors[0]), self.embedder.name
            raise IndexMismatch(
                f"the vectors of the index have {self.dimensions:,} dimensions and those of {name} now have "
                f"{length:,}: set OPENAI_BASE_URL and DRIFT_EMBEDDING_MODEL to what made the index, or embed it anew "
                f"by DRIFT_EMBEDDING_DIMENSIONS={length} and `drift index`"
            )
        return vectors

    def calls_left(self) -> int | None:
        """Calls that may still be made when one is kept for the final answer; None without a limit."""
        limit = self.options.max_calls
        return None if limit is None else max(0, limit - 1 - self.meter.usage.calls)

    def check_reserve(self) -> None:
        """Raises LimitReached when what is left of tokens, cost or seconds is to be kept for the final answer."""
        options, used = self.options, self.meter.usage
        for name, limit, amount in (
            ("tokens", options.max_tokens, float(used.tokens)),
            ("cost_usd", options.max_cost_usd, used.cost_usd or 0.0),
            ("seconds", options.max_seconds, self._seconds()),
        ):
            if limit is not None and amount >= limit * (1 - RESERVE):
                raise limit_reached(name, limit)

    def _seconds(self) -> float:
        return sum(use.seconds for use in self.uses.values()) + time.monotonic() - self.started

    async def _in_time(self, call: Callable[[], Awaitable[T]]) -> T:
        limit = self.options.max_seconds
        if limit is None:
            return await call()
        left = limit * (1.0 if self.name == "reduce" else 1 - RESERVE) - self._seconds()
        if left <= 0:
            raise limit_reached("seconds", limit)
        try:
            async with asyncio.timeout(left) as timeout:
                return await call()
        except TimeoutError:
            if not timeout.expired():
                raise
            raise limit_reached("seconds", limit) from None


def limit_reached(name: str, limit: float) -> LimitReached:
    """The error that names a limit of the search as the user knows it."""
    return LimitReached(f"max_{name} {limit:g} is reached; raise it to search further")


@asynccontextmanager
async def open_models(
    settings: Settings, meter: Meter, limiter: Limiter
) -> AsyncIterator[tuple[LanguageModel, Embedder]]:
    """The language model and the embedder of the settings."""
    from drift_assets.embedding.choose import open_embedder
    from drift_assets.language.choose import open_language

    async with (
        open_language(settings, meter, limiter) as language,
        open_embedder(settings, meter, limiter) as embedder,
    ):
        yield language, embedder


@asynccontextmanager
async def open_step(
    address: Address,
    settings: Settings,
    *,
    search_id: str,
    run_id: str,
    name: str,
    models: Models = open_models,
) -> AsyncIterator[Step]:
    """A stage of the search is executed inside the block: what it uses is stored at its end, however that comes.

    When the stage fails, the search has failed with its reason. Raises GraphError when there is no such search.
    """
    async with open_graph(address) as graph:
        search = await begin_step(graph, search_id, run_id=run_id)
        if search is None:
            raise GraphError(f"there is no search {search_id} in database {address.database}: ask again")
        async with AsyncExitStack() as opened:
            step: Step | None = None
            try:
                # One after another: to open further connections takes longer.
                index, words = await index_state(graph), await word_indexes(graph)
                if index is None:
                    raise IndexMismatch(
                        "the index is gone since the search began: run `drift index FOLDER`, then ask again"
                    )
                view, vectors = await _begun_with(graph, search, index.vectors)
                options, uses = SearchOptions.from_json(search.options), read_steps(search.steps)
                documents = await selected(graph, options.within, options.where)
                uses.setdefault(name, StepUse()).notes.clear()
                meter = Meter(options.limits, total_usage(uses))
                both = models(settings, meter, Limiter(settings.concurrency))
                language, embedder = await opened.enter_async_context(both)
                step = Step(
                    name,
                    settings,
                    Together(view),
                    language,
                    embedder,
                    meter,
                    search,
                    vectors,
                    options,
                    uses,
                    words=words,
                    documents=documents,
                    dimensions=index.dimensions if vectors == index.vectors else None,
                )
                yield step
            except BaseException as error:
                # The first failure counts, also when the graph is what failed.
                with suppress(GraphError):
                    if step is not None:
                        await store_steps(graph, search_id, steps=step.steps())
                    await fail_search(
                        graph, search_id, reason=_reason(error), finished=time.time(), status=_status(error)
                    )
                raise
            await store_steps(graph, search_id, steps=step.steps())


async def _begun_with(graph: Graph, search: StoredSearch, vectors: str) -> tuple[Graph, str]:
    """The communities and the vectors that the search began with; those in use now where they are gone."""
    if search.generation is None:
        return graph, vectors
    # An index that was embedded anew keeps the old vectors for the searches that were at work.
    own = search.vectors
    if own not in (None, vectors) and not await missing_vector_indexes(graph, vectors=own or ""):
        vectors = own or ""
    return View(graph, search.generation), vectors


def _status(error: BaseException) -> Literal["failed", "canceled"]:
    return "canceled" if isinstance(error, asyncio.CancelledError | KeyboardInterrupt) else "failed"


def _reason(error: BaseException) -> str:
    if isinstance(error, DriftError):
        return str(error)
    if _status(error) == "canceled":
        return INTERRUPTED
    return f"{type(error).__name__}: {error}"
