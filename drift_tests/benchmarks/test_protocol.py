from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.home import Home
from benchmarks.protocol import AT_ONCE, Held, longest_chain, run
from benchmarks.service import Counts

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


@pytest.mark.soak
def test_index_and_search_are_held_against_their_calls(home: Home, document: Path) -> None:
    limited = replace(home, settings={**home.settings, "DRIFT_CONCURRENCY": str(AT_ONCE)})

    index, search, *later = run(limited, document, "Who built the Fog Organ?", 0.05, 0.05)

    assert {"extract", "summarise", "report", "embeddings"} <= set(index.counts.by_task)
    assert 1 < index.counts.most_at_once <= AT_ONCE
    assert index.ideal == pytest.approx(index.counts.requests * 0.05 / AT_ONCE)
    assert {"hyde", "prime", "answer", "reduce", "embeddings"} == set(search.counts.by_task)
    assert search.counts.most_at_once <= AT_ONCE
    assert search.ideal >= 0.05 * 9
    assert search.measured > search.ideal
    assert index.before > 0 < search.before
    assert [one.what.split(",")[0] for one in later] == ["second search", "third search"]


def questions(*rounds: int, status: str = "answered") -> list[dict[str, object]]:
    return [{"round": number, "status": status} for number in rounds]


@pytest.mark.parametrize(
    ("asked", "chain"),
    [
        (questions(0), 5),
        (questions(0, 1), 6),
        (questions(0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2), 7),
        (questions(0, 1, 1, 1, 1, 1, 1, 2), 8),
        (questions(0, 1) + questions(1, 2, status="dropped"), 6),
        (questions(0, 1) + questions(2, status="failed"), 7),
    ],
)
def test_the_longest_chain_is_of_all_calls_but_those_of_one_round(asked: list[dict[str, object]], chain: int) -> None:
    others = {"embeddings": 2, "hyde": 1, "prime": 1, "reduce": 1}
    assert longest_chain({**others, "answer": 99}, asked, parallel=5) == chain


@pytest.mark.parametrize(("measured", "kept"), [(12.9, "yes"), (13.1, "no")])
def test_a_time_is_kept_or_not(measured: float, kept: str) -> None:
    held = Held("index", Counts(40, 8, {}), ideal=10.0, measured=measured, allowed=13.0, before=4.0)

    assert held.row() == ["index", 40, 8, 4.0, 10.0, measured, pytest.approx(measured / 10), 13.0, kept]
