"""Stage check_index: the index can be searched with these settings, and the search exists."""

from __future__ import annotations

import time

from drift_assets.errors import IndexMismatch
from drift_assets.graph.connection import Graph
from drift_assets.graph.retrieval import missing_vector_indexes
from drift_assets.graph.schema import IndexState, await_online, index_state
from drift_assets.graph.searches import create_search
from drift_assets.search.options import SearchOptions


async def check_index(graph: Graph, *, embedding: str) -> IndexState:
    """What `__Index__` says, when its vectors are of `embedding` and online; else IndexMismatch with what to do."""
    index = await index_state(graph)
    if index is None or index.embedding_model is None:
        raise IndexMismatch(
            f"there is no finished index in database {graph.address.database} at {graph.address.uri}: "
            "run `drift index FOLDER` first"
        )
    if index.embedding_model != embedding:
        raise IndexMismatch(
            f"the index was embedded with {index.embedding_model}, the settings say {embedding}: "
            "set DRIFT_EMBEDDING and DRIFT_EMBEDDING_MODEL to the index's, or run `drift index` to embed it anew"
        )
    missing = await missing_vector_indexes(graph, vectors=index.vectors)
    if missing:
        raise IndexMismatch(f"the index lacks its vector index {', '.join(missing)}: run `drift index` again")
    await await_online(graph)
    return index


async def begin_search(graph: Graph, *, options: SearchOptions, search_id: str | None, run_id: str, now: float) -> str:
    """The id of the new stored search: the wished one unless it is taken, else one made from the time and the run."""
    own = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{run_id[:6]}"
    for id in (search_id, own, f"{own}-{run_id[-6:]}"):
        if id and await create_search(
            graph, id=id, run_id=run_id, question=options.question, options=options.to_json(), created=now
        ):
            return id
    raise IndexMismatch(f"a search {own} exists already: ask again")
