"""Token counts, offline: the o200k_base encoding of current OpenAI models."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

# bpe-openai refuses texts of a million characters and more.
_BLOCK = 200_000


@lru_cache(maxsize=1)
def _encoding() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of `text`; counted in blocks, so up to one token too many per 200,000 characters."""
    encoding = _encoding()
    return sum(len(encoding.encode_ordinary(text[start : start + _BLOCK])) for start in range(0, len(text), _BLOCK))
