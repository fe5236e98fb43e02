"""`drift graph`: the graph as a page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drift_assets.cli.graph import never_used, with_graph
from drift_assets.cli.output import counted, say, show
from drift_assets.errors import IndexMismatch

if TYPE_CHECKING:
    from drift_assets.graph.connection import Graph
    from drift_assets.graph.picture import Drawn


def picture(
    entity: Annotated[
        str | None, typer.Argument(metavar="[ENTITY]", help="An entity to look around; without it the weightiest.")
    ] = None,
    output: Annotated[Path, typer.Option(help="File to write.")] = Path("graph.html"),
    nodes: Annotated[int, typer.Option(min=1, max=150, help="Entities to show, at most.")] = 150,
) -> None:
    """Write a page of HTML that shows entities, their relationships and their communities."""
    from drift_assets.graph import picture as graph_picture
    from drift_assets.graph.schema import refuse_foreign
    from drift_assets.pages import write_page
    from drift_assets.picture.drawing import MOST_TIES, graph_page
    from drift_assets.settings import load_settings

    settings = load_settings()

    async def read(graph: Graph) -> Drawn:
        await refuse_foreign(graph)
        if entity is None:
            return await graph_picture.weightiest(graph, nodes=nodes, ties=MOST_TIES)
        key, alike = await graph_picture.find_entity(graph, entity)
        if key is None:
            hint = f"; there is {', '.join(alike)}" if alike else ""
            raise IndexMismatch(f"the index has no entity {entity!r}{hint}: `drift graph` alone shows the weightiest")
        return await graph_picture.around(graph, key, nodes=nodes, ties=MOST_TIES)

    found = None if never_used(settings) else with_graph(settings, read)
    if found is None or not found.entities:
        raise IndexMismatch("the index holds no entity yet: run `drift index FOLDER`")
    write_page(output, graph_page(found, f"Around {found.entities[0].name}" if entity else "The graph"))
    show(str(output))
    say(f"wrote {counted(len(found.entities), 'entity', 'entities')} and {counted(len(found.ties), 'relationship')}")
