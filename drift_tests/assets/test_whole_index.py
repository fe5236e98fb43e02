"""All stages together: twice, incrementally, with failures, in any order of answers."""

from __future__ import annotations

import pytest

from drift_assets.errors import RunStopped
from drift_tests.assets.bench import CORPUS, FERRY, HARBOUR, ROW, Bench, calls

SECOND = "Silas Wren built the Fog Organ for Port Merrin. Martha Reeve paid Silas Wren."


def test_a_second_run_makes_no_call_and_writes_nothing(bench: Bench) -> None:
    bench.write({**CORPUS, "row.txt": ROW})
    first = bench.index(max_community_size=3)
    before = bench.everything()
    bench.service.forget()
    second = bench.index(max_community_size=3)
    assert bench.service.requests == []
    assert calls(second).calls == 0
    assert bench.everything() == before
    assert all((report.new, report.deleted, report.failed) == (0, 0, 0) for report in second.values())
    assert [report.reused for report in second.values()] == [report.new for report in first.values()]
    assert [report.data_version for report in second.values()] == [report.data_version for report in first.values()]


def test_an_index_kept_up_to_date_equals_one_made_from_scratch(bench: Bench) -> None:
    bench.write({**CORPUS, "row.txt": ROW})
    bench.index(max_community_size=3, clustering="exact")
    for edit in (
        {"second.txt": SECOND, "ferry.txt": FERRY.replace("met Tobias Lund", "met Silas Wren")},
        {"row.txt": ROW.replace(", Ida", ""), "harbour.txt": None, "moved/harbour.txt": HARBOUR},
        {"museum.txt": None, "copy.txt": SECOND},
    ):
        bench.write(edit)
        bench.index(max_community_size=3, clustering="exact")
    kept = bench.content()
    bench.values("MATCH (n) DETACH DELETE n")
    bench.index(max_community_size=3, clustering="exact")
    assert kept == bench.content()


def test_answers_in_another_order_make_the_same_index(bench: Bench) -> None:
    bench.write({**CORPUS, "row.txt": ROW})
    bench.index(concurrency=1)
    plain = bench.content()
    bench.values("MATCH (n) DETACH DELETE n")
    bench.service.latency, bench.service.shuffle = 0.01, 3
    bench.index(concurrency=8)
    assert bench.content() == plain


def test_calls_in_flight_never_exceed_the_setting(bench: Bench) -> None:
    bench.write({f"{n}.txt": f"Ada Quill sailed ship number {n} to Port Merrin." for n in range(12)})
    bench.service.latency = 0.02
    bench.index(concurrency=3)
    assert bench.service.most_at_once == 3


@pytest.mark.parametrize("fault", ["refusal", "prose"])
def test_failed_items_never_stop_the_later_stages_and_a_retry_mends_them(bench: Bench, fault: str) -> None:
    bench.write({**CORPUS, "row.txt": ROW})
    bench.service.fail(2, fault, on="extract")
    if fault == "prose":
        bench.service.fail(3, fault, on="extract")
    spoilt = bench.index(concurrency=1)
    assert {name: report.failed for name, report in spoilt.items() if report.failed} == {"entities": 1}
    assert spoilt["embeddings"].new > 0
    assert bench.values("MATCH (m:__Community__) WHERE m.title IS NULL RETURN m.id") == []
    bench.service.forget()
    bench.retry()
    mended = bench.index(concurrency=1)
    assert len(bench.service.of("extract")) == 1
    assert all(report.failed == 0 for report in mended.values())
    kept = bench.content()
    bench.values("MATCH (n) DETACH DELETE n")
    bench.index()
    assert kept == bench.content()


def test_each_stage_keeps_its_own_failures(bench: Bench) -> None:
    bench.write({"a.txt": "Tobias Lund met Ada Quill.", "b.txt": "Tobias Lund left Ada Quill."})
    for task in ("summarise", "report", "embeddings"):
        bench.service.fail_all("400-filtered", on=task)
    reports = bench.index()
    assert {name: report.failed for name, report in reports.items()} == {
        "chunks": 0,
        # The vectors of their names.
        "entities": 2,
        "summaries": 3,
        "communities": 0,
        "reports": 1,
        "embeddings": 4,
    }
    assert {item.stage for report in reports.values() for item in report.failures} == {
        "entities",
        "summaries",
        "reports",
        "embeddings",
    }
    bench.service.forget()
    assert bench.retry() == 10
    assert all(report.failed == 0 for report in bench.index().values())


def test_a_run_that_is_stopped_in_any_stage_goes_on_and_repeats_no_finished_call(bench: Bench) -> None:
    bench.write({**CORPUS, "row.txt": ROW})
    bench.index(max_community_size=3)
    undisturbed, needed = bench.content(), len(bench.service.requests)
    bench.values("MATCH (n) DETACH DELETE n")
    bench.service.forget()
    stops = (("extract", 3), ("summarise", 2), ("report", 2), ("embeddings", 2))
    for task, number in stops:
        bench.service.fail(number, "insufficient_quota", on=task)
        with pytest.raises(RunStopped, match="add credit"):
            bench.index(max_community_size=3, concurrency=1)
    bench.index(max_community_size=3, concurrency=1)
    assert bench.content() == undisturbed
    assert len(bench.service.requests) == needed + len(stops), "the refused calls alone are asked again"
