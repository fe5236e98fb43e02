"""An answer heard while it is written: who listens, to which call, and the text out of JSON that is not whole yet.

What is heard is a foretaste: the call may fail or be asked again, and citations are checked only when it is whole.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# A person reads no faster, and every time the text is read from its beginning.
_SECONDS = 0.05
# Given the text from its beginning, as far as it is written; "" when what was heard is void.
Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("drift_listener", default=None)
_field: ContextVar[str | None] = ContextVar("drift_spoken_field", default=None)

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}\[\],:]', re.DOTALL)
_OPEN_STRING = re.compile(r'\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u[0-9a-fA-F]{0,3}$")
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Inside the block `listener` hears what is said `aloud`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def aloud(field: str) -> Iterator[None]:
    """The calls inside the block let the listener, if any, hear this field of their output."""
    token = _field.set(field)
    try:
        yield
    finally:
        _field.reset(token)


def hearing() -> Listener | None:
    """What takes the raw text of an answer as far as it is written; None where nobody listens."""
    listener, field = _listener.get(), _field.get()
    if listener is None or field is None:
        return None

    heard = float("-inf")

    def hear(text: str) -> None:
        nonlocal heard
        if not text or time.monotonic() - heard >= _SECONDS:
            heard = time.monotonic()
            listener(field_so_far(text, field))

    return hear


def field_so_far(text: str, name: str) -> str:
    """The text of the field `name` of the JSON object that `text` begins; "" before the field has begun.

    Words before the object and a <think> block are skipped; fields of inner objects do not count.
    """
    text = _THOUGHTS.sub("", text)
    start = text.find("{")
    if start < 0:
        return ""
    depth, key = 0, ""
    for token in _TOKEN.finditer(text, start):
        found = token.group()
        if found in "{[":
            depth += 1
        elif found in "}]":
            depth -= 1
        elif found == ":" and depth == 1 and key == f'"{name}"':
            value = _OPEN_STRING.match(text, token.end())
            return _decoded(value.group(1)) if value else ""
        key = found
    return ""


def _decoded(written: str) -> str:
    """The text that the inside of a JSON string stands for, without an escape that is cut off at its end."""
    whole = _CUT_ESCAPE.sub(r"\1", written)
    try:
        text = json.loads(f'"{whole}"', strict=False)
    except ValueError:
        return ""
    return _LONE_SURROGATE.sub("", str(text))
