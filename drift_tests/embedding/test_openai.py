"""The OpenAI embedder, by the official client, against a real server on loopback."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from drift_assets.embedding import openai as module
from drift_assets.embedding.model import Vector
from drift_assets.embedding.openai import OpenAIEmbedder
from drift_assets.errors import CallError, CallTooLong, ItemFailed, LimitReached, RunStopped
from drift_assets.language.calls import Limiter, Patience
from drift_assets.language.service import open_client
from drift_assets.language.usage import Limits, Meter
from drift_assets.tokens import count_tokens
from drift_tests.openai_server import Server, openai_server, vector_of

QUICK = Patience(attempts=3, timeout=5, first=0.001, longest=0.01)


@dataclass
class Bench:
    """A server, and the embedder that talks to it."""

    server: Server
    meter: Meter

    def embed(self, *lists: Sequence[str], slots: int = 8, **settings: Any) -> list[list[Vector]]:
        """The vectors of each list of texts, embedded one list after the other by one embedder."""

        async def main() -> list[list[Vector]]:
            chosen = self.server.settings(**settings)
            async with open_client(chosen) as client:
                embedder = OpenAIEmbedder(
                    chosen, client=client, meter=self.meter, limiter=Limiter(slots), patience=QUICK
                )
                assert embedder.name == f"openai:{chosen.embedding_model}"
                return [await embedder.embed(texts) for texts in lists]

        return asyncio.run(main())


@pytest.fixture
def bench() -> Iterator[Bench]:
    with openai_server(dimension=32) as server:
        yield Bench(server, Meter())


def unit(vector: Sequence[float]) -> list[float]:
    return [value / math.hypot(*vector) for value in vector]


def test_vectors_come_in_the_order_of_the_texts_and_of_norm_one(bench: Bench) -> None:
    texts = ["the harbour lamp", "a map of Lowe", "the harbour lamp", "pilots"]
    bench.server.fail(1, "shuffled")
    (vectors,) = bench.embed(texts)
    assert vectors == [pytest.approx(unit(vector_of(text, 32)), abs=1e-6) for text in texts]
    assert all(isinstance(value, float) for value in vectors[0])


def test_one_request_holds_what_the_limits_allow(bench: Bench) -> None:
    bench.embed(["a b"] * 100)
    assert [len(request.texts) for request in bench.server.requests] == [100]
    assert bench.server.requests[0].body["model"] == "text-embedding-3-small"


def test_no_request_has_more_inputs_or_tokens_than_the_service_takes(bench: Bench) -> None:
    short, long = ["lamp"] * 2_100, ["harbour lamp " * 3_000] * 60
    (vectors,) = bench.embed(short + long)
    assert len(vectors) == 2_160
    sizes = [len(request.texts) for request in bench.server.requests]
    assert sum(sizes) == 2_160
    assert len(sizes) == 3
    for request in bench.server.requests:
        assert len(request.texts) <= 2_048
        assert sum(count_tokens(text, "cl100k_base") for text in request.texts) <= 300_000


def test_a_text_too_long_for_the_model_is_embedded_by_windows(bench: Bench) -> None:
    text = "harbour " * 9_000 + "lamp " * 9_000
    (vectors,) = bench.embed([text, "lamp"])
    pieces = [piece for request in bench.server.requests for piece in request.texts]
    assert "".join(pieces[:-1]) == text
    assert all(count_tokens(piece, "cl100k_base") <= module.MAX_TEXT_TOKENS for piece in pieces)
    assert len(vectors) == 2
    both = [a + b for a, b in zip(vector_of("harbour", 32), vector_of("lamp", 32), strict=True)]
    assert vectors[0] == pytest.approx(unit(both), abs=0.05)


def test_batches_are_in_flight_together_under_the_limit(bench: Bench) -> None:
    bench.server.latency = 0.1
    bench.embed(["lamp"] * 2_048 * 4, slots=3)
    assert len(bench.server.requests) == 4
    assert bench.server.most_at_once == 3


def test_nothing_to_embed_costs_nothing(bench: Bench) -> None:
    assert bench.embed([]) == [[]]
    assert bench.server.requests == []


def test_a_blank_text_is_sent_as_something_that_the_service_takes(bench: Bench) -> None:
    (vectors,) = bench.embed(["", " \n"])
    assert bench.server.requests[0].texts == [" ", " "]
    assert len(vectors) == 2


def test_a_service_that_takes_less_gets_halves(bench: Bench) -> None:
    bench.server.fail(1, "400-too-long")
    bench.server.fail(2, "400-too-long")
    texts = ["one harbour", "two lamps", "three", "four"]
    assert bench.embed(texts) == [[pytest.approx(unit(vector_of(text, 32)), abs=1e-6) for text in texts]]
    assert [request.texts for request in bench.server.requests] == [texts, texts[:2], texts[:1], texts[1:2], texts[2:]]


def test_a_single_text_is_halved_until_it_is_taken(bench: Bench) -> None:
    text = "harbour lamps " * 5
    bench.server.fail(1, "400-too-long")
    (vectors,) = bench.embed([text])
    assert "".join(bench.server.requests[1].texts) == text
    assert len(bench.server.requests[1].texts) == 2
    assert vectors == [pytest.approx(unit(vector_of(text, 32)), abs=0.1)]


def test_a_service_that_finds_everything_too_long_is_not_asked_for_ever(bench: Bench) -> None:
    bench.server.fail_all("400-too-long")
    with pytest.raises(CallTooLong):
        bench.embed(["harbour lamps " * 50])
    assert len(bench.server.requests) < 20


@pytest.mark.parametrize("fault", ["wrong-count", "not-finite", "zero"])
def test_vectors_that_the_index_would_take_in_silence_fail_the_item(bench: Bench, fault: str) -> None:
    bench.server.fail(1, fault)
    with pytest.raises(ItemFailed, match="text-embedding-3-small gave"):
        bench.embed(["lamp", "map"])
    assert len(bench.server.requests) == 1


def test_another_dimension_than_before_fails_the_item(bench: Bench) -> None:
    bench.server.fail(2, "wrong-dimension")
    with pytest.raises(ItemFailed, match="31 dimensions, not 32"):
        bench.embed(["lamp"], ["map"])


@pytest.mark.parametrize("fault", ["429-ms", "500", "reset", "cut-off", "web-page", "broken-body"])
def test_what_fails_for_the_time_being_is_asked_again(bench: Bench, fault: str) -> None:
    bench.server.fail(1, fault)
    assert len(bench.embed(["lamp"])[0]) == 1
    assert bench.meter.usage.embedding_calls == len(bench.server.requests) == 2


@pytest.mark.parametrize(("fault", "kind"), [("401", RunStopped), ("404", RunStopped), ("400", ItemFailed)])
def test_a_failure_of_one_batch_is_raised_as_itself(bench: Bench, fault: str, kind: type[CallError]) -> None:
    bench.server.fail_all(fault)
    with pytest.raises(kind) as caught:
        bench.embed(["lamp"] * 5_000)
    assert "test-key" not in repr(caught.value)


def test_a_limit_that_is_reached_is_raised_as_itself(bench: Bench) -> None:
    bench.meter.limits = Limits(calls=1)
    with pytest.raises(LimitReached):
        bench.embed(["lamp"] * 5_000)
    assert bench.meter.usage.embedding_calls == 1


def test_calls_and_tokens_are_counted_and_the_cost_of_a_local_service_is_unknown(bench: Bench) -> None:
    bench.embed(["the harbour lamp", "pilots"])
    usage = bench.meter.usage
    assert (usage.embedding_calls, usage.language_calls, usage.input_tokens) == (1, 0, 0)
    assert usage.embedding_tokens == 5 + 2
    assert usage.cost_usd is None
