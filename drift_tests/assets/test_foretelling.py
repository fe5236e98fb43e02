"""What a run says of its cost before it pays, and of what remains when a limit ends it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drift_assets.assets.embeddings import embed_nodes
from drift_assets.assets.entities import extract_entities
from drift_assets.assets.foretelling import foretell, telling_the_rest
from drift_assets.errors import LimitReached
from drift_tests.assets.bench import FERRY, HARBOUR, MUSEUM, Bench

HISTORY = {
    "entities": {"language_calls": 10, "output_tokens": 5_000},
    "summaries": {"language_calls": 20, "input_tokens": 1_000, "output_tokens": 500},
}


def test_a_run_says_what_it_will_take_before_it_pays_and_what_remains_at_a_limit(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": MUSEUM, "c.txt": FERRY, "bad.txt": ""})
    synced = bench.index(until="chunks")["chunks"]
    bench.notes.lines.clear()
    bench.service.forget()

    bench.on_stage(lambda stage: foretell(stage, synced, lambda: HISTORY))

    documents, entities, _, summaries, _, together = bench.notes.lines
    assert documents == "documents: 3 new, 0 changed, 0 gone, 1 skipped"
    assert entities.startswith("entities: 3 calls, ")
    assert "1,500 out" in entities
    assert summaries.startswith("summaries: about 6 calls, 300 tokens in, 150 out")
    assert together.startswith("Together: ")
    assert bench.service.requests == []

    extract = telling_the_rest(extract_entities, lambda: HISTORY)
    with pytest.raises(
        LimitReached, match=r"limit of 1 call .* what remains is entities: 2 calls, .*; Together: .*, and what follows"
    ):
        bench.on_stage(extract, max_calls=1, concurrency=1)


def test_a_limit_before_calls_that_no_estimate_foresees_names_the_stage_and_no_sum(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR})
    bench.index(until="reports")
    embed = telling_the_rest(embed_nodes, lambda: HISTORY)

    with pytest.raises(LimitReached) as raised:
        bench.on_stage(lambda stage: embed(replace(stage, name="embeddings")), max_calls=1, concurrency=1)

    assert str(raised.value).endswith(
        "; what is finished is kept, and what remains is the rest of the stage embeddings"
    )


def test_nothing_is_said_where_nothing_is_due_or_nothing_is_paid(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR})
    synced = bench.index()["chunks"]
    bench.notes.lines.clear()

    bench.on_stage(lambda stage: foretell(stage, synced, lambda: HISTORY))
    bench.on_stage(lambda stage: foretell(stage, synced, lambda: HISTORY), language="extractive", model="another")

    assert bench.notes.lines == []
