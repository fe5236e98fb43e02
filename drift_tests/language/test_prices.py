"""A price that is not known is unknown, never nothing."""

from __future__ import annotations

import pytest

from drift_assets.language.prices import price_usd


def test_a_listed_model_has_a_price_that_grows_with_its_tokens() -> None:
    thousand = price_usd("gpt-5-mini", base_url=None, input_tokens=1000, output_tokens=1000)
    assert thousand is not None
    assert thousand > 0
    twice = price_usd("gpt-5-mini", base_url=None, input_tokens=2000, output_tokens=2000)
    assert twice == pytest.approx(2 * thousand)


def test_cached_tokens_cost_less_than_others() -> None:
    fresh = price_usd("gpt-5-mini", base_url=None, input_tokens=1000)
    cached = price_usd("gpt-5-mini", base_url=None, input_tokens=1000, cached_tokens=900)
    assert fresh is not None
    assert cached is not None
    assert 0 < cached < fresh


def test_the_default_embedding_model_has_a_price() -> None:
    assert (price_usd("text-embedding-3-small", base_url=None, input_tokens=1000) or 0) > 0


@pytest.mark.parametrize(
    ("model", "base_url"),
    [
        ("no-such-model", None),
        ("gpt-5-mini", "http://localhost:11434/v1"),
        ("gpt-5-mini", "http://127.0.0.1:8000/v1"),
        ("gpt-5-mini", "http://gpu.lan:8000/v1"),
        ("llama3.2", "https://gateway.example/v1"),
    ],
)
def test_an_unknown_model_or_service_has_no_known_price(model: str, base_url: str | None) -> None:
    assert price_usd(model, base_url=base_url, input_tokens=1000, output_tokens=10) is None


def test_the_price_list_of_the_service_itself_is_used() -> None:
    named = price_usd("gpt-5-mini", base_url="https://api.openai.com/v1", input_tokens=1000)
    assert named == price_usd("gpt-5-mini", base_url=None, input_tokens=1000)
