"""Any call that fails in any way leaves an index that the next run makes whole, paying for what is missing alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
# The first is long enough to be extracted in parts, and the descriptions of Ada Quill to be merged in parts.
TEXTS = {
    "quill.txt": (
        "Captain Quill met Ada Quill at the Long Quay before the first bell of that cold and windy morning in "
        "the March of the year in which the ferry came. Quill saw the Fog Organ, which had not been played "
        "since the winter, and no one stood near it. Ada Quill asked Tobias Lund for the key, since the old "
        "one had been lost for years and years. The Blue Ferry brought Silas Wren, who had built the Fog "
        "Organ with his own hands and of his own money. Silas Wren told Ada Quill that the Blue Ferry would "
        "leave before the second bell, and that nobody was to wait for it."
    ),
    **{
        f"{word}.txt": f"Ada Quill wrote {word} letters to her mother from a house that stood high above the river, in "
        f"which she told of the weather, of the fog and of the {word} ships that she had counted from her window."
        for word in ("seven", "eleven", "twenty")
    },
}
# What halves of a text, parts of descriptions or less of a community may say otherwise than the whole.
SAID = {"description", "description_hash", "summary", "summary_key", "key", "title", "findings", "rating"} | {
    "rating_explanation",
    "report_key",
    "embedding",
}


PATIENCE = Patience(attempts=2, timeout=20.0, first=0.01, longest=0.01)
# For a call that never ends. On a busy machine a good one may take as long, and would be asked, and so paid, twice.
IMPATIENCE = replace(PATIENCE, timeout=0.5)


@dataclass(frozen=True, slots=True)
class ServedStage(Stage):
    """A stage on one client for all, since each takes a while to be made."""

    client: AsyncOpenAI | None = None
    patience: Patience = PATIENCE

    @asynccontextmanager
    async def language(self, calls: int = 0) -> AsyncIterator[LanguageModel]:  # type: ignore[override]
        """The language model of the server."""
        assert self.client is not None
        made = {"client": self.client, "meter": self.meter, "limiter": self.limiter, "patience": self.patience}
        yield OpenAILanguageModel(self.settings, **made)

    @asynccontextmanager
    async def embedder(self) -> AsyncIterator[Embedder]:  # type: ignore[override]
        """The embedder of the server."""
        assert self.client is not None
        made = {"client": self.client, "meter": self.meter, "limiter": self.limiter, "patience": self.patience}
        yield OpenAIEmbedder(self.settings, **made)


class Served(World):
    """A world whose models are those of the local OpenAI server; it goes easy on waiting."""

    client: AsyncOpenAI | None = None
    patience = PATIENCE

    def _stage(self, settings: Settings) -> Stage:
        self.client = self.client or open_client(settings)
        made = {"client": self.client, "patience": self.patience}
        return ServedStage(settings, self.graph, Limiter(settings.concurrency), self.meter, **made)

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
        "chunk_tokens": 400,
    }
    with Served(neo4j_server, tmp_path / "corpus", **chosen) as opened:
        opened.documents = {name: [text] for name, text in TEXTS.items()}
        yield opened


@dataclass(frozen=True, slots=True)
class Told:
    """An index in two: what stands whatever is said of it, and what is said, by node or relationship."""

    fixed: list[str]
    said: dict[tuple[str, ...], dict[str, Any]]


def told(world: World) -> Told:
    """The whole index."""
    nodes = world.read(
        "MATCH (n) RETURN [[one IN labels(n) WHERE one STARTS WITH '__'][0], coalesce(n.name, n.first, n.id), "
        "coalesce(n.second, '')] AS key, "
        "labels(n) AS labels, properties(n) AS held"
    )
    ties = world.read(
        "MATCH (a)-[r]->(b) RETURN [type(r), coalesce(a.name, a.id), coalesce(b.name, b.id), "
        "CASE WHEN r:RELATIONSHIP THEN r.chunk_id + r.description ELSE coalesce(r.name, r.id, '') END] AS key, "
        "[] AS labels, properties(r) AS held"
    )
    fixed, said = [], {}
    for row in nodes + ties:
        own = {name: value for name, value in row["held"].items() if name not in SAID}
        fixed.append(repr((row["key"], sorted(row["labels"]), sorted(own.items()))))
        said[tuple(row["key"])] = {name: value for name, value in row["held"].items() if name in SAID}
    return Told(sorted(fixed), said)


def above(world: World, names: Iterable[str]) -> set[str]:
    """The communities, by id, that hold these entities or communities."""
    rows = world.read(
        "MATCH (n)-[:IN_COMMUNITY*1..]->(m:__Community__) WHERE coalesce(n.name, n.id) IN $names "
        "RETURN DISTINCT m.id AS id",
        names=list(names),
    )
    return {row["id"] for row in rows}


def refuse_other_differences(world: World, undisturbed: Told, task: str) -> None:
    """What was split or shortened says the same, or says otherwise what only it says, and what is made of that.

    Always the same: documents, chunks, names and their types, mentions and statements, communities and their members.
    Of a text in halves, a name in both is described by what both say first; nothing else is described otherwise. Of
    descriptions in parts at most their own summary differs, of a report of less at most that report. All that these
    can change are the summaries, reports and vectors above them.
    """
    now = told(world)
    assert now.fixed == undisturbed.fixed
    differ = {key for key, said in now.said.items() if said != undisturbed.said[key]}
    mentions = {key for key in differ if key[0] == "MENTIONS"}
    for key in mentions:
        assert now.said[key]["description"].startswith(undisturbed.said[key]["description"] + " "), key
    names = {key[2] for key in mentions}
    entities = {key[1] for key in differ if key[0] == "__Entity__"}
    decisions = {key for key in differ if key[0] == "__Decision__"}
    reports = {key[1] for key in differ if key[0] == "__Community__"}
    assert differ == mentions | decisions | {("__Entity__", name, "") for name in entities} | {
        ("__Community__", id_, "") for id_ in reports
    }
    if task == "extract":
        assert entities == names
        extracted = {key[3] or key[2] for key in mentions}
        assert all({key[1], key[2]} & extracted for key in decisions), (decisions, mentions)
        assert reports <= above(world, names)
    elif task == "summarise":
        assert (mentions, decisions) == (set(), set())
        assert len(entities) <= 1
        assert reports <= above(world, entities)
    elif task == "report":
        assert (mentions, decisions, entities) == (set(), set(), set())
        assert any(reports <= {one} | above(world, [one]) for one in reports)
    else:
        assert differ == set()


def asked(requests: Iterable[Request]) -> Counter[str]:
    """What was asked, text by text where it is to be embedded."""
    found: Counter[str] = Counter()
    for request in requests:
        texts = request.texts if request.task == "embeddings" else [json.dumps(request.body, sort_keys=True)]
        found.update(f"{request.task} {text}" for text in texts)
    return found


def cases(undisturbed: Sequence[Request], *, thorough: bool) -> Iterator[dict[int, str]]:
    """Faults by the number of the call, or of the embedding call, that meets them.

    In the soak each kind with each number; else each kind once, those that a run gets over by itself in one run, and
    an answer that is cut off in each task that is then split: at its longest input.
    """
    calls, embeddings = len(undisturbed), sum(request.task == "embeddings" for request in undisturbed)
    if thorough:
        for kind in KINDS:
            for number in range(1, 1 + (embeddings if kind == "wrong-dimension" else calls)):
                yield {number: kind}
        return
    yield {3 * at + 1: kind for at, kind in enumerate(GOT_OVER)}
    yield from ({1 + (3 + 7 * at) % (embeddings if at == 0 else calls): kind} for at, kind in enumerate(KEPT[:-1]))
    for task in ("extract", "summarise", "report"):
        inputs = [
            (len(request.input), -number) for number, request in enumerate(undisturbed, 1) if request.task == task
        ]
        yield {-max(inputs)[1]: "truncated"}


@pytest.mark.timeout(36_000)
def test_whatever_call_fails_the_next_run_makes_the_index_whole(world: Served, openai: Server, soak: Soak) -> None:
    world.index()
    undisturbed, whole, requests = world.content(), told(world), list(openai.requests)
    assert {request.task for request in openai.requests} == {"extract", "resolve", "summarise", "report", "embeddings"}
    every = list(cases(requests, thorough=soak.thorough))
    split: Counter[str] = Counter()
    for done, faults in enumerate(every):
        if done % 25 == 0:
            soak.say(f"{done} of {len(every)} faults")
        world.wipe()
        openai.forget()
        task = "embeddings" if "wrong-dimension" in faults.values() else ""
        for number, kind in faults.items():
            openai.fail(number, kind, on=task)
        world.patience = IMPATIENCE if "stall" in faults.values() else PATIENCE
        with suppress(CallError):
            world.index()
        first = list(openai.requests)
        met = openai.of(task) if task else first
        failing = [met[number - 1] for number in faults if number <= len(met)]
        assert failing
        # What is split is done; what is too short for that has failed.
        if "truncated" in faults.values() and not world.retry():
            split[failing[0].task] += 1
            refuse_other_differences(world, whole, failing[0].task)
            continue
        world.retry()
        openai.forget()
        world.patience = PATIENCE
        world.index()
        assert world.failed() == 0, faults
        assert differences(world.content(), undisturbed) == [], faults
        again = asked(openai.requests) & asked(request for request in first if request not in failing)
        assert task or not again, f"{faults}: paid twice {list(again)[:2]}"
    openai.forget()
    world.index()
    assert openai.requests == []
    assert split.keys() >= {"extract", "summarise", "report"}
    soak.conclude(
        f"{len(every)} faults, {len(KINDS)} kinds at each of {len(requests)} calls: the next run makes the index whole"
    )
