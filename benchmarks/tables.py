"""Results as Markdown on standard output."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def say(text: str = "") -> None:
    """A line on standard output, there at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; numbers stand at the right, those with a fraction with two or, from 10 on, one place."""
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
