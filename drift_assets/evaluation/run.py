"""Questions asked by one or several methods and scored; answers are kept in a file, so that nothing is asked twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from drift_assets.embedding.choose import embedding_name
from drift_assets.errors import DriftError
from drift_assets.evaluation.grounding import groundedness
from drift_assets.evaluation.passages import Passage, read_texts
from drift_assets.evaluation.questions import Question
from drift_assets.evaluation.scoring import Reading, failed, score
from drift_assets.evaluation.store import kept as answers_kept
from drift_assets.evaluation.store import write
from drift_assets.fingerprint import fingerprint
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.graph.evidence import chunks_below, chunks_of, existing_sources
from drift_assets.graph.schema import index_state
from drift_assets.interrupts import run
from drift_assets.language.choose import task_origin
from drift_assets.language.tasks import Reduce
from drift_assets.local.server import neo4j_address
from drift_assets.progress import Silent
from drift_assets.search.result import search_result
from drift_assets.settings import Settings

PACKAGE = Path(__file__).parent.parent
SOURCES = ("*.py", "prompts/*.md")
# Settings that say where things are, not what comes of them.
PLACES = {"home", "corpus", "openai_api_key", "neo4j_uri", "neo4j_username", "neo4j_password", "neo4j_database"}
Answered = dict[str, Any]


def evaluate(
    questions: Sequence[Question],
    variants: Mapping[str, Mapping[str, Any]],
    settings: Settings,
    output: Path,
    tell: Callable[[str], None],
) -> dict[str, dict[str, Answered]]:
    """The scored answers of each variant by question id, in the order of `questions`.

    A variant is the config of the search job without the question, by the name for its answers. `output` keeps every
    answer as it comes, under the fingerprint of all that it depends on: question, config, settings, code and
    documents. What it holds already is not asked again, unless it failed. `tell` is given a line for each answer.
    """
    on = dependencies(settings)
    kept = answers_kept(output)
    rows: dict[str, dict[str, Answered]] = {name: {} for name in variants}
    for number, question in enumerate(questions, 1):
        for name, config in variants.items():
            asked = {**config, "question": question.question}
            key = fingerprint("answer", [on, asked, question.model_dump(mode="json")])
            if "error" in kept.get(key, {"error": ""}):
                kept[key] = {"method": config["method"], **answer(question, asked, settings)}
                write(output, kept)
            row = rows[name][question.id] = kept[key]
            tell(f"{number}/{len(questions)} {question.id} {name}: {row.get('error') or row['status']}")
    return rows


def answer(question: Question, config: Mapping[str, Any], settings: Settings) -> Answered:
    """What the search brought, with its scores; `error` where it failed, scored as if nothing was found."""
    from drift_assets.language.extractive.model import forget
    from drift_assets.runs.job import run_job

    forget()
    asked = {"id": question.id, "kind": question.kind, "question": question.question}
    address = neo4j_address(settings)
    try:
        outcome = run_job("drift_search", config, settings=settings, display=Silent())
        outcome.raise_for_failure()
        search_id = str(outcome.materialized["drift/answers"]["search_id"])

        async def read() -> tuple[Answered, Reading]:
            async with open_graph(address) as graph:
                found = (await search_result(graph, search_id)).to_json()
                return found, await reading(graph, found)

        found, given = run(read())
    except DriftError as error:
        return {**asked, "error": str(error), **asdict(failed(question)), "groundedness": None}
    return {
        **asked,
        **{name: found[name] for name in ("search_id", "status", "answer", "sources", "cost_usd", "seconds")},
        **asdict(score(question, given)),
        "groundedness": groundedness(found["answer"], {piece["number"]: piece["text"] for piece in found["evidence"]}),
        "calls": sum(found["calls"].values()),
        "tokens": sum(found["tokens"][name] for name in ("input", "output", "embedding")),
        "evidence_tokens": found["tokens"]["evidence"],
    }


async def reading(graph: Graph, found: Mapping[str, Any]) -> Reading:
    """What an answer, in the form of `drift ask --json`, is held against."""
    evidence = found["evidence"]
    passages = [Passage(piece["kind"], piece["id"], piece["text"]) for piece in evidence]
    chunks = await chunks_of(graph, ids=[passage.id for passage in passages if passage.kind == "chunk"])
    below = await chunks_below(graph, communities=[passage.id for passage in passages if passage.kind == "report"])
    traced = [*passages, *(Passage("chunk", chunk.id, chunk.text) for chunk in below)]
    existing = await existing_sources(graph, ids=[passage.id for passage in passages])
    return Reading(
        status=found["status"],
        answer=found["answer"],
        read=read_texts(passages, {chunk.id: chunk for chunk in chunks}),
        traced=read_texts(traced, {chunk.id: chunk for chunk in [*chunks, *below]}),
        valid={piece["number"] for piece in evidence if piece["id"] in existing},
    )


def dependencies(settings: Settings) -> dict[str, str | None]:
    """What answers depend on besides the question: models, settings, the documents that are indexed, the code."""
    code = [
        [path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")]
        for path in sorted(path for pattern in SOURCES for path in PACKAGE.rglob(pattern))
    ]
    address = neo4j_address(settings)

    async def documents() -> str | None:
        async with open_graph(address) as graph:
            state = await index_state(graph)
        return state.corpus_version if state else None

    return {
        "language": task_origin(settings, Reduce),
        "embedding": embedding_name(settings),
        "settings": fingerprint("settings", settings.model_dump(mode="json", exclude=PLACES)),
        "documents": run(documents()),
        "code": fingerprint("code", code),
    }
