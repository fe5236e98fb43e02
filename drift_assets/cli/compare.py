"""`drift ask --compare`: one question by several methods, side by side."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from drift_assets.cli.output import printable, show, shown_cost
from drift_assets.errors import SettingsError
from drift_assets.search.options import METHODS

if TYPE_CHECKING:
    from drift_assets.search.result import SearchResult

_NARROWEST = 40
_HEADS = ("method", "status", "sources", "evidence tokens", "calls", "cost", "seconds")


def methods_named(names: str, *, least: int) -> tuple[str, ...]:
    """The methods that a comma-separated list names, each once.

    Raises SettingsError for one that is unknown, and for fewer than `least`.
    """
    found = tuple(dict.fromkeys(name.strip().lower() for name in names.split(",") if name.strip()))
    unknown = [name for name in found if name not in METHODS]
    if unknown or len(found) < least:
        wrong = f"{unknown[0]!r} is no method" if unknown else f"{names!r} names too few methods"
        raise SettingsError(f"{wrong}: name at least {least} of {', '.join(METHODS)}, such as drift,vector")
    return found


def comparison_json(question: str, results: Mapping[str, SearchResult]) -> dict[str, Any]:
    """The object that `drift ask --compare --json` prints."""
    return {"question": question, "methods": {name: result.to_json() for name, result in results.items()}}


def show_comparison(results: Mapping[str, SearchResult]) -> None:
    """Answers with their sources beside each other on a wide terminal, else below each other; then what each took."""
    texts = {name: _text(result) for name, result in results.items()}
    if not _side_by_side(texts):
        for name, text in texts.items():
            show(f"== {name}\n{text}\n")
    rows = [_HEADS, *(_row(name, result) for name, result in results.items())]
    widths = [max(len(row[n]) for row in rows) for n in range(len(_HEADS))]
    for row in rows:
        show("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _text(result: SearchResult) -> str:
    from drift_assets.search.trace import NEAREST

    sources = [f"[{source.number}] {source.name}: “{source.excerpt}”" for source in result.sources]
    notes = [f"Note: {note}" for note in result.notes]
    if result.reply == "nearest_passages":
        notes.append(NEAREST)
    return "\n".join([result.text, *(["", *sources] if sources else []), *notes])


def _row(name: str, result: SearchResult) -> Sequence[str]:
    calls = result.usage.language_calls + result.usage.embedding_calls
    tokens = sum(source.tokens for source in result.evidence)
    status, cost = result.status.replace("_", " "), shown_cost(result.usage.cost_usd)
    return name, status, str(len(result.sources)), f"{tokens:,}", f"{calls:,}", cost, f"{result.seconds:.1f}"


def _side_by_side(texts: Mapping[str, str]) -> bool:
    """Shows them as columns where the terminal has the room, and says whether it did."""
    if not sys.stdout.isatty():
        return False
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if console.width < _NARROWEST * len(texts):
        return False
    table = Table(*texts, expand=True)
    table.add_row(*(Text(printable(text)) for text in texts.values()))
    console.print(table)
    return True
