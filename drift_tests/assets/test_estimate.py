"""What is told before a run, held against what the run then does."""

from __future__ import annotations

import asyncio
from typing import Any

from drift_assets.assets.estimate import Plan, as_json, estimate, plan
from drift_assets.settings import load_settings
from drift_assets.tokens import count_tokens
from drift_tests.assets.bench import FERRY, HARBOUR, MUSEUM, Bench
from drift_tests.assets.test_chunks import LONG


def planned(bench: Bench, **overrides: Any) -> Plan:
    return bench.on_stage(lambda stage: plan(stage.graph, stage.settings, bench.folder), **overrides)


def extractions(bench: Bench, **overrides: Any) -> int:
    bench.service.forget()
    bench.index(until="entities", **overrides)
    return len(bench.service.of("extract"))


def test_the_extractions_that_are_told_are_those_that_are_then_asked_for(bench: Bench) -> None:
    bench.write({"a.txt": LONG, "b.txt": HARBOUR, "c.txt": MUSEUM})
    found = planned(bench)
    assert (found.new, found.changed, found.gone) == (3, 0, 0)
    assert extractions(bench) == found.texts > 3

    bench.write({"moved.txt": HARBOUR, "b.txt": None, "c.txt": FERRY, "d.txt": LONG.replace("number 3", "number 33")})
    before = bench.everything()
    found = planned(bench)
    assert bench.everything() == before
    assert (found.new, found.changed, found.gone) == (2, 1, 1)
    assert extractions(bench) == found.texts > 1

    assert planned(bench).texts == 0
    assert planned(bench, types=("SHIP",)).texts == extractions(bench, types=("SHIP",)) > 3


def test_an_aborted_run_leaves_the_rest_to_be_told(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "b.txt": MUSEUM})
    bench.index(until="chunks")

    assert planned(bench).texts == 2


def test_the_input_of_extractions_is_told_within_five_percent(bench: Bench) -> None:
    bench.write({"a.txt": LONG, "b.txt": HARBOUR})
    told = estimate(planned(bench), bench.settings(), {})["entities"]
    extractions(bench)
    usage = bench.service.of("extract")

    sent = sum(count_tokens(request.instructions) + count_tokens(request.input) for request in usage)
    assert told.exact
    assert told.input_tokens is not None
    assert abs(told.input_tokens - sent) <= 0.05 * sent


def test_without_an_index_everything_is_new_and_later_stages_are_unknown(bench: Bench) -> None:
    bench.write({"a.txt": HARBOUR, "bad.txt": ""})
    found = asyncio.run(plan(None, bench.settings(), bench.folder))
    told = as_json(found, estimate(found, bench.settings(), {}), bench.folder)

    assert told["documents"] == {"new": 1, "changed": 0, "gone": 0, "skipped": 1}
    assert told["stages"]["entities"]["calls"] == 1
    assert told["stages"]["reports"]["calls"] is None
    assert told["calls"] is None
    assert told["cost_usd"] is None


def test_later_stages_take_what_they_took_before_for_each_extraction() -> None:
    settings = load_settings(openai_api_key="test-key-0123456789")
    history = {
        "entities": {"language_calls": 10, "output_tokens": 5_000},
        "summaries": {"language_calls": 5, "input_tokens": 1_000, "output_tokens": 500},
        "reports": {"language_calls": 2, "input_tokens": 2_000, "output_tokens": 800},
    }
    found = Plan(new=1, changed=0, gone=0, skipped=0, texts=20, tokens=4_000, stale_reports=1)

    told = as_json(found, estimate(found, settings, history), settings.home_folder)

    stages = told["stages"]
    assert [stages[name]["calls"] for name in ("entities", "summaries", "reports")] == [20, 10, 5]
    assert [stages[name]["output_tokens"] for name in ("entities", "summaries", "reports")] == [10_000, 1_000, 2_000]
    assert told["calls"] == 35
    assert told["cost_usd"] > 0


def test_each_gleaning_is_another_call() -> None:
    found = Plan(new=1, changed=0, gone=0, skipped=0, texts=20, tokens=4_000)
    key = "test-key-0123456789"

    told = estimate(found, load_settings(openai_api_key=key, gleanings=2), {})["entities"]

    assert (told.calls, told.exact) == (60, False)
    assert estimate(found, load_settings(gleanings=2), {})["entities"].calls == 20
    assert estimate(found, load_settings(), {})["entities"].cost_usd == 0
