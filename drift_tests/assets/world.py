"""A corpus folder and an index that is kept of it while both and the settings change."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from drift_assets.assets.chunks import sync_chunks
from drift_assets.assets.communities import cluster_entities
from drift_assets.assets.embeddings import embed_nodes
from drift_assets.assets.entities import extract_entities
from drift_assets.assets.reports import report_task, write_reports
from drift_assets.assets.stage import Stage
from drift_assets.assets.summaries import summarise_descriptions
from drift_assets.assets.versions import reports_version
from drift_assets.clustering import community
from drift_assets.errors import GraphUnavailable
from drift_assets.fingerprint import fingerprint
from drift_assets.graph import checks
from drift_assets.graph import reports as graph_reports
from drift_assets.graph.address import Address
from drift_assets.graph.communities import WeightedGraph, placed_entities, weighted_graph
from drift_assets.graph.connection import open_graph
from drift_assets.graph.embeddings import rating_threshold
from drift_assets.graph.resolution import tell
from drift_assets.graph.schema import index_state, prepare
from drift_assets.language.calls import Limiter
from drift_assets.language.prompts import read_prompt
from drift_assets.language.usage import Meter
from drift_assets.settings import Settings, load_settings
from drift_tests.assets.deterministic import DeterministicStage, FailingGraph

STAGES = ("chunks", "entities", "summaries", "communities", "reports", "embeddings")
# What follows from communities, and so may differ where they do.
COMMUNITY_LABEL, COMMUNITY_TIE = "__Community__", "IN_COMMUNITY"


class World:
    """The folder, the open database and the settings; the stages run as plain functions.

    `documents` are paragraphs by path. Use it as a context manager.
    """

    def __init__(self, address: Address, folder: Path, **chosen: Any) -> None:
        self.address, self.folder = address, folder
        self.documents: dict[str, list[str]] = {}
        self.notes: dict[str, str] = {}
        self.told: dict[tuple[str, str], bool] = {}
        self.chosen: dict[str, Any] = {
            "language": "openai",
            "embedding": "openai",
            "openai_api_key": "none",
            "concurrency": 3,
            "chunk_tokens": 48,
            "max_community_size": 3,
            "clustering": "exact",
            **chosen,
        }
        self.meter = Meter()
        self.prompts = folder.parent / "prompts"
        self.runner = asyncio.Runner()
        self.open = AsyncExitStack()

    def __enter__(self) -> World:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        shutil.rmtree(self.prompts, ignore_errors=True)
        self.graph = self.runner.run(self._opened())
        self.wipe()
        return self

    def __exit__(self, *_: object) -> None:
        self.runner.run(self.open.aclose())
        self.runner.close()

    async def _opened(self) -> FailingGraph:
        return FailingGraph(await self.open.enter_async_context(open_graph(self.address)))

    def wipe(self) -> None:
        """The database is empty; vector indexes stay: Neo4j plans every query anew when one comes or goes."""

        async def work() -> None:
            await self.graph.write("MATCH (n) DETACH DELETE n")
            await prepare(self.graph)
            for pair, same in self.told.items():
                await tell(self.graph, same=same, pairs=[pair])

        self.runner.run(work())

    def tell(self, pair: tuple[str, str], *, same: bool) -> None:
        """The user says whether the two names are of one thing."""
        self.told[pair] = same
        self.runner.run(tell(self.graph, same=same, pairs=[pair]))

    def note(self, task: str, text: str) -> None:
        """The prompt of the task begins with this line; without one it is that of the project."""
        self.notes[task] = text
        # A folder of prompts is read once, so each state of it is a folder of its own.
        told = {name: note for name, note in sorted(self.notes.items()) if note}
        folder = self.prompts / fingerprint("notes", told)
        folder.mkdir(parents=True, exist_ok=True)
        for name, note in told.items():
            (folder / f"{name}.md").write_text(f"{note}\n{read_prompt(name)}", "utf-8")
        self.chosen["prompts"] = folder

    @property
    def settings(self) -> Settings:
        """Those chosen by now."""
        return load_settings(**self.chosen)

    def write(self) -> None:
        """The folder holds exactly the documents."""
        wanted = {path: "\n\n".join(paragraphs) for path, paragraphs in self.documents.items()}
        for file in [file for file in self.folder.rglob("*") if file.is_file()]:
            if file.relative_to(self.folder).as_posix() not in wanted:
                file.unlink()
        for path, text in wanted.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")

    def index(self, *, until: str = STAGES[-1], fail_at: int | None = None, committed: bool = False) -> bool:
        """All stages in order, or those up to one; returns whether they came to their end before the failing write."""
        self.write()
        self.graph.fail_at(fail_at, committed=committed)
        try:
            self.runner.run(self._stages(until))
        except GraphUnavailable:
            if fail_at is None:
                raise
            return False
        finally:
            self.graph.fail_at(None)
        return True

    async def _stages(self, until: str) -> None:
        settings = self.settings
        stage = self._stage(settings)
        await prepare(self.graph)
        await sync_chunks(stage, self.folder, replace=False, allow_deletes=False)
        works = (extract_entities, summarise_descriptions, cluster_entities, write_reports, embed_nodes)
        for name, work in list(zip(STAGES[1:], works, strict=True))[: STAGES.index(until)]:
            assert name
            await work(stage)

    def _stage(self, settings: Settings) -> Stage:
        return DeterministicStage(settings, self.graph, Limiter(settings.concurrency), self.meter)

    def content(self, *, communities: bool = True) -> tuple[list[str], list[str]]:
        """All nodes and all relationships with all that they hold; without `communities`, nothing that hangs on them.

        Which of the two places of vectors is in use, and Neo4j's ids, are left out: they tell of the index's history.
        """
        nodes = self.read("MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS held")
        ties = self.read(
            "MATCH (a)-[r]->(b) RETURN type(r) AS type, elementId(a) AS a, elementId(b) AS b, properties(r) AS held"
        )
        names = {
            row["id"]: f"{sorted(row['labels'])[-1]} {row['held'].get('name', row['held'].get('id'))}" for row in nodes
        }
        left_out = {"vectors", "generation"}
        shown_nodes = [
            f"{sorted(row['labels'])} {_shown(row['held'], left_out)}"
            for row in nodes
            if communities or COMMUNITY_LABEL not in row["labels"]
        ]
        shown_ties = [
            f"{row['type']} {names[row['a']]} -> {names[row['b']]} {_shown(row['held'], set())}"
            for row in ties
            if communities or row["type"] != COMMUNITY_TIE
        ]
        return sorted(shown_nodes), sorted(shown_ties)

    def read(self, query: Any, **parameters: Any) -> list[dict[str, Any]]:
        """Rows of a query."""
        return self.runner.run(self.graph.read(query, **parameters))

    def weighted(self) -> WeightedGraph:
        """The graph that is clustered."""
        return self.runner.run(weighted_graph(self.graph))

    def partition(self) -> dict[str, str]:
        """The community of level 0 of each entity."""
        placed = self.runner.run(placed_entities(self.graph))
        return {name: chain[0] for name, chain in placed.chains.items()}

    def broken_rules(self) -> list[str]:
        """What must hold of communities and what hangs on them, by whatever history they came about."""

        async def look() -> list[str]:
            state = await index_state(self.graph)
            assert state is not None
            threshold = await rating_threshold(self.graph, min_rating=self.settings.min_rating)
            rules = {
                "misplaced": checks.misplaced_entities(self.graph),
                "unreported": checks.unreported_communities(self.graph),
                "vectors": checks.wrong_vectors(
                    self.graph, suffix=state.vectors, dimensions=state.dimensions or 0, min_rating=threshold
                ),
            }
            found = {name: (await rule).first for name, rule in rules.items()}
            outdated = await self._outdated_reports()
            return [f"{name}: {', '.join(items)}" for name, items in {**found, "outdated": outdated}.items() if items]

        return self.runner.run(look())

    async def _outdated_reports(self) -> list[str]:
        """Communities whose report is not that of their present material, or whose id is not that of their members."""
        version = reports_version(self.settings)
        rows = await self.graph.read(
            "MATCH (m:__Community__)<-[:IN_COMMUNITY*1..]-(e:__Entity__) WITH m, e ORDER BY e.name "
            "RETURN m.id AS id, m.level AS level, m.size AS size, m.report_key AS key, collect(e.name) AS names"
        )
        found = []
        for row in rows:
            task = report_task(await graph_reports.material(self.graph, row["id"]), self.settings.context_tokens)
            key = fingerprint("report", version, task.model_dump()) if row["size"] > 1 else None
            if row["key"] != key or row["id"] != community(row["level"], tuple(row["names"]), None).id:
                found.append(row["id"])
        return found


def _shown(held: Mapping[str, Any], left_out: set[str]) -> str:
    shown = {}
    for name, value in held.items():
        if name in left_out:
            continue
        if name == "embedded":
            value = value.removesuffix("_2")
        shown[name.removesuffix("_2") if name.startswith("embedding") else name] = value
    return repr(sorted(shown.items()))


def differences(kept: Sequence[Sequence[str]], fresh: Sequence[Sequence[str]]) -> list[str]:
    """What only one of two contents holds: with - what was kept, with + what a fresh index has."""
    lines = []
    for one, other in zip(map(Counter, kept), map(Counter, fresh), strict=True):
        lines += [f"- {line}" for line in sorted((one - other).elements())]
        lines += [f"+ {line}" for line in sorted((other - one).elements())]
    return lines
