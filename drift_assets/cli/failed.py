"""`drift retry` and `drift skip`: what becomes of items that failed for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from drift_assets.cli.graph import never_used, with_graph
from drift_assets.cli.output import counted, show
from drift_assets.errors import IndexMismatch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from drift_assets.graph.connection import Graph

Item = Annotated[str, typer.Argument(metavar="ITEM", help="The item as `drift status --failed` names it.")]
ItemOrAll = Annotated[
    str | None, typer.Argument(metavar="[ITEM]", help="The item as `drift status --failed` names it; without it all.")
]


def retry(item: ItemOrAll = None) -> None:
    """Let the next `drift index` try failed items again that it would leave alone, or one that was skipped."""

    async def work(graph: Graph) -> int:
        from drift_assets.graph.failures import try_again

        return await try_again(graph, item=item)

    found = _of_index(work)
    if item and not found:
        raise IndexMismatch(_unknown(item))
    show(f"The next `drift index` tries {counted(found, 'item')} again." if found else "No item has failed.")


def skip(item: Item) -> None:
    """Set a failed item aside: the index counts as whole without it, until `drift retry ITEM`."""

    async def work(graph: Graph) -> int:
        from drift_assets.graph.failures import set_aside

        return await set_aside(graph, item=item)

    if not _of_index(work):
        raise IndexMismatch(_unknown(item))
    show(f"{item} is set aside; `drift retry` with its name takes that back.")


def _of_index(work: Callable[[Graph], Awaitable[int]]) -> int:
    from drift_assets.graph.schema import refuse_foreign
    from drift_assets.settings import load_settings

    settings = load_settings()

    async def ours(graph: Graph) -> int:
        await refuse_foreign(graph)
        return await work(graph)

    return 0 if never_used(settings) else with_graph(settings, ours)


def _unknown(item: str) -> str:
    return f"no failed item is named {item!r}: `drift status --failed` lists them"
