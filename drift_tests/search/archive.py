"""A small index about a lighthouse, and a search of it from end to end with scripted models."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.language.tasks import (
    Answer,
    FinalAnswer,
    Hyde,
    HydeAnswer,
    Output,
    Prime,
    Reduce,
    Refine,
    Refined,
    RefinedQuestion,
    Rephrase,
    ScoredAnswer,
    Standalone,
    Task,
)
from drift_assets.search.check import begin_search
from drift_assets.search.hyde import hyde
from drift_assets.search.local import local
from drift_assets.search.options import SearchOptions
from drift_assets.search.primer import primer
from drift_assets.search.reduce import reduce
from drift_assets.search.result import SearchResult, search_result
from drift_assets.search.step import open_step
from drift_assets.settings import Settings, load_settings
from drift_tests.database import SmallIndex, run_on
from drift_tests.scripted import Script, ScriptedEmbedder, ScriptedLanguageModel, scripted_models

QUESTION = "Who lit the lamp?"
STAGES = {"hyde": hyde, "primer": primer, "local": local, "reduce": reduce}

# The first axis is the lamp, the second the boat, the third the keeper's log.
VECTORS = {"lamp": [1.0, 0.0, 0.0], "boat": [0.0, 1.0, 0.0], "log": [0.0, 0.0, 1.0]}

INDEX = SmallIndex(
    dimensions=3,
    entities={
        "LAMP": ("The lamp of the tower.", [1.0, 0.1, 0.0]),
        "REEVE": ("Reeve keeps the light.", [0.9, 0.0, 0.4]),
        "BOAT": ("A boat of six oars.", [0.0, 1.0, 0.1]),
        "DRUMMOND": ("Drummond owns the boat.", [0.1, 0.9, 0.0]),
        "LOG": ("The log is kept each night.", [0.1, 0.0, 1.0]),
    },
    chunks={
        "c1": ("tower.txt", "Reeve lit the lamp at dusk.", ["LAMP", "REEVE"], [1.0, 0.0, 0.1]),
        "c2": ("tower.txt", "The lamp burned all night.", ["LAMP"], [0.9, 0.1, 0.0]),
        "c3": ("boat.txt", "Drummond rowed the boat out.", ["BOAT", "DRUMMOND"], [0.0, 1.0, 0.0]),
        "c4": ("log.txt", "Reeve wrote it in the log.", ["LOG", "REEVE"], [0.2, 0.0, 1.0]),
    },
    relationships=[
        ("LAMP", "REEVE", 9.0),
        ("BOAT", "DRUMMOND", 7.0),
        ("LOG", "REEVE", 3.0),
        ("DRUMMOND", "REEVE", 1.0),
    ],
    communities={
        "shore": (0, 6.0, "Keepers and boatmen of the shore.", None, [], [0.5, 0.5, 0.5]),
        "light": (1, 8.0, "The light and those who keep it.", "shore", ["LAMP", "REEVE", "LOG"], [1.0, 0.0, 0.3]),
        "sea": (1, 5.0, "The boat and its owner.", "shore", ["BOAT", "DRUMMOND"], [0.0, 1.0, 0.0]),
    },
)

# So little of the small index that a second round has something new to read.
NARROW: dict[str, Any] = {
    "entities": 1,
    "chunks": 1,
    "reports": 1,
    "relationships": 1,
    "communities": 1,
    "hybrid": False,
}


def follow_ups(task: Task[Any]) -> Output:
    """A script: every call succeeds, cites its first evidence, and asks two things more."""
    if isinstance(task, Rephrase):
        return Standalone(question=f"{task.question} After: {task.conversation[-1].question}")
    if isinstance(task, Hyde):
        return HydeAnswer(answer="A report on the lamp.")
    if isinstance(task, Prime):
        return ScoredAnswer(
            answer=f"The reports speak of a light [{task.evidence[0].number}].",
            score=30,
            follow_ups=["Who owned the boat?", "What does the log say?"],
        )
    if isinstance(task, Answer):
        return ScoredAnswer(
            answer=f"{task.local_question} Told in [{task.evidence[0].number}].",
            score=60 if "boat" in task.local_question else 80,
            follow_ups=[
                # Two questions with another number in them are two, however near their vectors are.
                f"More of the lamp after {len(task.local_question)} letters: {task.local_question}",
                f"More of the boat after {len(task.local_question)} letters: {task.local_question}",
            ],
        )
    if isinstance(task, Refine):
        return Refined(
            questions=[
                RefinedQuestion(question=one.question, sources=[one.number]) for one in task.candidates[: task.keep]
            ],
            dropped=[],
        )
    assert isinstance(task, Reduce)
    return FinalAnswer(answer=" ".join(answer.answer for answer in task.answers), found=True)


def instead(kind: type[Task[Any]], answer: Callable[[Any], Output]) -> Callable[[Task[Any]], Output]:
    """The usual script, except for tasks of one kind."""
    return lambda task: answer(task) if isinstance(task, kind) else follow_ups(task)


def embedder() -> ScriptedEmbedder:
    """Texts that name the lamp, the boat or the log lie at its axis; others between."""
    return ScriptedEmbedder(VECTORS, default=[0.6, 0.5, 0.4])


async def begin(address: Address, options: Mapping[str, Any]) -> str:
    """The id of a new search for QUESTION unless the options hold another."""
    async with open_graph(address) as graph:
        return await begin_search(
            graph,
            options=SearchOptions(**{"question": QUESTION, **options}),
            search_id=None,
            run_id=uuid.uuid4().hex,
            now=time.time(),
        )


async def work(
    address: Address,
    search_id: str,
    stages: tuple[str, ...],
    language: ScriptedLanguageModel,
    embedding: ScriptedEmbedder,
    settings: Settings,
) -> None:
    """Executes stages of the search, each on an opening of its own, as the job does."""
    models = scripted_models(language, embedding)
    for name in stages:
        async with open_step(address, settings, search_id=search_id, run_id="run-1", name=name, models=models) as step:
            await STAGES[name](step)


def search(address: Address, script: Script = follow_ups, **more: Any) -> SearchResult:
    """The result of a search; what more may be said, see `searched`."""
    return run_on(address, searched(address, script, **more))


async def searched(
    address: Address,
    script: Script = follow_ups,
    *,
    language: ScriptedLanguageModel | None = None,
    embedding: ScriptedEmbedder | None = None,
    settings: Settings | None = None,
    stages: tuple[str, ...] = tuple(STAGES),
    search_id: str | None = None,
    **options: Any,
) -> SearchResult:
    """The result of these stages of a new search, or of the one with `search_id`."""
    id = search_id or await begin(address, options)
    language = language or ScriptedLanguageModel(script)
    await work(address, id, stages, language, embedding or embedder(), settings or load_settings())
    return await result_of(address, id)


async def result_of(address: Address, search_id: str | None = None) -> SearchResult:
    """The search as it is stored now."""
    async with open_graph(address) as graph:
        return await search_result(graph, search_id)
