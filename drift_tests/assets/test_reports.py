"""The reports stage: leaves first, children for what is too big, no call for what is unchanged."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from drift_assets.assets.report import StageReport
from drift_assets.assets.reports import report, report_task
from drift_assets.errors import CallTooLong
from drift_assets.graph.reports import ChildRow, Material, MemberRow, TieRow
from drift_assets.language.tasks import CommunityReport, Report
from drift_assets.tokens import count_tokens
from drift_tests.assets.bench import ALONE, CORPUS, ROW, Bench
from drift_tests.scripted import ScriptedLanguageModel

MANY = Material(
    tuple(MemberRow(f"Member {n}", "PERSON", f"Keeps lamp number {n} on the pier.", 9.0 - n) for n in range(9)),
    tuple(TieRow(f"Member {n}", f"Member {n + 1}", f"They share watch number {n}.", 9.0 - n) for n in range(8)),
    tuple(ChildRow(f"Child {n}", f"Group {n} keeps the lamps of the pier.", 9.0 - n) for n in range(4)),
)


def index(bench: Bench, **overrides: Any) -> StageReport:
    """The stages up to reports; the report of the latter."""
    return bench.index(until="reports", **overrides)["reports"]


def size(task: Report) -> int:
    return sum(count_tokens(item.model_dump_json()) for item in (*task.members, *task.ties, *task.children))


def test_what_fits_is_told_whole_and_without_the_children() -> None:
    task = report_task(MANY, 8000)
    assert (len(task.members), len(task.ties), len(task.children)) == (9, 8, 0)


def test_of_what_is_too_big_the_heaviest_and_the_children_are_told() -> None:
    task = report_task(MANY, 300)
    assert size(task) <= 300
    assert [m.name for m in task.members] == [f"Member {n}" for n in range(len(task.members))]
    assert 0 < len(task.ties) < 8
    assert [c.title for c in task.children] == [f"Child {n}" for n in range(4)]


def test_without_children_the_members_and_ties_have_all_the_room() -> None:
    alone = Material(MANY.members, MANY.ties, ())
    assert len(report_task(alone, 300).members) > len(report_task(MANY, 300).members)


def test_something_is_told_however_little_fits() -> None:
    task = report_task(MANY, 1)
    assert (len(task.members), len(task.ties), len(task.children)) == (1, 1, 1)


def too_long(limit: int) -> ScriptedLanguageModel:
    def answer(task: Any) -> CommunityReport:
        if size(task) > limit:
            raise CallTooLong("too long")
        return CommunityReport(title="T", summary="S", rating=5, rating_explanation="R", findings=[])

    return ScriptedLanguageModel(answer)


def test_what_the_model_finds_too_long_is_told_with_half_as_much() -> None:
    model = too_long(250)
    asyncio.run(report(model, MANY, report_task(MANY, 8000)))
    sizes = [size(task) for task in model.asked(Report)]
    assert len(sizes) > 1
    assert all(later <= earlier / 2 for earlier, later in pairwise(sizes))


def test_what_stays_too_long_fails_and_is_never_asked_alike() -> None:
    model = too_long(0)
    with pytest.raises(CallTooLong):
        asyncio.run(report(model, MANY, report_task(MANY, 8000)))
    asked = model.asked(Report)
    assert all(earlier != later for earlier, later in pairwise(asked))
    assert len(asked[-1].members) == 1


def test_every_community_has_a_report_and_single_entities_cost_no_call(bench: Bench) -> None:
    bench.write({"row.txt": ROW, "alone.txt": ALONE})
    told = index(bench, max_community_size=3)
    several = bench.values("MATCH (m:__Community__) WHERE m.size > 1 RETURN count(m)")[0]
    assert told.usage.language_calls == told.facts["written"] == several == 5
    assert told.facts["copied"] == 1
    assert bench.values("MATCH (m:__Community__) WHERE m.title IS NULL RETURN m.id") == []
    assert bench.values("MATCH (m:__Community__ {title: 'Wren'}) RETURN m.summary, m.rating") == [(ALONE, 0.0)]


def test_leaves_are_reported_first_and_a_big_parent_tells_of_its_children(bench: Bench) -> None:
    bench.write({"row.txt": ROW})
    bench.index(until="communities", max_community_size=3)
    bench.values("MATCH (e:__Entity__) SET e.summary = $long", long=" ".join(f"word{n}" for n in range(300)))
    bench.perform("reports", max_community_size=3, context_tokens=1600)
    asked = [request.input for request in bench.service.of("report")]
    titles = bench.values("MATCH (m:__Community__ {level: 1}) RETURN m.title")
    telling = [number for number, text in enumerate(asked) if all(title in text for title in titles)]
    assert (len(asked), len(telling)) == (5, 1), "the parent of the two pairs is told of both"
    assert telling[0] >= 2, "after them"


def test_a_change_that_leaves_the_material_as_it_is_costs_no_call(bench: Bench) -> None:
    bench.write(CORPUS)
    index(bench)
    bench.write({"ferry.txt": None, "boats/ferry.txt": CORPUS["ferry.txt"]})
    bench.service.forget()
    told = index(bench)
    assert bench.service.of("report") == []
    assert told.new == 0
    assert bench.values("MATCH (m:__Community__ {stale: true}) RETURN m.id") == []


def test_a_failed_report_is_kept_and_a_retry_pays_for_it_alone(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.fail(1, "refusal", on="report")
    told = index(bench, max_community_size=3)
    assert (told.failed, told.failures[0].stage) == (1, "reports")
    left = index(bench, max_community_size=3)
    assert (left.failed, left.usage.language_calls) == (1, 0), "it would only fail again"
    assert bench.retry() == 1
    again = index(bench, max_community_size=3)
    assert again.failed == 0
    assert again.facts["written"] >= 1
    assert len(bench.service.of("report")) == told.facts["written"] + 1 + again.facts["written"]


def test_truncated_output_is_asked_for_with_less(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.fail(1, "truncated", on="report")
    told = index(bench, concurrency=1)
    assert told.failed == 0
    first, second = bench.service.of("report")[:2]
    assert len(second.input) < len(first.input)


def test_a_parent_whose_children_are_gone_is_told_anew(bench: Bench) -> None:
    bench.write({"row.txt": ROW})
    bench.index(until="communities", max_community_size=3)
    long = " ".join(f"word{n}" for n in range(100))
    bench.values("MATCH (e:__Entity__) SET e.summary = $long", long=long)
    bench.perform("reports", max_community_size=3, context_tokens=500)
    bench.service.forget()
    bench.perform("communities", max_community_size=100)
    told = bench.perform("reports", max_community_size=100, context_tokens=500)
    assert told.facts["written"] == len(bench.service.of("report")) == 1
    assert bench.values("MATCH (m:__Community__) RETURN count(m)") == [3]
