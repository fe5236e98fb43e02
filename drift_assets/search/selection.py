"""Which documents a search may read: those in a folder or of a pattern, and those whose metadata say so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from drift_assets.errors import SettingsError
from drift_assets.graph.connection import Graph
from drift_assets.graph.within import documents_below

_WILD = frozenset("*?[")
_KEYS_TOLD = 8


async def selected(graph: Graph, within: str | None, where: Sequence[str]) -> tuple[str, ...] | None:
    """Ids of the documents that may be read, in order; None for all of them.

    Raises SettingsError where no indexed document is of the selection.
    """
    if within is None and not where:
        return None
    documents = await documents_below(graph)
    found = tuple(
        id
        for id, title, metadata in documents
        if (within is None or lies_within(id, within))
        and all(says({"title": title, **json.loads(metadata)}, line) for line in where)
    )
    if not found:
        asked = " and ".join([*([] if within is None else [f"in {within!r}"]), *map(repr, where)])
        keys = sorted({key for _, _, metadata in documents for key in json.loads(metadata)})
        known = f"; their metadata have {', '.join(keys[:_KEYS_TOLD])}" if where and keys else ""
        raise SettingsError(f"no document of the index is {asked}{known}")
    return found


def lies_within(document: str, place: str) -> bool:
    """Whether a document is the one named, lies below the folder or in the table named, or is of the pattern.

    In a pattern * stands for anything, also for several folders.
    """
    place = place.strip().removeprefix("./").rstrip("/")
    if place in ("", "."):
        return True
    if _WILD & set(place) and fnmatchcase(document, place):
        return True
    return document == place or document.startswith((f"{place}/", f"{place}#"))


def says(metadata: dict[str, Any], line: str) -> bool:
    """Whether the metadata hold what `key=value` says, or hold it in a list; large and small letters are alike."""
    key, _, wanted = line.partition("=")
    values = {name.casefold(): value for name, value in metadata.items()}.get(key.strip().casefold())
    listed = values if isinstance(values, list) else [values]
    return any(value is not None and _plain(value) == _plain(wanted) for value in listed)


def checked_where(lines: Sequence[str]) -> tuple[str, ...]:
    """The same when each line is a `key=value`; raises SettingsError when one is not."""
    for line in lines:
        key, sign, _ = line.partition("=")
        if not sign or not key.strip():
            raise SettingsError(f"{line!r} names no metadata: write key=value, such as author=Carroll")
    return tuple(lines)


def _plain(value: Any) -> str:
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    return " ".join(text.split()).casefold()
