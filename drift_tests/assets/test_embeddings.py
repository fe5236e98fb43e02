"""The embeddings stage: which texts it sends, what it refuses, how it changes to another model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from drift_assets.assets.embeddings import embed_batch, target_suffix
from drift_assets.assets.report import StageReport
from drift_assets.embedding.expected import Expected
from drift_assets.embedding.model import Vector
from drift_assets.errors import CallTooLong, CallUnavailable, ItemFailed, LimitReached
from drift_assets.graph.embeddings import StaleVector
from drift_assets.graph.schema import IndexState
from drift_tests.assets.bench import CORPUS, HARBOUR, MUSEUM, ROW, Bench

VECTORS = (
    "MATCH (n) WHERE n.embedding IS NOT NULL "
    "RETURN labels(n)[0], coalesce(n.name, n.id), size(n.embedding) ORDER BY 1, 2"
)
WANTED = (
    "MATCH (n:__Entity__|__Chunk__|__Community__) WHERE NOT n:__Community__ OR (n.size > 1 AND n.rating > 3) "
    "RETURN labels(n)[0], coalesce(n.name, n.id), 16 ORDER BY 1, 2"
)
USED = "MATCH (i:__Index__) RETURN i.embedding_model, i.dimensions, i.vectors"
INDEXES = "SHOW VECTOR INDEXES YIELD name, state WHERE state = 'ONLINE' RETURN name ORDER BY name"


def index(bench: Bench, **overrides: Any) -> StageReport:
    """All stages; the report of the last."""
    return bench.index(**overrides)["embeddings"]


def sent(bench: Bench) -> list[str]:
    return [text for request in bench.service.of("embeddings") for text in request.texts]


def batch(*texts: str) -> tuple[StaleVector, ...]:
    return tuple(StaleVector("chunk", text, text) for text in texts)


class Words:
    """An embedder that fails at the texts it is told, and turns others into one vector."""

    name = "words"

    def __init__(self, vector: Vector, **failures: Exception) -> None:
        self.vector, self.failures, self.calls = vector, failures, 0

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.calls += 1
        for text in texts:
            if text in self.failures:
                raise self.failures[text]
        return [self.vector for _ in texts]


def embed(embedder: Words, *texts: str, dimensions: int | None = None) -> tuple[list[str], dict[str, str]]:
    rows, lost = asyncio.run(embed_batch(embedder, batch(*texts), Expected(dimensions)))
    return [row.key for row in rows], {one.item.key: one.failure.reason for one in lost}


@pytest.mark.parametrize("error", [ItemFailed("odd"), CallTooLong("odd")], ids=lambda e: type(e).__name__)
def test_a_batch_that_fails_is_halved_down_to_the_culprit(error: Exception) -> None:
    assert embed(Words([0.6, 0.8], c=error), "a", "b", "c", "d", "e") == (["a", "b", "d", "e"], {"c": "odd"})


def test_a_service_that_is_busy_fails_the_whole_batch() -> None:
    with pytest.raises(CallUnavailable):
        embed(Words([0.6, 0.8], c=CallUnavailable("busy")), "a", "b", "c")


@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        ([0.6, 0.6], "not of norm 1"),
        ([0.0, 0.0], "not of norm 1"),
        ([float("nan"), 1.0], "not of norm 1"),
        ([0.0, 0.6, 0.8], "of 3 dimensions, the index has 2: is DRIFT_EMBEDDING_MODEL"),
    ],
)
def test_a_vector_that_does_not_fit_is_refused(vector: Vector, reason: str) -> None:
    done, lost = embed(Words(vector), "a", "b", dimensions=2)
    assert done == []
    assert lost.keys() == {"a", "b"}
    assert all(reason in text for text in lost.values())


def test_the_first_good_vector_sets_the_dimension() -> None:
    expected = Expected(None)
    assert expected.flaw([3.0, 4.0]) is not None
    assert expected.flaw([0.0, 0.6, 0.8]) is None
    assert "the index has 3" in str(expected.flaw([0.6, 0.8]))


def test_vectors_that_do_not_fit_are_paid_for_once() -> None:
    embedder = Words([0.6, 0.8])
    done, lost = embed(embedder, *"abcdefgh", dimensions=3)
    assert (done, len(lost), embedder.calls) == ([], 8, 1)


def test_vectors_in_use_are_kept_by_their_own_model_and_others_are_built_beside() -> None:
    def state(model: str | None, vectors: str) -> IndexState:
        return IndexState(None, None, False, model, None, vectors)

    assert target_suffix(None, "m") == ""
    assert target_suffix(state(None, ""), "m") == ""
    assert target_suffix(state("m", ""), "m") == ""
    assert target_suffix(state("other", ""), "m") == "_2"
    assert target_suffix(state("m", "_2"), "m") == "_2"
    assert target_suffix(state("other", "_2"), "m") == ""


def test_exactly_the_right_nodes_have_a_vector_of_the_dimension(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.answer("report", lambda request: rated(3 if "Quill" in request.input else 8))
    report = index(bench, max_community_size=3)
    assert bench.values(VECTORS) == bench.values(WANTED)
    assert {row[0] for row in bench.values(VECTORS)} == {"__Entity__", "__Chunk__", "__Community__"}
    assert bench.values(USED) == [("openai:text-embedding-3-small", 16, "")]
    assert bench.values(INDEXES) == ["chunk", "community", "entity"]
    assert report.new == len(bench.values(VECTORS))
    assert bench.notes.stages["embeddings"] == [report.new, report.new, 0]
    assert report.facts["rated_above"] == 3.0


def rated(rating: float) -> dict[str, Any]:
    return {"title": "T", "summary": f"S{rating}", "rating": rating, "rating_explanation": "R", "findings": []}


def test_where_no_report_is_rated_above_the_setting_all_are_embedded(bench: Bench) -> None:
    bench.write({"row.txt": ROW})
    bench.service.answer("report", lambda request: rated(2))
    index(bench)
    assert bench.values("MATCH (m:__Community__) WHERE m.embedding IS NULL RETURN m.id") == []


def test_another_rating_to_reach_embeds_and_drops_reports_alone(bench: Bench) -> None:
    bench.write({"row.txt": ROW})
    ratings = iter([2, 5, 8])
    bench.service.answer("report", lambda request: rated(next(ratings)))
    index(bench, concurrency=1)
    with_vector = "MATCH (m:__Community__) WHERE m.embedding IS NOT NULL RETURN m.rating ORDER BY m.rating"
    assert bench.values(with_vector) == [5, 8]
    report = bench.perform("embeddings", min_rating=6)
    assert bench.values(with_vector) == [8]
    assert (report.new, report.deleted, report.usage.calls) == (0, 1, 0)
    assert bench.perform("embeddings", min_rating=1).new == 2
    assert bench.values(with_vector) == [2, 5, 8]


def test_equal_chunks_are_sent_once_and_all_have_the_vector(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": HARBOUR, "c.txt": MUSEUM})
    index(bench)
    assert sent(bench).count(HARBOUR) == 1
    assert bench.values("MATCH (c:__Chunk__) WHERE c.embedding IS NULL RETURN c.id") == []
    bench.write({"d.txt": MUSEUM, "c.txt": None})
    bench.service.forget()
    index(bench)
    assert MUSEUM not in sent(bench)
    assert bench.values("MATCH (c:__Chunk__) WHERE c.embedding IS NULL RETURN c.id") == []


def test_only_what_changed_is_sent(bench: Bench) -> None:
    bench.write(CORPUS)
    index(bench)
    bench.service.forget()
    bench.write({"more.txt": "Ada Quill collects old clocks."})
    index(bench)
    assert "Ada Quill collects old clocks." in sent(bench)
    assert not [text for text in sent(bench) if text.startswith("Fog Organ")]


@pytest.mark.parametrize("fault", ["wrong-dimension", "wrong-count"])
def test_wrong_vectors_of_the_service_are_failures_that_the_next_run_mends(bench: Bench, fault: str) -> None:
    bench.write(CORPUS)
    bench.index(until="reports")
    total = bench.perform("embeddings").new
    bench.values("MATCH (n:__Chunk__|__Entity__) REMOVE n.embedding, n.embedded")
    bench.service.fail_all(fault, on="embeddings")
    report = bench.perform("embeddings")
    assert report.failed == len(bench.values("MATCH (n:__Chunk__|__Entity__) RETURN n.name"))
    assert report.new == 0
    assert bench.notes.stages["embeddings"] == [report.failed] * 1 + [report.failed, report.failed]
    bench.service.fail_all(None, on="embeddings")
    again = bench.perform("embeddings")
    assert (again.failed, again.new + again.reused) == (0, total)


def test_a_service_that_is_busy_fails_its_batch_and_the_next_run_goes_on(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index(until="reports")
    bench.service.fail(1, "500", on="embeddings")
    report = bench.perform("embeddings", concurrency=1)
    assert report.failed == len(bench.values("MATCH (e:__Entity__) RETURN e.name"))
    assert report.new > 0
    assert bench.perform("embeddings").failed == 0


def test_a_limit_keeps_what_was_finished(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index(until="reports")
    with pytest.raises(LimitReached):
        bench.perform("embeddings", concurrency=1, max_calls=1)
    assert bench.values("MATCH (e:__Entity__) WHERE e.embedding IS NULL RETURN e.name") == []
    assert bench.perform("embeddings").usage.embedding_calls == 2


def test_another_dimension_of_the_same_model_is_an_index_of_its_own(bench: Bench) -> None:
    bench.write(CORPUS)
    index(bench)
    report = bench.perform("embeddings", embedding_dimensions=8)
    assert report.failed == 0
    assert bench.values(USED) == [("openai:text-embedding-3-small@8", 8, "_2")]
    assert bench.perform("embeddings", embedding_dimensions=8).usage.calls == 0


def test_another_model_is_built_beside_and_taken_into_use_when_complete(bench: Bench) -> None:
    bench.write(CORPUS)
    first = index(bench)
    bench.service.dimension = 24
    bench.service.fail(2, "401", on="embeddings")
    with pytest.raises(Exception, match="OPENAI_API_KEY"):
        bench.perform("embeddings", embedding_model="other", concurrency=1)
    assert bench.values(USED) == [("openai:text-embedding-3-small", 16, "")], "the old one serves on"
    assert bench.values(VECTORS) == bench.values(WANTED)
    report = bench.perform("embeddings", embedding_model="other")
    assert bench.values(USED) == [("openai:other", 24, "_2")]
    assert bench.values(INDEXES) == ["chunk_2", "community_2", "entity_2"]
    assert bench.values("MATCH (n) WHERE n.embedding IS NOT NULL RETURN count(n)") == [0]
    assert bench.values("MATCH (n) WHERE n.embedding_2 IS NOT NULL RETURN DISTINCT size(n.embedding_2)") == [24]
    assert report.new + report.reused == first.new
    assert bench.perform("embeddings", embedding_model="other").usage.calls == 0


def test_a_change_of_model_that_is_given_up_leaves_nothing_behind(bench: Bench) -> None:
    bench.write(CORPUS)
    index(bench)
    content = bench.content()
    bench.service.fail(2, "401", on="embeddings")
    with pytest.raises(Exception, match="OPENAI_API_KEY"):
        bench.perform("embeddings", embedding_model="other", concurrency=1)
    bench.perform("embeddings")
    assert bench.content() == content
    assert bench.values(INDEXES) == ["chunk", "community", "entity"]


def test_a_copy_made_in_the_middle_of_a_change_of_model_is_embedded_too(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR})
    index(bench)
    bench.service.fail(3, "401", on="embeddings")
    with pytest.raises(Exception, match="OPENAI_API_KEY"):
        bench.perform("embeddings", embedding_model="other", concurrency=1)
    bench.write({"b.txt": HARBOUR})
    index(bench, embedding_model="other")
    assert bench.values("MATCH (c:__Chunk__) WHERE c.embedding_2 IS NULL RETURN c.id") == []


def test_an_index_without_a_text_has_no_model(bench: Bench) -> None:
    report = bench.perform("embeddings")
    assert (report.new, report.reused, report.facts["dimensions"]) == (0, 0, 0)
    assert bench.values(USED) == [(None, None, None)]


def test_a_change_to_one_model_that_became_a_change_to_another_is_no_failure(bench: Bench) -> None:
    bench.write(CORPUS)
    index(bench)
    for dimension, model in ((24, "wide"), (8, "narrow")):
        bench.service.dimension = dimension
        bench.service.fail(3, "401", on="embeddings")
        with pytest.raises(Exception, match="OPENAI_API_KEY"):
            bench.perform("embeddings", embedding_model=model, concurrency=1)
    report = bench.perform("embeddings", embedding_model="narrow")
    assert report.failed == 0
    assert bench.values(USED) == [("openai:narrow", 8, "_2")]
    assert bench.values("MATCH (n) WHERE n.embedding_2 IS NOT NULL RETURN DISTINCT size(n.embedding_2)") == [8]


def test_a_report_that_lost_its_vector_with_a_change_of_model_gets_one_when_it_needs_one(bench: Bench) -> None:
    bench.write(CORPUS)
    index(bench)
    bench.values("MATCH (m:__Community__) SET m.rating = 5 WITH m ORDER BY m.id LIMIT 1 SET m.rating = 9")
    bench.perform("embeddings", embedding_model="other", min_rating=8)
    bench.perform("embeddings", min_rating=3)
    assert bench.values(VECTORS) == bench.values(WANTED)
