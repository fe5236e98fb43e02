"""Token counts, offline: the encodings of OpenAI's models."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

# bpe-openai refuses texts of a million characters and more.
_BLOCK = 200_000


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
