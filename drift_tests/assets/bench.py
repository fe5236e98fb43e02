"""A corpus folder, a database and a service, with the stages run as plain functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeVar

from drift_assets.assets.chunks import sync_chunks
from drift_assets.assets.communities import cluster_entities
from drift_assets.assets.embeddings import embed_nodes
from drift_assets.assets.entities import extract_entities
from drift_assets.assets.report import StageReport
from drift_assets.assets.reports import write_reports
from drift_assets.assets.stage import Stage, Work, open_stage, perform
from drift_assets.assets.summaries import summarise_descriptions
from drift_assets.graph.address import Address
from drift_assets.graph.failures import try_again
from drift_assets.language.usage import Usage
from drift_assets.settings import Settings
from drift_tests.database import driver, run, run_on
from drift_tests.graph.writing import values
from drift_tests.openai_server import Server

T = TypeVar("T")

# Texts of one chunk each; names are what the service takes for entities.
HARBOUR = "Martha Reeve keeps the Fog Organ. The Fog Organ stands in Port Merrin."
MUSEUM = "Martha Reeve wrote to Tobias Lund. Tobias Lund leads the Merrin Museum."
FERRY = "Ada Quill sailed the Blue Ferry. The Blue Ferry met Tobias Lund in Port Merrin."
# Nine in a row make three communities, and the one of four is divided into two pairs.
ROW = "Ann, Bea, Cid, Dan, Eva, Fay, Gus, Hal, Ida."
ALONE = "silas wren is not Wren."
CORPUS = {"harbour.txt": HARBOUR, "museum.txt": MUSEUM, "ferry.txt": FERRY}


class Notes:
    """A display that remembers what it was told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.stages: dict[str, list[int | None]] = {}

    def stage(self, name: str, total: int | None) -> None:
        self.stages[name] = [total, 0, 0]
        self.name = name

    def advance(self, done: int = 1, failed: int = 0) -> None:
        total, before, lost = self.stages[self.name]
        self.stages[self.name] = [total, (before or 0) + done, (lost or 0) + failed]

    def note(self, line: str) -> None:
        self.lines.append(line)


class Bench:
    """The three, with the settings that join them."""

    def __init__(self, address: Address, service: Server, folder: Path) -> None:
        self.address, self.service, self.folder = address, service, folder
        self.notes = Notes()
        self.chosen: dict[str, Any] = {"concurrency": 2, "call_attempts": 1, "chunk_tokens": 64}

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Files of the corpus folder by name; None removes one."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def settings(self, **overrides: Any) -> Settings:
        """Settings of this database and service."""
        joined = {
            "neo4j_uri": self.address.uri,
            "neo4j_username": self.address.username,
            "neo4j_password": self.address.password,
            "neo4j_database": self.address.database,
        }
        return self.service.settings(**(joined | self.chosen | overrides))

    def on_stage(self, work: Callable[[Stage], Awaitable[T]], **overrides: Any) -> T:
        """What `work` returns."""

        async def inside() -> T:
            async with open_stage(self.address, self.settings(**overrides), self.notes) as stage:
                return await work(stage)

        return run_on(self.address, inside())

    def stage(self, **overrides: Any) -> AbstractAsyncContextManager[Stage]:
        """A stage with a meter of its own."""
        return open_stage(self.address, self.settings(**overrides), self.notes)

    def perform(self, name: str, **overrides: Any) -> StageReport:
        """One stage as the asset runs it."""
        return run_on(self.address, perform(name, self.stage(**overrides), self.works()[name]))

    def works(self, **options: bool) -> dict[str, Work]:
        """The stages in order; `options` are those of chunks."""

        async def chunks(stage: Stage) -> StageReport:
            return await sync_chunks(stage, self.folder, **({"replace": False, "allow_deletes": False} | options))

        return {
            "chunks": chunks,
            "entities": extract_entities,
            "summaries": summarise_descriptions,
            "communities": cluster_entities,
            "reports": write_reports,
            "embeddings": embed_nodes,
        }

    def retry(self) -> int:
        """What failed for good is to be tried again, as `drift retry` says; returns how many items."""

        async def again(stage: Stage) -> int:
            return await try_again(stage.graph)

        return self.on_stage(again)

    def index(self, *, until: str = "embeddings", **overrides: Any) -> dict[str, StageReport]:
        """All stages, or those up to one, as a run performs them."""

        async def inside() -> dict[str, StageReport]:
            reports = {}
            for name, work in self.works().items():
                reports[name] = await perform(name, self.stage(**overrides), work)
                if name == until:
                    break
            return reports

        return run_on(self.address, inside())

    def values(self, text: str, **parameters: Any) -> list[Any]:
        """The rows of a query."""
        return values(self.address, text, **parameters)

    def everything(self) -> list[Any]:
        """All nodes and relationships with all that they hold, to see whether anything was written."""
        with driver(self.address) as opened:
            return [
                run(
                    opened,
                    self.address,
                    "MATCH (n) RETURN elementId(n) AS id, labels(n) AS l, properties(n) AS p ORDER BY id",
                ),
                run(
                    opened,
                    self.address,
                    "MATCH (a)-[r]->(b) RETURN elementId(r) AS id, type(r) AS t, elementId(a) AS a, elementId(b) AS b, "
                    "properties(r) AS p ORDER BY id",
                ),
            ]

    def content(self) -> tuple[list[Any], list[Any]]:
        """What the index holds, whatever order it was written in: no ids of Neo4j, nothing that steers the stages."""
        nodes, ties = self.everything()
        names = {row["id"]: (sorted(row["l"]), row["p"].get("name") or row["p"].get("id")) for row in nodes}
        steering = ("stale", "touched", "failure", "embed_failure", "generation")
        kept = [
            (*names[row["id"]], {key: value for key, value in row["p"].items() if key not in steering}) for row in nodes
        ]
        joined = [(row["t"], names[row["a"]], names[row["b"]], row["p"]) for row in ties]
        return sorted(kept, key=repr), sorted(joined, key=repr)


def calls(reports: Mapping[str, StageReport]) -> Usage:
    """What all stages have spent together."""
    total = Usage()
    for report in reports.values():
        total.add(report.usage)
    return total
