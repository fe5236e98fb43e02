"""`drift index` and `drift ask` stopped by a signal while a call is under way, and started again."""

import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from drift_assets.runs.instance import open_instance
from drift_tests.cli.conftest import Drift
from drift_tests.openai_server import Server, openai_server


def variables(server: Server) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "test-key-0123456789",
        "OPENAI_BASE_URL": server.url,
        "DRIFT_LANGUAGE": "openai",
        "DRIFT_EMBEDDING": "openai",
        "DRIFT_CONCURRENCY": "1",
    }


def test_an_interrupted_index_keeps_what_is_done_and_goes_on(drift: Drift) -> None:
    with openai_server() as server:
        server.latency = 0.5
        index = drift.start("index", "corpus", "--json", **variables(server))
        while len(server.requests) < 2:
            assert index.poll() is None, index.communicate()
            time.sleep(0.05)
        index.send_signal(signal.SIGTERM)
        output, errors = index.communicate(timeout=60)
        assert (index.returncode, output) == (130, "")
        assert errors.splitlines()[-1] == "interrupted; run `drift index` again: it goes on from there"
        with open_instance(drift.settings) as instance:
            assert instance.get_runs(limit=1)[0].status.value == "CANCELED"

        server.latency = 0.0
        done = [request.input for request in server.requests[:1]]
        server.requests.clear()
        assert drift.json("index", "corpus", **variables(server))["failed"] == 0
        assert done[0] not in [request.input for request in server.requests if request.task == "extract"]


def ask_until(drift: Drift, server: Server, task: str, number: signal.Signals) -> tuple[int, str, str]:
    """Exit code, output and last line of a search that gets the signal while such a call is under way."""
    server.forget()
    server.latency = 0.5
    asking = drift.start("ask", "Who built the bridge?", **variables(server))
    while not server.of(task):
        assert asking.poll() is None, asking.communicate()
        time.sleep(0.05)
    asking.send_signal(number)
    output, errors = asking.communicate(timeout=60)
    server.latency = 0.0
    return asking.returncode, output, (errors.splitlines() or [""])[-1]


def traced(drift: Drift, server: Server, *search: str) -> Any:
    return drift.json("trace", *search, **variables(server))


@pytest.fixture(scope="module")
def indexed(drift: Drift) -> Iterator[Server]:
    """The service, by which the corpus is indexed."""
    with openai_server() as server:
        assert drift.json("index", "corpus", **variables(server))["failed"] == 0
        yield server


def test_an_interrupted_round_keeps_its_answers_and_says_how_to_use_them(drift: Drift, indexed: Server) -> None:
    code, output, line = ask_until(drift, indexed, "answer", signal.SIGINT)
    search = traced(drift, indexed)
    id = search["search_id"]
    assert (code, output, search["status"]) == (130, "", "canceled")
    assert line == (
        f"interrupted; `drift ask --replay {id}` answers from what was found so far, `drift trace {id}` shows it"
    )
    indexed.forget()
    again = drift.json("ask", "--replay", id, **variables(indexed))
    assert (again["status"], [request.task for request in indexed.requests]) == ("complete", ["reduce"])


def test_a_search_interrupted_before_its_first_answer_says_to_ask_again(drift: Drift, indexed: Server) -> None:
    code, output, line = ask_until(drift, indexed, "hyde", signal.SIGTERM)
    assert (code, output, line) == (130, "", "interrupted; nothing was answered yet: ask again")
    assert traced(drift, indexed)["status"] == "canceled"


def test_the_search_of_a_killed_process_is_closed_by_the_next_start(drift: Drift, indexed: Server) -> None:
    ask_until(drift, indexed, "prime", signal.SIGKILL)
    killed = traced(drift, indexed)
    assert killed["status"] == "running"
    drift.json("ask", "Who built the bridge?", **variables(indexed))
    assert traced(drift, indexed, killed["search_id"])["status"] == "failed"
