"""What reading a file brings, whatever its form."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_LONGEST_VALUE = 1_000
_MOST_VALUES = 100


class Unreadable(Exception):
    """The file, or a part of it, is not indexed; the message says why in a few words.

    `missing` is the extra of this project whose installation would help, if any.
    """

    def __init__(self, reason: str, missing: str | None = None) -> None:
        super().__init__(reason)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Content:
    """A document's text with what the file says about it.

    `key` tells the documents of one file apart, "" where the file is one document. `title` is "" where the file names
    none. `pages` are the offsets at which pages begin, the first page first; empty where there are no pages.
    """

    text: str
    title: str = ""
    key: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    pages: tuple[int, ...] = ()


def needs(extra: str) -> Unreadable:
    """What to raise when the packages of an extra are not installed."""
    return Unreadable(f"needs more packages: pip install 'drift-assets[{extra}]'", missing=extra)


def plain(value: Any) -> Any:
    """A value as JSON can hold it: times in ISO form, long texts cut, anything else as text."""
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case str():
            return value[:_LONGEST_VALUE]
        case datetime.date() | datetime.time():
            return value.isoformat()
        case dict():
            return {str(name): plain(inner) for name, inner in list(value.items())[:_MOST_VALUES]}
        case list() | tuple() | set():
            return [plain(inner) for inner in list(value)[:_MOST_VALUES]]
        case _:
            return str(value)[:_LONGEST_VALUE]


def described(values: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata by lower-case name, without what says nothing."""
    kept = {str(name).strip().lower(): plain(value) for name, value in list(values.items())[:_MOST_VALUES]}
    return {name: value for name, value in kept.items() if name and value not in (None, "", [], {})}
