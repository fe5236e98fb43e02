"""What a stage reports when it has ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from drift_assets.graph.failures import FailedItem
from drift_assets.language.usage import Usage


@dataclass(slots=True)
class StageReport:
    """Counts of a stage's items, what it cost, and a few of its results to look at.

    `new` were made in this run, `reused` stood already, `deleted` had lost their support, `failed` are kept with
    their reason. `sample` are rows of a table, `tables` further ones by name. `facts` are further figures, by a name
    that a person understands.
    `flawed` tells the first answers of a language model that were not of the wanted form.
    `data_version` is set when the stage has ended; `picture` is Markdown of our own making.
    """

    new: int = 0
    reused: int = 0
    deleted: int = 0
    failed: int = 0
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    sample: list[dict[str, Any]] = field(default_factory=list)
    failures: list[FailedItem] = field(default_factory=list)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    facts: dict[str, int | float | str] = field(default_factory=dict)
    flawed: list[str] = field(default_factory=list)
    data_version: str | None = None
    picture: str | None = None
