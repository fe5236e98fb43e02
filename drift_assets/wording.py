"""Amounts as people read them."""

from __future__ import annotations

import unicodedata


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """`1 call`, `2,000 calls`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def shown_cost(cost_usd: float | None) -> str:
    """A cost for people; an unknown one is said to be unknown."""
    return "cost unknown" if cost_usd is None else f"{cost_usd:.4f} USD"


def shown_name(name: str) -> str:
    """A name of a file on one line, its control characters written as `\\n` or `\\x1b`."""
    return "".join(
        sign if sign.isprintable() or unicodedata.category(sign) == "Zs" else sign.encode("unicode_escape").decode()
        for sign in name
    )
