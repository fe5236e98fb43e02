"""A JSON file of what an evaluation has paid for, written whole after each piece."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def kept(output: Path) -> dict[str, dict[str, Any]]:
    """What the file holds by its key; nothing where there is none."""
    if not output.exists():
        return {}
    found: dict[str, dict[str, Any]] = json.loads(output.read_text(encoding="utf-8"))
    return found


def write(output: Path, found: Mapping[str, Mapping[str, Any]]) -> None:
    """A write that is cut off leaves the file as it was."""
    output.parent.mkdir(parents=True, exist_ok=True)
    unfinished = output.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")
    unfinished.replace(output)
