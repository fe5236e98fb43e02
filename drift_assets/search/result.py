"""A stored search as people and scripts read it: its answer, its sources, its questions, its cost.

Passages have numbers of their own in each search. People see the sources of the answer numbered from 1 in the order in
which it cites them, and all other evidence numbered on from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from drift_assets.errors import GraphError
from drift_assets.graph.connection import Graph
from drift_assets.graph.searches import (
    StoredPassage,
    StoredQuestion,
    StoredSearch,
    latest_searches,
    passages_of,
    questions_of,
    readings_of,
    stored_search,
)
from drift_assets.language.usage import Usage
from drift_assets.markdown import unescaped
from drift_assets.search.citations import cited_numbers, quotation, renumber_citations
from drift_assets.search.options import SearchOptions
from drift_assets.search.places import Place, places_of
from drift_assets.search.step import StepUse, read_steps, total_usage
from drift_assets.wording import shown_name

# Files whose text is Markdown, or is made Markdown.
MARKDOWN = (".md", ".docx", ".html", ".htm")


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that was read; `number` is the shown one, `excerpt` what in it supports the sentences that cite it.

    `kind` is chunk, report, relationship or entity and `id` that node's id; `document` is the one document that it
    rests on, None for several. The text is "" and `gone` true when that document was deleted since. `start` is the
    character of the document at which the excerpt begins, `line` its line in a text file; None where unknown.
    """

    number: int
    id: str
    kind: str
    title: str
    document: str | None
    text: str
    tokens: int
    gone: bool
    excerpt: str = ""
    start: int | None = None
    line: int | None = None

    @property
    def name(self) -> str:
        """The title as people read it."""
        return shown_name(unescaped(self.title))

    @property
    def place(self) -> str:
        """Where to look it up: its kind, its document where that is not its title, its line."""
        named = shown_name(self.document) if self.document and self.document != self.title else None
        return ", ".join(part for part in (self.kind, named, f"line {self.line:,}" if self.line else None) if part)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """All that is kept of a search; `seconds` is the time of its stages, `notes` say what made it partial or failed.

    `asked_as` is the question of a search after another, as it can be understood alone.
    `groundedness` is the share of the answer's citing sentences that what they cite supports, None where none cites.
    `questions` are by round and order with the citations of their answers in the shown numbers; `readings` are the
    shown numbers of what each of them was given, by its id.
    """

    search_id: str
    run_id: str
    question: str
    answer: str
    status: str
    origin: str | None
    created: float
    sources: tuple[Source, ...]
    evidence: tuple[Source, ...]
    questions: tuple[StoredQuestion, ...]
    hyde: str
    notes: tuple[str, ...]
    removed_citations: int
    options: SearchOptions
    steps: dict[str, StepUse]
    readings: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    groundedness: float | None = None
    asked_as: str | None = None

    @property
    def reply(self) -> Literal["answer", "nearest_passages", "none"]:
        """What the text is: sentences that rules chose are near to the question, and need not answer it."""
        if self.status not in ("complete", "partial"):
            return "none"
        return "nearest_passages" if self.origin == "extractive" else "answer"

    @property
    def text(self) -> str:
        """The answer as people read it: sentences of documents without the escapes of Markdown."""
        return unescaped(self.answer) if self.origin == "extractive" else self.answer

    @property
    def usage(self) -> Usage:
        """Calls, tokens and cost of all stages."""
        return total_usage(self.steps)

    @property
    def seconds(self) -> float:
        """Time of all stages."""
        return sum(step.seconds for step in self.steps.values())

    @property
    def score(self) -> float:
        """The best score of an intermediate answer, 0 to 100."""
        return max((question.score or 0.0 for question in self.questions), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """The object that `drift ask --json` prints."""
        usage = self.usage
        return {
            "search_id": self.search_id,
            "run_id": self.run_id,
            "question": self.question,
            "asked_as": self.asked_as,
            "answer": self.answer,
            "status": self.status,
            "origin": self.origin,
            "sources": [_source_json(source) for source in self.sources],
            "evidence": [_source_json(source) for source in self.evidence],
            "questions": [
                {
                    name: getattr(question, name)
                    for name in ("id", "parent", "round", "text", "score", "status", "reason")
                }
                for question in self.questions
            ],
            "calls": {"language": usage.language_calls, "embedding": usage.embedding_calls},
            "tokens": {
                "input": usage.input_tokens,
                "output": usage.output_tokens,
                "embedding": usage.embedding_tokens,
                "evidence": sum(source.tokens for source in self.evidence),
            },
            "cost_usd": usage.cost_usd,
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
            "removed_citations": self.removed_citations,
            "groundedness": self.groundedness,
            "reply": self.reply,
        }


@dataclass(frozen=True, slots=True)
class SearchLine:
    """A search in a list; `created` is in seconds since the epoch."""

    search_id: str
    question: str
    status: str
    created: float


async def search_result(graph: Graph, search_id: str | None = None) -> SearchResult:
    """The search with this id, or the newest. Raises GraphError when there is none."""
    if search_id is None:
        newest = await latest_searches(graph, limit=1)
        search = newest[0] if newest else None
    else:
        search = await stored_search(graph, search_id)
    if search is None:
        raise GraphError(
            "no search is stored yet: ask one with `drift ask`"
            if search_id is None
            else f"there is no search {search_id!r}: `drift status` lists the newest ones"
        )
    questions, passages, readings = await asyncio.gather(
        questions_of(graph, search.id), passages_of(graph, search.id), readings_of(graph, search.id)
    )
    return assemble_result(search, questions, passages, readings, await places_of(graph, passages, search.answer))


async def list_searches(graph: Graph, limit: int = 20) -> list[SearchLine]:
    """The newest searches, newest first."""
    return [
        SearchLine(search.id, search.question, search.status, search.created)
        for search in await latest_searches(graph, limit=limit)
    ]


def assemble_result(
    search: StoredSearch,
    questions: list[StoredQuestion],
    passages: list[StoredPassage],
    readings: Mapping[str, tuple[int, ...]] | None = None,
    places: Mapping[int, Place] | None = None,
) -> SearchResult:
    """The stored parts put together, with the shown numbers throughout."""
    by_number = {passage.number: passage for passage in passages}
    cited = [number for number in cited_numbers(search.answer) if number in by_number]
    shown = {number: n for n, number in enumerate([*cited, *(n for n in by_number if n not in cited)], 1)}
    steps = read_steps(search.steps)
    sources = [_source(by_number[number], shown, search.answer, (places or {}).get(number)) for number in shown]
    return SearchResult(
        search_id=search.id,
        run_id=search.run_id,
        question=search.question,
        answer=renumber_citations(search.answer, shown),
        status=search.status,
        origin=search.origin,
        created=search.created,
        sources=tuple(sources[: len(cited)]),
        evidence=tuple(sources),
        questions=tuple(_shown_question(question, shown) for question in questions),
        hyde=search.hyde or "",
        notes=_notes(search, questions, steps),
        removed_citations=search.removed + sum(question.removed for question in questions),
        options=SearchOptions.from_json(search.options),
        steps=steps,
        groundedness=search.grounded,
        asked_as=search.standalone,
        readings={
            id: tuple(sorted(shown[number] for number in numbers if number in shown))
            for id, numbers in (readings or {}).items()
        },
    )


def _notes(search: StoredSearch, questions: list[StoredQuestion], steps: dict[str, StepUse]) -> tuple[str, ...]:
    notes = [search.reason] if search.reason else []
    failed = [question for question in questions if question.status == "failed"]
    if failed:
        notes.append(f"{len(failed)} of {len(questions)} questions failed: {failed[0].reason}")
    if SearchOptions.from_json(search.options).max_cost_usd is not None and total_usage(steps).cost_usd is None:
        notes.append("the cost of these models is not known, so max_cost_usd was not held")
    return tuple(dict.fromkeys([*notes, *(note for step in steps.values() for note in step.notes)]))


def _source(passage: StoredPassage, shown: dict[int, int], answer: str, place: Place | None) -> Source:
    return Source(
        number=shown[passage.number],
        id=passage.source_id,
        kind=passage.kind,
        title=passage.title,
        document=passage.document,
        text=passage.text,
        tokens=passage.tokens,
        gone=passage.gone,
        excerpt=_excerpt(passage, answer),
        start=place.start if place else None,
        line=place.line if place else None,
    )


def _excerpt(passage: StoredPassage, answer: str) -> str:
    quoted = quotation(answer, passage.number, passage.text)
    return unescaped(quoted) if passage.document is None or passage.document.lower().endswith(MARKDOWN) else quoted


def _shown_question(question: StoredQuestion, shown: dict[int, int]) -> StoredQuestion:
    return replace(
        question,
        answer=renumber_citations(question.answer, shown),
        cited=tuple(shown[number] for number in question.cited if number in shown),
    )


def _source_json(source: Source) -> dict[str, Any]:
    names = ("number", "id", "kind", "title", "document", "text", "tokens", "gone", "start", "line")
    return {name: getattr(source, name) for name in names}
