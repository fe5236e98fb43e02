"""Markdown whose text comes from documents and models: always escaped, never interpreted."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$])")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escape(text: str) -> str:
    """The text on one line, so that Markdown and HTML show it as it is."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()).translate(_HTML))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with one line per row."""
    lines = [columns, ["---"] * len(columns), *[[escape(cell) for cell in row] for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
