"""How good the answers to a file of questions are: evidence recall, answer match, citations, abstention.

    DRIFT_HOME=folder python -m benchmarks.evaluate QUESTIONS --folder DOCUMENTS

Every question goes through the job that `drift ask` runs, in one process, with the settings of the environment. With
`--folder` the index is brought up to date first. Results are kept as they come, so an interrupted evaluation goes on
where it stopped; a change of the code, the settings or the index asks all anew.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.tables import say, table
from drift_assets.cli.graph import with_graph
from drift_assets.embedding.choose import embedding_name
from drift_assets.errors import DriftError
from drift_assets.evaluation.passages import Passage, read_texts
from drift_assets.evaluation.questions import Question, read_questions
from drift_assets.evaluation.scoring import Reading, failed, score
from drift_assets.evaluation.table import by_kind
from drift_assets.fingerprint import fingerprint
from drift_assets.graph.connection import Graph
from drift_assets.graph.evidence import chunks_below, chunks_of, existing_sources
from drift_assets.graph.schema import index_state
from drift_assets.language.choose import task_origin
from drift_assets.language.tasks import Reduce
from drift_assets.progress import Silent
from drift_assets.runs.job import run_job
from drift_assets.search.result import search_result
from drift_assets.settings import Settings, load_settings

PACKAGE = Path(__file__).parent.parent / "drift_assets"
SOURCES = ("*.py", "prompts/*.md")
# Settings that say where things are, not what comes of them.
PLACES = {"home", "corpus", "openai_api_key", "neo4j_uri", "neo4j_username", "neo4j_password", "neo4j_database"}
FIGURES = {
    "evidence_recall": "evidence recall",
    "traced_recall": "reports traced",
    "strict_match": "match, strict",
    "partial_match": "match, partial",
    "citation_validity": "citations valid",
    "abstained": "abstained",
    "calls": "calls",
    "evidence_tokens": "tokens read",
    "seconds": "seconds",
}
Row = dict[str, Any]


def evaluate(questions: Sequence[Question], settings: Settings, output: Path) -> str:
    """The table of figures by kind; it stands in `output` with the suffix .md too, and each answer in `output` itself.

    Questions that `output` holds already are not asked again, unless they failed or anything they depend on changed.
    """
    run = dependencies(settings)
    kept = _kept(output, run)
    for number, question in enumerate(questions, 1):
        key = fingerprint("question", question.model_dump(mode="json"))
        before = kept.get(question.id, {})
        if before.get("key") != key or "error" in before:
            kept[question.id] = {"key": key, **answer(question, settings)}
            _write(output, {"run": run, "answers": kept})
        row = kept[question.id]
        say(f"{number}/{len(questions)} {question.id}: {row.get('error') or row['status']}")
    rows = [kept[question.id] for question in questions]
    told = f"{len(rows)} questions, {run['language']}, {run['embedding']}, on {machine()}\n\n{figures(rows)}\n"
    output.with_suffix(".md").write_text(told, encoding="utf-8")
    return told


def answer(question: Question, settings: Settings) -> Row:
    """What the search brought, with its scores; `error` where it failed, scored as if nothing was found."""
    asked = {"id": question.id, "kind": question.kind, "question": question.question}
    try:
        outcome = run_job("drift_search", {"question": question.question}, settings=settings, display=Silent())
        outcome.raise_for_failure()
        search_id = str(outcome.materialized["drift/answers"]["search_id"])

        async def read(graph: Graph) -> tuple[Row, Reading]:
            found = (await search_result(graph, search_id)).to_json()
            return found, await reading(graph, found)

        found, given = with_graph(settings, read)
    except DriftError as error:
        return {**asked, "error": str(error), **asdict(failed(question))}
    return {
        **asked,
        **{name: found[name] for name in ("search_id", "status", "answer", "sources", "cost_usd", "seconds")},
        **asdict(score(question, given)),
        "calls": sum(found["calls"].values()),
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


def figures(rows: Sequence[Row]) -> str:
    """Means by kind of question as a Markdown table; calls, tokens and seconds are means a question too."""
    frame = by_kind(rows, tuple(FIGURES))
    lines = []
    for kind, values in frame.iterrows():
        cells = [None if values[name] != values[name] else float(values[name]) for name in FIGURES]
        lines.append([str(kind), int(values["questions"]), *cells])
    failures = sum("error" in row for row in rows)
    note = f"\n\n{failures} searches failed; they count as having found nothing." if failures else ""
    return table(["kind", "questions", *FIGURES.values()], lines) + note


def dependencies(settings: Settings) -> Row:
    """What results depend on: the code, the settings, the documents that are indexed."""
    code = [
        [path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")]
        for path in sorted(path for pattern in SOURCES for path in PACKAGE.rglob(pattern))
    ]
    state = with_graph(settings, index_state)
    return {
        "language": task_origin(settings, Reduce),
        "embedding": embedding_name(settings),
        "settings": fingerprint("settings", settings.model_dump(mode="json", exclude=PLACES)),
        "documents": state.corpus_version if state else None,
        "code": fingerprint("code", code),
    }


def _kept(output: Path, run: Row) -> dict[str, Row]:
    if not output.exists():
        return {}
    kept = json.loads(output.read_text(encoding="utf-8"))
    return dict(kept["answers"]) if kept["run"] == run else {}


def _write(output: Path, value: Row) -> None:
    """A write that is cut off leaves the file as it was."""
    output.parent.mkdir(parents=True, exist_ok=True)
    unfinished = output.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")
    unfinished.replace(output)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evaluate", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("questions", type=Path, help="JSONL: id, question, kind, must_mention, evidence")
    parser.add_argument("--folder", type=Path, help="bring the index up to date with this folder first")
    parser.add_argument("--output", type=Path, help="results as JSON (default: DRIFT_HOME/evaluation/QUESTIONS.json)")
    options = parser.parse_args(arguments)
    questions, settings = read_questions(options.questions), load_settings()
    if options.folder:
        run_job(
            "index", {"folder": str(options.folder.resolve())}, settings=settings, display=Silent()
        ).raise_for_failure()
    output = options.output or settings.home_folder / "evaluation" / f"{options.questions.stem}.json"
    say("\n" + evaluate(questions, settings, output))
    say(f"Each answer stands in {output}")


if __name__ == "__main__":
    main()
