"""What is sent to the database, noted on its way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from drift_assets.assets import stage as stages
from drift_assets.graph.connection import Graph, Transaction, is_for_none

Sent = dict[str, dict[str, dict[str, Any]]]
OF_SCHEMA = ("SHOW ", "CREATE ", "DROP ")


@contextmanager
def sent_in_order() -> Iterator[list[str]]:
    """Every query outside of `write_together`, in order, once it is answered."""
    queries: list[str] = []
    run = Graph._run

    async def noted(self: Graph, text: Any, parameters: Any, *, write: bool) -> Any:
        rows = await run(self, text, parameters, write=write)
        queries.append(text)
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Graph, "_run", noted)
        yield queries


@contextmanager
def sent_by_stage() -> Iterator[Sent]:
    """The queries of an index run, each with its first parameters under the stage that sent it first.

    Those of a stage's checks count as its own; what makes the schema or only plans is left out.
    """
    found: Sent = {"": {}}
    at = [""]
    run, run_together, perform = Graph._run, Transaction.run, stages.perform

    def note(text: str, parameters: dict[str, Any]) -> None:
        known = any(text in one for one in found.values())
        if not known and not text.startswith(("EXPLAIN ", *OF_SCHEMA)) and not is_for_none(text, parameters):
            found[at[0]][text] = parameters

    async def noted(self: Graph, text: Any, parameters: Any, *, write: bool) -> Any:
        note(text, parameters)
        return await run(self, text, parameters, write=write)

    async def noted_together(self: Transaction, text: Any, **parameters: Any) -> Any:
        note(text, parameters)
        return await run_together(self, text, **parameters)

    async def performed(name: str, opened: Any, work: Any) -> Any:
        at[0] = name
        found[name] = found.pop("", {}) | found.get(name, {})
        return await perform(name, opened, work)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Graph, "_run", noted)
        patch.setattr(Transaction, "run", noted_together)
        patch.setattr(stages, "perform", performed)
        yield found
