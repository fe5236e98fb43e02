"""Texts become unit vectors in which likeness of meaning shows."""

from __future__ import annotations

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.embedding.minilm import WINDOW, MiniLMEmbedder, alike
from drift_assets.embedding.model import Vector
from drift_assets.errors import LimitReached
from drift_assets.language.usage import Limits, Meter
from drift_assets.settings import Settings


def embed(texts: list[str], meter: Meter | None = None) -> list[Vector]:
    return asyncio.run(MiniLMEmbedder(Settings(), meter or Meter()).embed(texts))


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_the_name_tells_the_model() -> None:
    assert MiniLMEmbedder(Settings(), Meter()).name == "minilm:all-MiniLM-L6-v2"


def test_every_text_has_one_unit_vector_of_384_dimensions() -> None:
    vectors = embed(["The lighthouse keeper rowed home.", "", "née Åsa", "word " * 2000])
    assert [len(vector) for vector in vectors] == [384] * 4
    assert all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5) for vector in vectors)


def test_like_meanings_are_nearer_than_unlike_ones() -> None:
    boat, ship, tax = embed(["A boat sails on the lake.", "The ship crosses the water.", "Income tax is due in April."])
    assert cosine(boat, ship) > cosine(boat, tax) + 0.3


def test_order_and_company_do_not_change_a_vector() -> None:
    texts = [f"Sentence {number} " + "and more " * number for number in range(40)]
    together = embed(texts)
    backwards = embed(texts[::-1])[::-1]
    alone = embed(texts[3:4])[0]
    assert all(cosine(one, other) > 0.99999 for one, other in zip(together, backwards, strict=True))
    assert cosine(together[3], alone) > 0.99999


def test_the_end_of_a_long_text_counts_as_much_as_its_beginning() -> None:
    storm, bread = "The storm broke the mast. " * 80, "She bakes bread at dawn. " * 80
    mixed, first, second = embed([storm + bread, storm, bread])
    assert abs(cosine(mixed, first) - cosine(mixed, second)) < 0.1
    assert cosine(mixed, second) > 0.6


def test_a_text_of_one_window_is_not_cut_at_128_pieces() -> None:
    base = "river " * 150
    assert WINDOW > 210
    plain, ended = embed([base + "river " * 60, base + "volcano " * 60])
    assert cosine(plain, ended) < 0.99


def test_calls_tokens_and_no_cost_are_counted() -> None:
    meter = Meter()
    embed(["one two three", "four five six"], meter)
    usage = meter.usage
    assert (usage.embedding_calls, usage.embedding_tokens, usage.language_calls) == (1, 6, 0)
    assert usage.cost_usd == 0


def test_nothing_to_embed_is_no_call() -> None:
    meter = Meter()
    assert embed([], meter) == []
    assert meter.usage.calls == 0


def test_the_limit_on_calls_holds() -> None:
    with pytest.raises(LimitReached):
        embed(["a text"], Meter(limits=Limits(calls=0)))


def test_the_limit_on_calls_holds_with_two_at_once() -> None:
    meter = Meter(limits=Limits(calls=2))
    with pytest.raises(LimitReached, match="the limit of 2 calls is reached"):
        embed(["harbour " * WINDOW] * 40, meter)
    assert meter.usage.calls == 2


@given(st.lists(st.integers(0, WINDOW), min_size=1, max_size=60).map(sorted))
def test_windows_computed_together_are_padded_little(lengths: list[int]) -> None:
    runs = list(alike([[1] * length for length in lengths]))
    assert [len(window) for run in runs for window in run] == lengths
    padding = sum(len(run[-1]) - len(window) for run in runs for window in run)
    assert padding <= 12 * (len(lengths) - len(runs))
