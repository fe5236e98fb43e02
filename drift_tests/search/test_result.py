"""A stored search as scripts read it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from drift_assets.errors import GraphError
from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.graph.searches import StoredPassage, StoredSearch, forget_document_passages
from drift_assets.language.tasks import Hyde, HydeAnswer, Output, Task
from drift_assets.language.usage import Usage
from drift_assets.search.result import SearchLine, assemble_result, list_searches, search_result
from drift_tests.database import empty, run_on
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import INDEX, QUESTION, follow_ups, result_of, search


def test_the_json_of_a_search_has_the_promised_form(archive: Address) -> None:
    result = search(archive, depth=1).to_json()

    assert set(result) == {
        "search_id",
        "run_id",
        "question",
        "asked_as",
        "answer",
        "status",
        "origin",
        "sources",
        "evidence",
        "questions",
        "calls",
        "tokens",
        "cost_usd",
        "seconds",
        "notes",
        "removed_citations",
        "groundedness",
        "reply",
    }
    fields = {"number", "id", "kind", "title", "document", "text", "tokens", "gone", "start", "line"}
    assert set(result["sources"][0]) == fields
    assert set(result["sources"][0]) == set(result["evidence"][0])
    assert set(result["questions"][0]) == {"id", "parent", "round", "text", "score", "status", "reason"}
    # hyde, primer, two local searches, reduce; question, hypothesis, one round, the sentences of the answer.
    assert result["calls"] == {"language": 5, "embedding": 4}
    assert result["tokens"] == {
        "input": 5,
        "output": 5,
        "embedding": 6,
        "evidence": sum(piece["tokens"] for piece in result["evidence"]),
    }
    assert (result["run_id"], result["question"], result["cost_usd"]) == ("run-1", QUESTION, 0.0)
    assert json.loads(json.dumps(result)) == result


def test_evidence_is_all_that_was_read_each_once_and_begins_with_the_sources(archive: Address) -> None:
    result = search(archive)

    assert [e.number for e in result.evidence] == list(range(1, len(result.evidence) + 1))
    assert result.evidence[: len(result.sources)] == result.sources
    assert len({(e.kind, e.id, e.text) for e in result.evidence}) == len(result.evidence)
    assert {"c1", "c3", "c4", "light", "LAMP-REEVE", "LAMP"} <= {e.id for e in result.evidence}


def test_answers_of_questions_cite_the_shown_numbers(archive: Address) -> None:
    result = search(archive, depth=1)

    shown = {source.number: source.id for source in result.evidence}
    boat = next(q for q in result.questions if q.text == "Who owned the boat?")
    assert [shown[number] for number in boat.cited] == ["c3"]
    assert boat.answer == f"Who owned the boat? Told in [{boat.cited[0]}]."


def test_a_source_shows_the_sentence_that_supports_its_citation(archive: Address) -> None:
    result = search(archive, depth=1)

    assert [source.excerpt for source in result.sources[:2]] == [
        "Reeve wrote it in the log.",
        "Drummond rowed the boat out.",
    ]


def test_an_unknown_cost_stays_unknown(archive: Address) -> None:
    result = search(archive, depth=0)
    steps = {**result.steps, "hyde": replace(result.steps["hyde"], usage=Usage(cost_usd=None))}

    assert replace(result, steps=steps).to_json()["cost_usd"] is None


def test_a_limit_on_an_unknown_cost_is_said_not_to_hold(archive: Address) -> None:
    class Unpriced(ScriptedLanguageModel):
        async def perform(self, task: Task[Any]) -> Any:
            self.meter.usage.add(Usage(cost_usd=None))
            return await super().perform(task)

    result = search(archive, language=Unpriced(follow_ups), max_cost_usd=0.01, depth=0)

    assert (result.status, result.notes) == (
        "complete",
        ("the cost of these models is not known, so max_cost_usd was not held",),
    )


def test_a_source_whose_document_was_deleted_is_shown_as_gone(neo4j_server: Address) -> None:
    INDEX.write(neo4j_server)
    finished = search(neo4j_server, depth=1)

    async def forget() -> None:
        async with open_graph(neo4j_server) as graph:
            await forget_document_passages(graph, ["log.txt"])

    asyncio.run(forget())

    result = run_on(neo4j_server, result_of(neo4j_server, finished.search_id))
    assert [(s.document, s.gone, s.text) for s in result.sources[:2]] == [
        ("log.txt", True, ""),
        ("boat.txt", False, "Drummond rowed the boat out."),
    ]
    assert result.answer == finished.answer


def test_the_newest_search_is_read_when_none_is_named(archive: Address) -> None:
    search(archive, depth=0)
    newest = search(archive, depth=0, question="What burned?")

    assert run_on(archive, result_of(archive)).search_id == newest.search_id


def test_searches_are_listed_newest_first(archive: Address) -> None:
    newest = search(archive, depth=0, question="What burned?")

    async def listed() -> list[SearchLine]:
        async with open_graph(archive) as graph:
            return await list_searches(graph, limit=1)

    assert asyncio.run(listed()) == [SearchLine(newest.search_id, "What burned?", "complete", newest.created)]


def test_a_search_that_was_never_asked_is_one_line(neo4j_server: Address) -> None:
    empty(neo4j_server)

    async def read(search_id: str | None) -> Any:
        async with open_graph(neo4j_server) as graph:
            return await search_result(graph, search_id)

    with pytest.raises(GraphError, match="no search is stored yet: ask one with `drift ask`"):
        asyncio.run(read(None))
    with pytest.raises(GraphError, match="there is no search 'nine'"):
        asyncio.run(read("nine"))


def test_text_of_any_kind_survives_storage(neo4j_server: Address) -> None:
    INDEX.write(neo4j_server)
    odd = "`MATCH (n) DETACH DELETE n` \"quoted\" 'so' \\ {curly} [7] 😀\n\nÄ ﬁ 誰"

    def write_oddly(task: Task[Any]) -> Output:
        return HydeAnswer(answer=odd) if isinstance(task, Hyde) else follow_ups(task)

    result = search(neo4j_server, write_oddly, question=odd, depth=0)

    assert (result.question, result.hyde) == (odd, odd)


@pytest.mark.parametrize(
    ("document", "quoted"), [("log.docx", "A well-known lamp."), ("log.txt", r"A well\-known lamp.")]
)
def test_a_quotation_of_markdown_is_shown_without_its_escapes(document: str, quoted: str) -> None:
    stored = StoredSearch(
        id="s",
        run_id="r",
        question="Which?",
        options='{"question": "Which?"}',
        status="complete",
        reason=None,
        created=0.0,
        finished=1.0,
        hyde=None,
        vector=(),
        answer="A known lamp [1].",
        removed=0,
        origin="scripted",
        steps="{}",
    )
    passage = StoredPassage(1, "chunk", "c1", "Log", document, r"A well\-known lamp.", 5)

    [source] = assemble_result(stored, [], [passage]).sources

    assert (source.excerpt, source.text) == (quoted, passage.text)
