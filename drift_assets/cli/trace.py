"""`drift trace`: how an answer came about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drift_assets.cli.graph import never_used, with_graph
from drift_assets.cli.output import Json, say, show_json, show_markdown
from drift_assets.errors import IndexMismatch

if TYPE_CHECKING:
    from drift_assets.graph.connection import Graph
    from drift_assets.search.result import SearchResult


def trace(
    search_id: Annotated[
        str | None, typer.Argument(metavar="[SEARCH_ID]", help="A search; without it the newest.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the search as one page of HTML to this file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a stored search: its answer, its sources, its questions and what each stage took."""
    from drift_assets.pages import write_page
    from drift_assets.search.page import trace_page
    from drift_assets.search.result import search_result
    from drift_assets.search.trace import trace_markdown
    from drift_assets.settings import load_settings

    settings = load_settings()
    if never_used(settings):
        raise IndexMismatch("there is no index yet, and so no search: run `drift index FOLDER`")

    async def read(graph: Graph) -> SearchResult:
        return await search_result(graph, search_id)

    result = with_graph(settings, read)
    if html is not None:
        write_page(html, trace_page(result))
        say(f"wrote {html}")
    if as_json:
        show_json(result.to_json())
    elif html is None:
        show_markdown(trace_markdown(result))
