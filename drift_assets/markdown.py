"""Markdown. Text that comes from documents and models is always escaped, never interpreted."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$])")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escape(text: str) -> str:
    """The text on one line, so that Markdown and HTML show it as it is."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()).translate(_HTML))


def unescaped(text: str) -> str:
    """Text of a Markdown file without the backslashes before its punctuation, for where nothing renders it."""
    return _ESCAPED.sub(r"\1", text)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with one line per row."""
    lines = [columns, ["---"] * len(columns), *[[escape(cell) for cell in row] for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def figures_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of figures and of words of our own, unescaped.

    Numbers stand at the right, those with a fraction with two or, from 10 on, one place.
    """
    right = [all(isinstance(row[n], int | float | None) for row in rows) for n in range(len(columns))]
    lines = [
        list(columns),
        ["--:" if number else "---" for number in right],
        *[[_cell(value) for value in row] for row in rows],
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
