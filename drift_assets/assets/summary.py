"""What a run of the index did and what the index holds, as the command line tells it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from drift_assets.assets import versions
from drift_assets.assets.corpus import changed_documents, look
from drift_assets.assets.embeddings import target_suffix
from drift_assets.assets.turns import is_alive
from drift_assets.embedding.choose import embedding_name
from drift_assets.graph import communities, embeddings, entities, reports, summaries
from drift_assets.graph.chunks import stored_documents
from drift_assets.graph.connection import Graph
from drift_assets.graph.failures import count_failures, failures
from drift_assets.graph.holdings import Holdings, holdings
from drift_assets.graph.lease import current_lease
from drift_assets.graph.schema import index_state
from drift_assets.settings import Settings

Metadata = Mapping[str, Any]


def spent(materialized: Mapping[str, Metadata]) -> dict[str, Any]:
    """Calls, tokens and cost over the stages of a run, from their metadata; the cost is None when one is unknown."""

    def total(name: str) -> int:
        return sum(int(stage.get(name, 0)) for stage in materialized.values())

    costs = [stage.get("cost_usd") for stage in materialized.values()]
    return {
        "calls": {"language": total("language_calls"), "embedding": total("embedding_calls")},
        "tokens": {
            "input": total("input_tokens"),
            "output": total("output_tokens"),
            "embedding": total("embedding_tokens"),
        },
        "cost_usd": None if None in costs else sum(float(cost) for cost in costs if cost is not None),
    }


async def index_holdings(graph: Graph) -> tuple[Holdings, int]:
    """What the index holds now, and how many of its items failed."""
    state = await index_state(graph)
    return await asyncio.gather(holdings(graph, vectors=state.vectors if state else ""), count_failures(graph))


async def stale_items(graph: Graph, settings: Settings) -> dict[str, int | None]:
    """How many items each stage would work on now; chunks counts documents, None without a readable folder."""
    documents, others = await asyncio.gather(_stale_documents(graph, settings), stale_in_graph(graph, settings))
    return {"chunks": documents, **others}


async def stale_in_graph(graph: Graph, settings: Settings) -> dict[str, int]:
    """How many items the stages after chunks would work on now, as far as the graph tells: no document is looked at."""
    threshold, state = await asyncio.gather(
        embeddings.rating_threshold(graph, min_rating=settings.min_rating), index_state(graph)
    )
    name = embedding_name(settings)
    model = f"{name}{target_suffix(state, name)}"
    stale = await asyncio.gather(
        _stale_entities(graph, settings),
        summaries.count_stale_summaries(graph, version=versions.summaries_version(settings)),
        _unclustered(graph, settings),
        reports.count_stale_reports(graph, version=versions.reports_version(settings)),
        embeddings.count_stale_vectors(graph, model=model, min_rating=threshold),
    )
    return dict(zip(list(versions.STAGES)[1:], stale, strict=True))


async def _unclustered(graph: Graph, settings: Settings) -> int:
    return 0 if await communities.is_clustered(graph, version=versions.communities_version(settings)) else 1


async def _stale_entities(graph: Graph, settings: Settings) -> int:
    """Texts to extract, and entities that a run left behind with their mentions changed or gone."""
    texts, touched = await asyncio.gather(
        entities.count_stale_texts(graph, version=versions.entities_version(settings)), entities.count_touched(graph)
    )
    return texts + touched


async def _stale_documents(graph: Graph, settings: Settings) -> int | None:
    state = await index_state(graph)
    corpus = state.corpus if state else None
    if corpus is None or not Path(corpus).is_dir():
        return None
    stored = {document.id: document for document in await stored_documents(graph)}
    found = look(Path(corpus), stored, settings)
    return len(changed_documents(found, stored, settings)) + len(set(stored) - set(found.hashes))


async def index_status(graph: Graph, settings: Settings) -> dict[str, Any]:
    """What `drift status` tells of the index: holdings, stale items, failures, corpus and models."""
    state = await index_state(graph)
    if state is None:
        return {"index": None}
    lease = await current_lease(graph)
    held, failed = await index_holdings(graph)
    return {
        "index": asdict(held),
        "indexing": lease.run if lease and is_alive(lease.worker) is not False else None,
        "corpus": state.corpus,
        "embedding_model": state.embedding_model,
        "dimensions": state.dimensions,
        "stale": await stale_items(graph, settings),
        "failed": failed,
        "failures": [asdict(item) for item in await failures(graph, limit=50)],
    }
