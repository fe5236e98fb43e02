"""What a call costs in USD."""

from __future__ import annotations

from drift_assets.language.service import is_loopback


def price_usd(
    model: str, *, base_url: str | None, input_tokens: int, cached_tokens: int = 0, output_tokens: int = 0
) -> float | None:
    """Cost of one call, or None where the price is not known: a local service, or a model without a price list.

    `input_tokens` includes the cached ones. Prices are those that the installed genai-prices lists; nothing is
    fetched. A listed price of nothing for some tokens counts as unknown.
    """
    if is_loopback(base_url):
        return None
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=input_tokens,
        cache_read_tokens=cached_tokens or None,
        output_tokens=output_tokens or None,
    )
    try:
        if base_url is None:
            found = calc_price(usage, model, provider_id="openai")
        else:
            found = calc_price(usage, model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return None
    price = float(found.total_price)
    return None if price == 0 and input_tokens + output_tokens > 0 else price
