"""Token counts, offline: the encodings of OpenAI's models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any, TypeVar

# bpe-openai refuses texts of a million characters and more.
_BLOCK = 200_000
T = TypeVar("T")


@lru_cache(maxsize=2)
def _encoding(name: str) -> Any:
    return _tokenizers().tokenizer_for_encoding(name)


@lru_cache(maxsize=1)
def _tokenizers() -> Any:
    """The compiled part of bpe-openai, by itself: the Python around it takes half a second and 60 MB to import."""
    package = find_spec("bpe_openai")
    places = package.submodule_search_locations if package else None
    compiled = PathFinder.find_spec("bpe_openai._bindings", places)
    if compiled is None or compiled.loader is None:
        raise ModuleNotFoundError("bpe-openai is not installed whole: run `pip install --force-reinstall bpe-openai`")
    module = module_from_spec(compiled)
    compiled.loader.exec_module(module)
    return module


def count_tokens(text: str, encoding_name: str = "o200k_base") -> int:
    """Tokens of `text`; counted in blocks, so up to one token too many per 200,000 characters.

    The default is the encoding of current language models; embedding models have `cl100k_base`.
    """
    encoding = _encoding(encoding_name)
    return sum(_count(encoding, text[start : start + _BLOCK]) for start in range(0, len(text), _BLOCK))


def _count(encoding: Any, text: str) -> int:
    try:
        return int(encoding.count(text))
    except UnicodeEncodeError:  # half of a surrogate pair, which no encoding of bytes holds
        return int(encoding.count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))


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
