"""`drift reset`: remove the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from drift_assets.cli.graph import never_used, with_graph
from drift_assets.cli.output import counted, show

if TYPE_CHECKING:
    from drift_assets.graph.connection import Graph


def reset(
    yes: Annotated[bool, typer.Option("--yes", help="Remove it; without this it is only shown.")] = False,
) -> None:
    """Show what a removal of the index would take away, and with --yes remove it, searches included."""
    from drift_assets.graph.holdings import remove_index, stored_nodes
    from drift_assets.graph.schema import refuse_foreign
    from drift_assets.settings import load_settings

    settings = load_settings()

    async def remove(graph: Graph) -> tuple[dict[str, int], str]:
        await refuse_foreign(graph)
        found = await stored_nodes(graph)
        if yes and found:
            await remove_index(graph)
        return found, f"database {graph.address.database} at {graph.address.uri}"

    nodes, where = ({}, str(settings.home_folder)) if never_used(settings) else with_graph(settings, remove)
    if not nodes:
        show(f"There is no index in {where}.")
        return
    for label, count in nodes.items():
        show(f"{label.strip('_')}: {counted(count, 'node')}")
    if yes:
        show(f"Removed from {where}.")
    else:
        show(f"Nothing was removed. `drift reset --yes` removes these from {where}; documents stay as they are.")
