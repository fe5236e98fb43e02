"""Token counts, offline: the encodings of OpenAI's models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeVar

# bpe-openai refuses texts of a million characters and more.
_BLOCK = 200_000
T = TypeVar("T")


@lru_cache(maxsize=2)
def _encoding(name: str) -> Any:
    import bpe_openai

    return bpe_openai.get_encoding(name)


def count_tokens(text: str, encoding_name: str = "o200k_base") -> int:
    """Tokens of `text`; counted in blocks, so up to one token too many per 200,000 characters.

    The default is the encoding of current language models; embedding models have `cl100k_base`.
    """
    encoding = _encoding(encoding_name)
    return sum(len(encoding.encode_ordinary(text[start : start + _BLOCK])) for start in range(0, len(text), _BLOCK))


def token_runs(items: Iterable[T], size: Callable[[T], int], limit: int) -> list[list[T]]:
    """The items in order, cut into runs of at most `limit` tokens in all; a larger item is a run of its own."""
    runs: list[list[T]] = []
    room = 0
    for item in items:
        tokens = size(item)
        if not runs or tokens > room:
            runs.append([])
            room = limit
        runs[-1].append(item)
        room -= tokens
    return runs
