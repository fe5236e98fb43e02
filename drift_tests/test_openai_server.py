"""The local OpenAI server does what tests rely on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from typing import Any

import pytest

from drift_assets.interrupts import STOP_SIGNALS
from drift_tests.openai_faults import FAULTS
from drift_tests.openai_server import Server, openai_server, vector_of


def post(server: Server, path: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return dict(json.load(answer))


def embed(server: Server, text: str = "lamp") -> dict[str, Any]:
    return post(server, "/embeddings", {"model": "m", "input": text})


def test_the_same_request_gets_the_same_answer() -> None:
    with openai_server() as server, openai_server() as other:
        assert embed(server) == embed(other)


def test_texts_with_words_in_common_have_similar_vectors() -> None:
    def likeness(one: str, two: str) -> float:
        pairs = zip(vector_of(one, 256), vector_of(two, 256), strict=True)
        return sum(a * b for a, b in pairs)

    assert likeness("the harbour lamp", "lamp of a harbour") > likeness("the harbour lamp", "a map of pilots")
    assert any(vector_of("", 8))
    assert any(vector_of("the", 8))


def test_requests_that_come_together_are_counted_together() -> None:
    began = time.time()
    with openai_server(latency=0.2) as server:
        threads = [threading.Thread(target=embed, args=(server,)) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.most_at_once == 5
        stats = server.stats()
        assert began - 0.1 <= stats.pop("first_at") <= time.time()
        assert stats == {"requests": 5, "most_at_once": 5, "by_task": {"embeddings": 5}}


def test_shuffled_latency_is_spread_and_repeats_with_its_seed() -> None:
    def drawn(seed: int) -> list[float]:
        return [Server(latency=1, shuffle=seed).seconds({"input": text}) for text in "abcdef"]

    assert drawn(1) == drawn(1) != drawn(2)
    assert max(drawn(1)) - min(drawn(1)) > 0.4
    assert all(0 <= seconds <= 2 for seconds in drawn(1))


def test_faults_are_counted_from_now_on_and_by_task() -> None:
    with openai_server() as server:
        embed(server)
        server.fail(2, "500", on="embeddings")
        embed(server)
        with pytest.raises(OSError, match="500"):
            embed(server)
        embed(server)
        server.fail_all("503")
        with pytest.raises(OSError, match="503"):
            embed(server)
        server.fail_all(None)
        embed(server)
        server.forget()
        assert server.requests == []


def test_a_fault_that_does_not_exist_is_refused() -> None:
    with openai_server() as server, pytest.raises(ValueError, match="no fault 'typo'"):
        server.fail(1, "typo")
    assert len(set(FAULTS)) == len(FAULTS)


def test_scripted_outputs_come_in_turn_then_the_makers_own() -> None:
    body = {"model": "m", "input": "x", "text": {"format": {"name": "hyde"}}}

    def said(server: Server) -> str:
        return str(post(server, "/responses", body)["output"][1]["content"][0]["text"])

    with openai_server() as server:
        server.script("hyde", {"answer": "one"}, "raw text")
        server.answer("hyde", lambda request: {"answer": request.input})
        assert [said(server) for _ in range(3)] == ['{"answer": "one"}', "raw text", '{"answer": "x"}']


def ignore_stops() -> None:
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@pytest.mark.parametrize("number", STOP_SIGNALS)
def test_it_runs_alone_shows_its_counts_and_ends_when_told_also_in_the_background(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "drift_tests.openai_server", "--dimension", "16"]
    folder = __file__.rsplit("/", 2)[0]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, preexec_fn=ignore_stops) as process:
        assert process.stdout is not None
        server = Server(url=process.stdout.readline().strip())
        assert len(embed(server)["data"][0]["embedding"]) == 16
        with urllib.request.urlopen(server.url.removesuffix("/v1") + "/stats", timeout=10) as answer:
            assert json.load(answer)["requests"] == 1
        process.send_signal(number)
        assert process.wait(10) == 0
