"""Searches in a loop while an index is kept in a loop: each reads one state of the communities, whole."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from drift_assets.errors import IndexMismatch
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.graph.embeddings import rating_threshold
from drift_assets.graph.retrieval import REPORT, piece_of
from drift_assets.graph.schema import index_state
from drift_assets.graph.searches import passages_of, stored_search
from drift_assets.language.calls import Limiter
from drift_assets.language.usage import Meter
from drift_assets.search.check import begin_search, check_index
from drift_assets.search.options import SearchOptions
from drift_assets.search.step import open_step
from drift_assets.settings import Settings
from drift_tests.assets.deterministic import DeterministicEmbedder
from drift_tests.assets.world import World
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import STAGES, follow_ups
from drift_tests.soak import Soak

TEXTS = [
    "Martha Reeve keeps the Fog Organ. The Fog Organ stands in Port Merrin.",
    "Martha Reeve wrote to Tobias Lund. Tobias Lund leads the Merrin Museum.",
    "Ada Quill sailed the Blue Ferry. The Blue Ferry met Tobias Lund in Port Merrin.",
    "Ann, Bea, Cid, Dan, Eva, Fay, Gus, Hal, Ida.",
    "Silas Wren built the Fog Organ for Port Merrin. Martha Reeve paid Silas Wren.",
    "Dan and Eva left Port Merrin. Silas Wren stayed.",
]
# What an index run finds changed, each time in a cycle.
CHANGES: list[Callable[[World, int], None]] = [
    lambda world, n: world.documents.update({"b.txt": [TEXTS[n % 6], TEXTS[(n + 2) % 6]]}),
    lambda world, n: world.note("report", f"State {n}."),
    lambda world, n: world.chosen.update(embedding_model=f"model-{n}"),
    lambda world, n: world.documents.update({"c.txt": [TEXTS[(n + 1) % 6]]}),
]
# Reports of the view that are missing, or rated so that they should have a vector and have none.
HALF = (
    "MATCH (m:__Community__) WHERE m.size > 1 AND (m.title IS NULL OR m.rating > $least AND m[$property] IS NULL) "
    "RETURN collect(m.id) AS half"
)


@asynccontextmanager
async def models(
    settings: Settings, meter: Meter, limiter: Limiter
) -> AsyncIterator[tuple[ScriptedLanguageModel, DeterministicEmbedder]]:
    yield ScriptedLanguageModel(follow_ups, meter), DeterministicEmbedder(settings, meter)


async def texts_by_report(graph: Graph) -> dict[str, str]:
    rows = await graph.read("MATCH (node:__Community__) WHERE node.title IS NOT NULL " + REPORT)
    return {row["id"]: piece_of("report", row).text for row in rows}


class Readers:
    """Searches one after the other; `read` holds, for each, its generation and the reports that it was given."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.read: list[tuple[int, dict[str, str]]] = []
        self.refused = 0

    async def search(self) -> None:
        address = self.world.address
        async with open_graph(address) as graph:
            state = await index_state(graph)
            assert state is not None
            assert state.embedding_model is not None
            settings = self.world.settings.model_copy(
                update={"embedding_model": state.embedding_model.removeprefix("openai:"), "min_rating": 3.0}
            )
            try:
                await check_index(graph, embedding=state.embedding_model)
                id = await begin_search(
                    graph,
                    options=SearchOptions(question="Who keeps the Fog Organ?", depth=1),
                    search_id=None,
                    run_id=f"{len(self.read) + self.refused:06}-readers",
                    now=time.time(),
                    embedding=state.embedding_model,
                )
            except IndexMismatch:
                # It was embedded anew between the look and the check.
                self.refused += 1
                return
            search = await stored_search(graph, id)
        assert search is not None
        assert search.generation is not None
        for name, stage in STAGES.items():
            async with open_step(address, settings, search_id=id, run_id="r", name=name, models=models) as step:
                await stage(step)
                least = await rating_threshold(step.graph, min_rating=3.0)
                [row] = await step.graph.read(HALF, least=least, property=f"embedding{step.vectors}")
                assert row["half"] == [], name
        async with open_graph(address) as graph:
            passages = await passages_of(graph, id)
        reports = {passage.source_id: passage.text for passage in passages if passage.kind == "report"}
        assert reports
        self.read.append((search.generation, reports))


@pytest.mark.timeout(3600)
def test_a_search_reads_old_communities_or_new_ones_whole_and_never_a_mix(
    neo4j_server: Address, tmp_path: Path, soak: Soak
) -> None:
    runs = 40 if soak.thorough else 4
    with World(neo4j_server, tmp_path / "corpus", clustering="stable", max_community_size=4) as world:
        world.documents = {"a.txt": TEXTS[:4]}
        world.index()
        states: dict[int, dict[str, str]] = {}
        readers, ended = Readers(world), threading.Event()

        def note_state() -> None:
            state = world.runner.run(index_state(world.graph))
            assert state is not None
            assert state.generation is not None
            states[state.generation] = world.runner.run(texts_by_report(world.graph))

        note_state()

        def read() -> None:
            while not ended.is_set():
                asyncio.run(readers.search())

        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(read)
            try:
                for n, change in zip(range(runs), itertools.cycle(CHANGES), strict=False):
                    change(world, n)
                    world.index()
                    note_state()
            finally:
                ended.set()
            reading.result()
        world.index()
        left = world.read("MATCH (f:__FormerCommunity__) RETURN count(f) AS count")

    assert len(readers.read) >= 2
    for generation, reports in readers.read:
        assert {id: text for id, text in reports.items() if text not in states[generation].get(id, "")} == {}
    assert left == [{"count": 0}]
    mixed = len({generation for generation, _ in readers.read})
    soak.conclude(
        f"{len(readers.read)} searches during {runs} index runs read {mixed} states of the communities, never a mix; "
        f"{readers.refused} were refused since the embedding had just changed"
    )
