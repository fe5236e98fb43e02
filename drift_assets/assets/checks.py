"""Asset checks: what must hold of each stage's result, told with the first offenders.

Only the last one blocks: a failed item never keeps the later stages from working on what succeeded, but a run with
failed items does not end as a success.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import dagster as dg

from drift_assets.assets.chunks import chunks
from drift_assets.assets.communities import communities
from drift_assets.assets.embeddings import embeddings
from drift_assets.assets.entities import entities
from drift_assets.assets.metadata import rows_table
from drift_assets.assets.reports import reports
from drift_assets.assets.stage import Stage
from drift_assets.assets.summaries import summaries
from drift_assets.graph import checks as rules
from drift_assets.graph.checks import MentionedName, Offenders
from drift_assets.graph.connection import open_graph
from drift_assets.graph.embeddings import KINDS, rating_threshold
from drift_assets.graph.failures import count_failures, failures
from drift_assets.graph.schema import index_state, refuse_foreign
from drift_assets.interrupts import run
from drift_assets.language.calls import Limiter
from drift_assets.language.usage import Meter
from drift_assets.local.server import neo4j_address
from drift_assets.names import spelling
from drift_assets.resources import DriftResource
from drift_assets.settings import Settings

LOOKED_AT_NAMES = 2_000
TOLERATED_ABSENT = 0.05
Find = Callable[[Stage], Awaitable[Offenders]]


def absent_names(mentions: Sequence[MentionedName]) -> Offenders:
    """Mentions whose name does not occur in its chunk, whatever its case and line breaks."""
    absent = [m for m in mentions if _plain(m.spelling) not in _plain(m.text)]
    first = tuple(f"{m.spelling} (chunk {m.chunk})" for m in absent[: rules.SHOWN])
    return Offenders(len(absent), len(mentions), first)


def _plain(text: str) -> str:
    return spelling(text).replace("- ", "-").casefold()


async def _absent_names(stage: Stage) -> Offenders:
    return absent_names(await rules.mentioned_names(stage.graph, limit=LOOKED_AT_NAMES))


async def _wrong_vectors(stage: Stage) -> Offenders:
    state = await index_state(stage.graph)
    if state is None or state.dimensions is None:
        return Offenders(1, 0, ("the index has no embedding model yet",))
    threshold = await rating_threshold(stage.graph, min_rating=stage.settings.min_rating)
    return await rules.wrong_vectors(
        stage.graph, suffix=state.vectors, dimensions=state.dimensions, min_rating=threshold
    )


async def _offline_indexes(stage: Stage) -> Offenders:
    state = await index_state(stage.graph)
    suffix = state.vectors if state else ""
    return await rules.offline_indexes(stage.graph, names=[f"{kind}{suffix}" for kind in KINDS])


async def _failed_items(stage: Stage) -> Offenders:
    kept = await failures(stage.graph, limit=rules.SHOWN)
    first = tuple(f"{item.stage}: {item.item}: {item.reason}" for item in kept)
    count = await count_failures(stage.graph) if kept else 0
    return Offenders(count, count, first)


def _check(
    asset: dg.AssetsDefinition,
    name: str,
    description: str,
    find: Find,
    *,
    tolerated: float = 0.0,
    warned: Callable[[Settings], int] = lambda settings: 0,
    blocking: bool = False,
) -> dg.AssetChecksDefinition:
    """A check that passes when at most the share `tolerated` of what is looked at breaks the rule.

    With a tolerance it is a figure to watch (WARN); without one it is an invariant (ERROR), of which the settings may
    let a number of offenders pass with a warning.
    """

    @dg.asset_check(asset=asset, name=name, description=description, blocking=blocking)
    def check(drift: DriftResource) -> dg.AssetCheckResult:
        settings = drift.settings()
        address = neo4j_address(settings)

        async def look() -> Offenders:
            async with open_graph(address) as graph:
                await refuse_foreign(graph)
                return await find(Stage(settings, graph, Limiter(settings.concurrency), Meter()))

        found = run(look())
        share = found.count / found.looked_at if found.looked_at else float(found.count > 0)
        metadata: dict[str, Any] = {"offenders": found.count, "looked_at": found.looked_at, "share": share}
        if found.first:
            metadata["first"] = dg.MetadataValue.md(rows_table([{"offender": item} for item in found.first]))
        return dg.AssetCheckResult(
            passed=share <= tolerated,
            severity=dg.AssetCheckSeverity.WARN
            if tolerated or found.count <= warned(settings)
            else dg.AssetCheckSeverity.ERROR,
            description="; ".join(found.first[:3]) or None,
            metadata=metadata,
        )

    return check


CHECKS = [
    _check(
        chunks,
        "documents_not_empty",
        "Every document has a chunk with text.",
        lambda stage: rules.empty_documents(stage.graph),
    ),
    _check(
        chunks,
        "no_orphan_chunks",
        "Every chunk is part of exactly one document.",
        lambda stage: rules.orphan_chunks(stage.graph),
    ),
    _check(
        entities,
        "relationships_whole",
        "Every relationship has its chunk, which mentions both ends.",
        lambda stage: rules.broken_relationships(stage.graph),
    ),
    _check(
        entities,
        "names_in_chunks",
        "Mentioned names occur in their chunk.",
        _absent_names,
        tolerated=TOLERATED_ABSENT,
    ),
    _check(
        summaries,
        "entities_summarised",
        "Every entity has a summary of its present descriptions.",
        lambda stage: rules.unsummarised(stage.graph),
    ),
    _check(
        communities,
        "one_leaf_community",
        "Every entity is in exactly one leaf community.",
        lambda stage: rules.misplaced_entities(stage.graph),
    ),
    _check(
        reports,
        "communities_reported",
        "Every community has a report.",
        lambda stage: rules.unreported_communities(stage.graph),
    ),
    _check(
        embeddings,
        "vectors_in_place",
        "Every node that is to be embedded has a vector of the index's dimension, and no other node has one.",
        _wrong_vectors,
    ),
    _check(embeddings, "indexes_online", "The vector indexes in use are online.", _offline_indexes),
    _check(
        embeddings,
        "no_failed_items",
        "No item of any stage failed, or no more than DRIFT_TOLERANCE; see `drift status --failed` for what to do.",
        _failed_items,
        warned=lambda settings: settings.tolerance,
        blocking=True,
    ),
]
