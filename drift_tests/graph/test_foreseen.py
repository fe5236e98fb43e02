"""The queries of an index run are known beforehand, and planning them changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drift_assets.assets.versions import STAGES
from drift_assets.graph.address import Address
from drift_assets.graph.foreseen import foreseen, likeness, plan, plan_beginning
from drift_tests.assets.bench import CORPUS, ROW, Bench
from drift_tests.database import query
from drift_tests.graph.sent import sent_by_stage, sent_in_order
from drift_tests.graph.writing import on
from drift_tests.openai_server import openai_server

EVERYTHING = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN n, collect(properties(r)) AS ties"


def test_every_query_of_a_run_is_foreseen(clean_address: Address, tmp_path: Path) -> None:
    with openai_server() as service, sent_by_stage() as sent:
        bench = Bench(clean_address, service, tmp_path)
        bench.write({**CORPUS, "row.txt": ROW})
        bench.index(max_community_size=3)
    known = {text for queries in foreseen().values() for text, _ in queries}
    missing = [text for queries in sent.values() for text in queries if text not in known]
    assert missing == [], "run .venv/bin/python -m scripts.pin_queries"


def test_they_stand_by_stage_in_the_order_of_the_stages() -> None:
    assert list(foreseen()) == list(STAGES)


def test_planning_changes_nothing(clean_address: Address) -> None:
    on(clean_address, plan_beginning)
    before = sorted(map(str, query(clean_address, EVERYTHING)))
    on(clean_address, lambda graph: plan(graph, ["entities"]))
    assert sorted(map(str, query(clean_address, EVERYTHING))) == before


@pytest.fixture
def sent() -> Iterator[list[str]]:
    with sent_in_order() as queries:
        yield queries


def test_a_stage_and_the_next_are_planned_in_the_order_of_their_queries(
    clean_address: Address, sent: list[str]
) -> None:
    on(clean_address, lambda graph: plan(graph, ["reports", "embeddings"]))
    wanted = [text for stage in ("reports", "embeddings") for text, _ in foreseen()[stage]]
    assert sent[-len(wanted) :] == ["EXPLAIN " + text for text in wanted]


@pytest.mark.parametrize(("documents", "planned"), [(1, False), (5, True)])
def test_a_stage_with_many_calls_plans_meanwhile(
    clean_address: Address, tmp_path: Path, sent: list[str], documents: int, planned: bool
) -> None:
    with openai_server(latency=0.05) as service:
        bench = Bench(clean_address, service, tmp_path)
        bench.write({f"{n}.txt": f"Ada Quill sailed ship number {n} to Port Merrin." for n in range(documents)})
        bench.index(until="chunks")
        bench.perform("entities", concurrency=1)
    assert any(text.startswith("EXPLAIN ") for text in sent) == planned


@pytest.mark.parametrize(
    ("value", "like"), [("ab", ".."), (["a", "b"], [2]), (7, 7), (0.5, 0.5), (True, True), (None, None)]
)
def test_of_a_parameter_what_a_plan_depends_on_is_kept(value: object, like: object) -> None:
    assert likeness(value) == like
