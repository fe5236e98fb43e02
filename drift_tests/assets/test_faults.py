"""Any call that fails in any way leaves an index that the next run makes whole, paying for what is missing alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from openai import AsyncOpenAI

from drift_assets.assets.stage import Stage
from drift_assets.embedding.model import Embedder
from drift_assets.embedding.openai import OpenAIEmbedder
from drift_assets.errors import CallError
from drift_assets.graph.address import Address
from drift_assets.graph.failures import count_failures, try_again
from drift_assets.language.calls import Limiter, Patience
from drift_assets.language.model import LanguageModel
from drift_assets.language.openai import OpenAILanguageModel
from drift_assets.language.service import open_client
from drift_assets.settings import Settings
from drift_tests.assets.world import World, differences
from drift_tests.openai_server import Request, Server
from drift_tests.soak import Soak

GOT_OVER = ("429-ms", "500", "stall", "broken-json", "empty")
KEPT = ("wrong-dimension", "insufficient_quota", "400-filtered", "truncated")
KINDS = GOT_OVER + KEPT
TEXTS = {"quill.txt": "Captain Quill met Ada Quill. Quill saw the Fog Organ.", "lund.txt": "Quill met Ada Quill."}


PATIENCE = Patience(attempts=2, timeout=0.5, first=0.01, longest=0.01)


@dataclass(frozen=True, slots=True)
class ServedStage(Stage):
    """A stage on one client for all, since each takes a while to be made."""

    client: AsyncOpenAI | None = None

    @asynccontextmanager
    async def language(self, calls: int = 0) -> AsyncIterator[LanguageModel]:  # type: ignore[override]
        """The language model of the server."""
        assert self.client is not None
        made = {"client": self.client, "meter": self.meter, "limiter": self.limiter, "patience": PATIENCE}
        yield OpenAILanguageModel(self.settings, **made)

    @asynccontextmanager
    async def embedder(self) -> AsyncIterator[Embedder]:  # type: ignore[override]
        """The embedder of the server."""
        assert self.client is not None
        made = {"client": self.client, "meter": self.meter, "limiter": self.limiter, "patience": PATIENCE}
        yield OpenAIEmbedder(self.settings, **made)


class Served(World):
    """A world whose models are those of the local OpenAI server; it goes easy on waiting."""

    client: AsyncOpenAI | None = None

    def _stage(self, settings: Settings) -> Stage:
        self.client = self.client or open_client(settings)
        return ServedStage(settings, self.graph, Limiter(settings.concurrency), self.meter, client=self.client)

    def __exit__(self, *_: object) -> None:
        if self.client is not None:
            self.runner.run(self.client.close())
        super().__exit__(*_)

    def retry(self) -> int:
        """What `drift retry` does."""
        return self.runner.run(try_again(self.graph))

    def failed(self) -> int:
        """How many items are kept as failed."""
        return self.runner.run(count_failures(self.graph))


@pytest.fixture
def world(neo4j_server: Address, openai: Server, tmp_path: Path) -> Iterator[Served]:
    """A small corpus that makes use of every task, on one call at a time."""
    chosen = {
        "openai_base_url": openai.url,
        "openai_api_key": "test-key-0123456789",
        "concurrency": 1,
    }
    with Served(neo4j_server, tmp_path / "corpus", **chosen) as opened:
        opened.documents = {name: [text] for name, text in TEXTS.items()}
        yield opened


def asked(requests: Iterable[Request]) -> Counter[str]:
    """What was asked, text by text where it is to be embedded."""
    found: Counter[str] = Counter()
    for request in requests:
        texts = request.texts if request.task == "embeddings" else [json.dumps(request.body, sort_keys=True)]
        found.update(f"{request.task} {text}" for text in texts)
    return found


def cases(calls: int, embeddings: int, *, thorough: bool) -> Iterator[dict[int, str]]:
    """Faults by the number of the call, or of the embedding call, that meets them.

    In the soak each kind with each number; else each kind once, those that a run gets over by itself in one run.
    """
    if thorough:
        for kind in KINDS:
            for number in range(1, 1 + (embeddings if kind == "wrong-dimension" else calls)):
                yield {number: kind}
        return
    yield {3 * at + 1: kind for at, kind in enumerate(GOT_OVER)}
    yield from ({1 + (3 + 7 * at) % (embeddings if at == 0 else calls): kind} for at, kind in enumerate(KEPT))


@pytest.mark.timeout(36_000)
def test_whatever_call_fails_the_next_run_makes_the_index_whole(world: Served, openai: Server, soak: Soak) -> None:
    world.index()
    undisturbed, calls = world.content(), len(openai.requests)
    assert {request.task for request in openai.requests} == {"extract", "resolve", "summarise", "report", "embeddings"}
    embeddings = len(openai.of("embeddings"))
    every = list(cases(calls, embeddings, thorough=soak.thorough))
    for done, faults in enumerate(every):
        if done % 25 == 0:
            soak.say(f"{done} of {len(every)} faults")
        world.wipe()
        openai.forget()
        task = "embeddings" if "wrong-dimension" in faults.values() else ""
        for number, kind in faults.items():
            openai.fail(number, kind, on=task)
        with suppress(CallError):
            world.index()
        first = list(openai.requests)
        met = openai.of(task) if task else first
        failing = [met[number - 1] for number in faults if number <= len(met)]
        assert failing
        split = "truncated" in faults.values() and failing[0].task == "report"
        world.retry()
        openai.forget()
        world.index()
        assert world.failed() == 0, faults
        # A report that did not fit was made of less, which is what stays.
        assert split or differences(world.content(), undisturbed) == [], faults
        again = asked(openai.requests) & asked(request for request in first if request not in failing)
        assert task or not again, f"{faults}: paid twice {list(again)[:2]}"
    openai.forget()
    world.index()
    assert openai.requests == []
    soak.conclude(
        f"{len(every)} faults, {len(KINDS)} kinds at each of {calls} calls: the next run makes the index whole"
    )
