"""The entities stage over real HTTP: what it asks, what it keeps, how it goes on."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from drift_assets.assets.entities import LEAST_TOKENS, extract, extract_entities
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage
from drift_assets.errors import CallTooLong, GraphUnavailable, ItemFailed, LimitReached, RunStopped
from drift_assets.graph.connection import Graph
from drift_assets.language.tasks import Extract, ExtractedEntity, ExtractedRelationship, Extraction
from drift_assets.tokens import count_tokens
from drift_tests.assets.bench import CORPUS, FERRY, HARBOUR, MUSEUM, Bench
from drift_tests.scripted import ScriptedLanguageModel

NAMES = "MATCH (e:__Entity__) RETURN e.name ORDER BY e.name"
FAILURES = "MATCH (c:__Chunk__)-[:PART_OF]->(d) WHERE c.failure IS NOT NULL RETURN d.id ORDER BY d.id"
LONG = " ".join(f"Sentence {n} tells of ship number {n} and of its long way home." for n in range(40))


def index(bench: Bench, **overrides: Any) -> StageReport:
    """Chunks and entities; the report of the latter."""
    return bench.index(until="entities", **overrides)["entities"]


def said(text: str, *names: str) -> Extraction:
    ties = [ExtractedRelationship(source=a, target=b, description=text[:9], strength=5) for a, b in pairwise(names)]
    return Extraction(
        entities=[ExtractedEntity(name=name, type="PERSON", description=text[:9]) for name in names], relationships=ties
    )


def test_each_chunk_is_asked_for_once_and_said_of_its_entities(bench: Bench) -> None:
    bench.write(CORPUS)
    report = index(bench)
    assert sorted(
        text for text in CORPUS.values() for request in bench.service.of("extract") if text in request.input
    ) == sorted(CORPUS.values())
    assert bench.values(NAMES) == [
        "ADA QUILL",
        "BLUE FERRY",
        "FOG ORGAN",
        "MARTHA REEVE",
        "MERRIN MUSEUM",
        "PORT MERRIN",
        "TOBIAS LUND",
    ]
    assert bench.values("MATCH (c)-[:MENTIONS]->(e {name: 'TOBIAS LUND'}) RETURN c.text ORDER BY c.text") == [
        FERRY,
        MUSEUM,
    ]
    assert (report.new, report.reused, report.failed, report.usage.language_calls) == (3, 0, 0, 3)
    assert report.facts["entities"] == 7
    assert bench.notes.stages["entities"] == [3, 3, 0]


def test_equal_texts_are_asked_for_once(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": HARBOUR, "c.txt": MUSEUM})
    assert index(bench).usage.language_calls == 2
    assert bench.values("MATCH (c)-[:MENTIONS]->({name: 'FOG ORGAN'}) RETURN count(c)") == [2]


def test_a_copy_and_a_move_cost_no_call(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": MUSEUM})
    index(bench)
    bench.write({"a.txt": None, "moved.txt": HARBOUR, "copy.txt": MUSEUM})
    assert index(bench).usage.calls == 0
    assert bench.values(
        "MATCH (c)-[:MENTIONS]->({name: 'TOBIAS LUND'}) MATCH (c)-[:PART_OF]->(d) RETURN d.id ORDER BY d.id"
    ) == ["b.txt", "copy.txt"]


def test_a_deleted_document_takes_its_entities_along(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": MUSEUM})
    index(bench)
    bench.write({"b.txt": None})
    report = index(bench)
    assert bench.values(NAMES) == ["FOG ORGAN", "MARTHA REEVE", "PORT MERRIN"]
    assert (report.deleted, report.usage.calls) == (2, 0)


def test_other_types_and_another_model_make_every_chunk_stale(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR})
    index(bench)
    assert index(bench, types=("SHIP",)).usage.language_calls == 1
    assert bench.values("MATCH (e:__Entity__) RETURN DISTINCT labels(e)") == [["__Entity__", "SHIP"]]
    assert index(bench, types=("SHIP",), index_model="another").usage.language_calls == 1
    assert bench.values("MATCH (c:__Chunk__) RETURN c.origin") == ["openai:another"]


def test_a_failed_chunk_is_kept_with_its_reason_and_a_retry_pays_for_it_alone(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.fail(2, "refusal", on="extract")
    report = index(bench)
    assert (report.new, report.failed, len(bench.values(FAILURES))) == (2, 1, 1)
    assert "refused extract" in report.failures[0].reason
    assert bench.notes.stages["entities"] == [3, 3, 1]
    left = index(bench)
    assert (left.new, left.reused, left.failed, left.usage.language_calls) == (0, 2, 1, 0), "it would only fail again"
    assert bench.retry() == 1
    again = index(bench)
    assert (again.new, again.reused, again.failed, again.usage.language_calls) == (1, 2, 0, 1)
    assert bench.values(FAILURES) == []


def test_a_chunk_that_failed_for_now_is_tried_again_by_the_next_run(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.fail(2, "500", on="extract")
    assert index(bench).failed == 1
    again = index(bench)
    assert (again.new, again.failed, again.usage.language_calls) == (1, 0, 1)


def test_a_service_that_is_busy_is_a_failure_that_the_next_run_mends(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": MUSEUM})
    bench.service.fail(1, "500", on="extract")
    assert index(bench).failed == 1
    assert index(bench).failed == 0


def test_the_failure_of_a_deleted_chunk_goes_with_it(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": MUSEUM})
    bench.service.fail(1, "refusal", on="extract")
    index(bench)
    [lost] = bench.values(FAILURES)
    bench.write({lost: None})
    assert index(bench).failed == 0


def test_a_failure_under_another_model_is_forgotten_when_the_first_one_is_back(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR})
    index(bench)
    bench.service.fail(1, "refusal", on="extract")
    assert index(bench, index_model="worse").failed == 1
    report = index(bench)
    assert (report.failed, report.usage.calls) == (0, 0)
    assert "FOG ORGAN" in bench.values(NAMES), "what was extracted before still stands"


def test_a_stop_keeps_what_was_finished(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.fail(3, "401", on="extract")
    with pytest.raises(RunStopped, match="OPENAI_API_KEY"):
        index(bench, concurrency=1)
    assert index(bench).usage.language_calls == 1


def test_a_limit_keeps_what_was_finished(bench: Bench) -> None:
    bench.write(CORPUS)
    with pytest.raises(LimitReached, match="2 calls"):
        index(bench, max_calls=2)
    assert index(bench).usage.language_calls == 1


def test_hostile_output_is_data(bench: Bench) -> None:
    hostile = "X`) DETACH DELETE (n) //"
    bench.write({"a.txt": HARBOUR})
    bench.service.script(
        "extract",
        {
            "entities": [
                {"name": hostile, "type": hostile, "description": hostile},
                {"name": "Nul\u0000", "type": "PERSON", "description": "\u0000"},
                {"name": "x" * 5000, "type": "PERSON", "description": "Too long to be a name."},
            ],
            "relationships": [{"source": hostile, "target": "Nul\u0000", "description": "$x", "strength": 99}],
        },
    )
    index(bench)
    assert bench.values("MATCH (e:__Entity__) RETURN e.aliases[0], labels(e), e.type ORDER BY e.name") == [
        ("Nul", ["__Entity__", "PERSON"], "PERSON"),
        (hostile, ["__Entity__"], None),
    ]
    assert bench.values("MATCH ()-[r:RELATIONSHIP]->() RETURN r.strength") == [10.0]


def test_half_a_character_in_an_output_costs_neither_the_chunk_nor_the_run(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": MUSEUM})
    bench.service.script(
        "extract", '{"entities": [{"name": "Ann\\ud83d", "type": "", "description": "\\udc00"}], "relationships": []}'
    )
    assert index(bench, concurrency=1).failed == 0


class Dying(Graph):
    """A graph that is lost at its `last`-th transaction: like the death of the process, nothing is written any more."""

    def __init__(self, graph: Graph, last: int) -> None:
        super().__init__(graph._driver, graph.address, graph.server)
        self.left = last

    async def write_together(self, work: Any) -> Any:
        """As always, or the end."""
        self.left -= 1
        if self.left <= 0:
            raise GraphUnavailable("gone")
        return await super().write_together(work)


def test_a_stage_that_ends_before_any_of_its_writes_goes_on_and_comes_to_the_same(bench: Bench) -> None:
    bench.chosen["chunk_tokens"] = 32
    bench.write({**CORPUS, "long.txt": "\n\n".join(CORPUS.values())})
    bench.index(until="entities")
    undisturbed, needed = bench.content(), len(bench.service.of("extract"))
    for kill_at in range(1, 12):
        bench.values("MATCH (n) DETACH DELETE n")
        bench.index(until="chunks")
        bench.service.forget()

        async def killed(stage: Stage, kill_at: int = kill_at) -> StageReport:
            dying = Stage(stage.settings, Dying(stage.graph, kill_at), stage.limiter, stage.meter, stage.progress)
            return await extract_entities(dying)

        try:
            bench.on_stage(killed)
        except GraphUnavailable:
            index(bench)
            assert len(bench.service.of("extract")) <= needed + 2 * 2, "in flight and not yet written"
            assert bench.content() == undisturbed
        else:
            assert kill_at > 3, "the stage was killed at every write"
            return
    raise AssertionError("the stage makes more writes than this test kills")


def too_long(limit: int) -> ScriptedLanguageModel:
    """A model that takes texts of at most `limit` tokens and names the first and last word of each."""

    def answer(task: Any) -> Extraction:
        assert isinstance(task, Extract)
        if count_tokens(task.text) > limit:
            raise CallTooLong("too long")
        words = task.text.split()
        return said(task.text, words[0] + words[1], words[-1])

    return ScriptedLanguageModel(answer)


def test_a_text_that_is_too_long_is_extracted_in_parts_that_are_all_of_it() -> None:
    model = too_long(150)
    extraction = asyncio.run(extract(model, Extract(text=LONG, types=("PERSON",))))
    asked = [task.text for task in model.asked(Extract)]
    assert len(asked) == len(set(asked)), "nothing is asked alike"
    taken = [text for text in asked if count_tokens(text) <= 150]
    assert " ".join(" ".join(taken).split()) == LONG, "cut between sentences"
    assert all(text.startswith("Sentence") and text.endswith("home.") for text in taken)
    assert [entity.name for entity in extraction.entities[::2]] == ["".join(text.split()[:2]) for text in taken]
    assert len(extraction.relationships) == len(taken)


def test_a_text_that_stays_too_long_is_split_down_to_a_minimum_and_fails() -> None:
    model = too_long(0)
    with pytest.raises(CallTooLong):
        asyncio.run(extract(model, Extract(text=LONG, types=("PERSON",))))
    shortest = min(count_tokens(task.text) for task in model.asked(Extract))
    assert LEAST_TOKENS // 2 < shortest < 2 * LEAST_TOKENS


def test_a_part_that_fails_fails_the_text() -> None:
    def answer(task: Any) -> Extraction:
        if count_tokens(task.text) > 300:
            raise CallTooLong("too long")
        raise ItemFailed("refused")

    with pytest.raises(ItemFailed):
        asyncio.run(extract(ScriptedLanguageModel(answer), Extract(text=LONG, types=("PERSON",))))


def test_parts_together_may_say_more_than_one_output_may_hold() -> None:
    def answer(task: Any) -> Extraction:
        if count_tokens(task.text) > 400:
            raise CallTooLong("too long")
        return Extraction(
            entities=[ExtractedEntity(name=f"{hash(task.text)} {n}", type="", description="") for n in range(200)],
            relationships=[],
        )

    assert len(asyncio.run(extract(ScriptedLanguageModel(answer), Extract(text=LONG, types=()))).entities) >= 400


def test_truncated_output_is_split_over_http(bench: Bench) -> None:
    bench.chosen["chunk_tokens"] = 512
    bench.write({"a.txt": LONG[: len(LONG) // 2] + HARBOUR})
    bench.service.fail(1, "truncated", on="extract")
    report = index(bench)
    assert (report.new, report.failed) == (1, 0)
    assert report.usage.language_calls >= 3
    assert {"FOG ORGAN", "PORT MERRIN"} <= set(bench.values(NAMES))


def test_a_chunk_is_looked_at_again_as_long_as_that_brings_anything(bench: Bench) -> None:
    overlooked = {"name": "The Pier", "type": "LOCATION", "description": "It has a harbour."}
    bench.service.script("glean", {"entities": [overlooked], "relationships": []})
    bench.write({"harbour.txt": HARBOUR})

    bench.index(until="entities", gleanings=2)

    asked = [request.task for request in bench.service.requests if request.task != "embeddings"]
    assert asked == ["extract", "glean", "glean"]
    first, second = (request.input for request in bench.service.of("glean"))
    assert first != second
    assert bench.values("MATCH (e:__Entity__ {name: 'THE PIER'}) RETURN e.type") == ["LOCATION"]
    bench.service.forget()
    bench.index(until="entities", gleanings=2)
    assert bench.service.requests == []


def test_a_glean_that_fails_fails_the_chunk_and_never_counts_as_nothing_found(bench: Bench) -> None:
    bench.service.fail_all("filtered", on="glean")
    bench.write({"harbour.txt": HARBOUR})

    assert bench.index(until="entities", gleanings=1)["entities"].failed == 1
    bench.service.forget()
    assert bench.retry() == 1
    assert bench.index(until="entities", gleanings=1)["entities"].failed == 0
