"""Asset checks: what must hold of each stage's result, told with the first offenders.

Only the last one blocks: a failed item never keeps the later stages from working on what succeeded, but a run with
failed items does not end as a success.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from drift_assets.assets.chunks import chunks
from drift_assets.assets.communities import communities
from drift_assets.assets.embeddings import embeddings
from drift_assets.assets.entities import entities
from drift_assets.assets.metadata import FLAWS, rows_table
from drift_assets.assets.reports import reports
from drift_assets.assets.stage import Stage, waiting
from drift_assets.assets.summaries import summaries
from drift_assets.assets.summary import stale_in_graph
from drift_assets.graph import checks as graph_checks
from drift_assets.graph.checks import MentionedName, Offenders, count_items
from drift_assets.graph.connection import open_graph
from drift_assets.graph.embeddings import KINDS, rating_threshold
from drift_assets.graph.failures import count_failures, failures
from drift_assets.graph.schema import index_state, refuse_foreign
from drift_assets.interrupts import run
from drift_assets.language.calls import Limiter
from drift_assets.language.usage import Meter
from drift_assets.local.server import neo4j_address
from drift_assets.names import spelling
from drift_assets.progress import Silent, current
from drift_assets.resources import DriftResource
from drift_assets.runs.recent import last_said
from drift_assets.settings import Settings

LOOKED_AT_NAMES = 2_000
TOLERATED_ABSENT = 0.05
# Title pages and tables of contents have nothing to extract; more than this is a sign of a failing model.
TOLERATED_EMPTY = 0.4
TOLERATED_ISOLATED = 0.5
TOLERATED_ALIKE = 0.02
# A group whose members are all tied to each other cannot be divided.
TOLERATED_LARGE = 0.1
# Where more answers are of another form than this, the model or its settings do not suit the task.
TOLERATED_FLAWED = 0.05


@dataclass(frozen=True, slots=True)
class Looked(Stage):
    """What a check looks at: the index, and what its asset said at its last run that asked a language model."""

    said: Mapping[str, Any] = field(default_factory=dict)


Find = Callable[[Looked], Awaitable[Offenders]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check that passes when at most the share `tolerated` of what is looked at breaks the rule.

    With a tolerance it is a figure to watch (WARN); without one it is an invariant (ERROR), of which the settings may
    let a number of offenders pass with a warning (`warned`).
    """

    name: str
    description: str
    find: Find
    tolerated: float = 0.0
    warned: Callable[[Settings], int] = lambda settings: 0
    blocking: bool = False

    def result(self, found: Offenders, settings: Settings, asset: dg.AssetKey) -> dg.AssetCheckResult:
        """What the catalogue shows of the offenders."""
        share = found.count / found.looked_at if found.looked_at else float(found.count > 0)
        metadata: dict[str, Any] = {"offenders": found.count, "looked_at": found.looked_at, "share": share}
        if found.first:
            metadata["first"] = dg.MetadataValue.md(rows_table([{"offender": item} for item in found.first]))
        watched = self.tolerated or found.count <= self.warned(settings)
        return dg.AssetCheckResult(
            passed=share <= self.tolerated,
            asset_key=asset,
            check_name=self.name,
            severity=dg.AssetCheckSeverity.WARN if watched else dg.AssetCheckSeverity.ERROR,
            description="; ".join(found.first[:3]) or None,
            metadata=metadata,
        )


def absent_names(mentions: Sequence[MentionedName]) -> Offenders:
    """Mentions whose name does not occur in its chunk, whatever its case and line breaks."""
    absent = [m for m in mentions if _plain(m.spelling) not in _plain(m.text)]
    first = tuple(f"{m.spelling} (chunk {m.chunk})" for m in absent[: graph_checks.SHOWN])
    return Offenders(len(absent), len(mentions), first)


def _plain(text: str) -> str:
    return spelling(text).replace("- ", "-").casefold()


async def _absent_names(stage: Stage) -> Offenders:
    return absent_names(await graph_checks.mentioned_names(stage.graph, limit=LOOKED_AT_NAMES))


async def _wrong_vectors(stage: Stage) -> Offenders:
    state = await index_state(stage.graph)
    if state is None or state.dimensions is None:
        return Offenders(1, 0, ("the index has no embedding model yet",))
    threshold = await rating_threshold(stage.graph, min_rating=stage.settings.min_rating)
    return await graph_checks.wrong_vectors(
        stage.graph, suffix=state.vectors, dimensions=state.dimensions, min_rating=threshold
    )


async def _foreign_vectors(stage: Stage) -> Offenders:
    state = await index_state(stage.graph)
    model = f"{state.embedding_model}{state.vectors}" if state else ""
    return await graph_checks.foreign_vectors(stage.graph, suffix=state.vectors if state else "", model=model)


async def _offline_indexes(stage: Stage) -> Offenders:
    state = await index_state(stage.graph)
    suffix = state.vectors if state else ""
    return await graph_checks.offline_indexes(stage.graph, names=[f"{kind}{suffix}" for kind in KINDS])


async def _stale_items(stage: Stage) -> Offenders:
    found = {name: count for name, count in (await stale_in_graph(stage.graph, stage.settings)).items() if count}
    held = await count_items(stage.graph)
    first = tuple(f"{name}: {count:,} stale" for name, count in found.items())
    return Offenders(sum(found.values()), max(held, sum(found.values())), first)


async def _failed_items(stage: Stage) -> Offenders:
    # There are hardly ever any to be listed, and they are counted at the end of each run anyway.
    count = await count_failures(stage.graph)
    kept = await failures(stage.graph, limit=graph_checks.SHOWN) if count else []
    first = tuple(f"{item.stage}: {item.item}: {item.reason}" for item in kept)
    return Offenders(count, count, first)


async def _flawed_answers(looked: Looked) -> Offenders:
    """Answers that were repaired, asked for again or given up, of those that the asset's stage last asked for."""
    count = sum(int(looked.said.get(name, 0)) for name in FLAWS)
    return Offenders(count, int(looked.said.get("language_calls", 0)), tuple(looked.said.get("flawed_answers", ())))


WELL_FORMED = Rule(
    "answers_well_formed",
    "Hardly any answer of the language model had to be repaired, asked for again or given up when any was last needed.",
    _flawed_answers,
    tolerated=TOLERATED_FLAWED,
)


def _checks(asset: dg.AssetsDefinition, *rules: Rule) -> dg.AssetChecksDefinition:
    """The checks of one asset, made in one step over one connection."""
    specs = [
        dg.AssetCheckSpec(rule.name, asset=asset.key, description=rule.description, blocking=rule.blocking)
        for rule in rules
    ]

    @dg.multi_asset_check(name=f"{'__'.join(asset.key.path)}_checks", specs=specs)
    def checks(context: dg.AssetCheckExecutionContext, drift: DriftResource) -> Iterator[dg.AssetCheckResult]:
        settings = drift.settings()
        address = neo4j_address(settings)
        said = last_said(context.instance, asset.key, "language_calls") if WELL_FORMED in rules else {}

        async def look() -> list[Offenders]:
            async with open_graph(address, waiting(settings, current() or Silent())) as graph:
                await refuse_foreign(graph)
                looked = Looked(settings, graph, Limiter(settings.concurrency), Meter(), said=said)
                return await asyncio.gather(*(rule.find(looked) for rule in rules))

        for rule, found in zip(rules, run(look()), strict=True):
            yield rule.result(found, settings, asset.key)

    return checks


CHECKS = [
    _checks(
        chunks,
        Rule(
            "documents_not_empty",
            "Every document has a chunk with text.",
            lambda stage: graph_checks.empty_documents(stage.graph),
        ),
        Rule(
            "no_orphan_chunks",
            "Every chunk is part of exactly one document.",
            lambda stage: graph_checks.orphan_chunks(stage.graph),
        ),
    ),
    _checks(
        entities,
        Rule(
            "relationships_whole",
            "Every relationship has its chunk, which mentions both ends.",
            lambda stage: graph_checks.broken_relationships(stage.graph),
        ),
        Rule(
            "entities_mentioned",
            "Every entity is mentioned by a chunk.",
            lambda stage: graph_checks.unmentioned_entities(stage.graph),
        ),
        Rule("names_in_chunks", "Mentioned names occur in their chunk.", _absent_names, tolerated=TOLERATED_ABSENT),
        Rule(
            "chunks_with_entities",
            "Extraction found an entity in most chunks.",
            lambda stage: graph_checks.chunks_without_entities(stage.graph),
            tolerated=TOLERATED_EMPTY,
        ),
        Rule(
            "entities_connected",
            "Most entities have a relationship.",
            lambda stage: graph_checks.isolated_entities(stage.graph),
            tolerated=TOLERATED_ISOLATED,
        ),
        Rule(
            "names_distinct",
            "Hardly any names differ only by blanks, hyphens and apostrophes: `drift entities merge` makes two one.",
            lambda stage: graph_checks.names_alike(stage.graph),
            tolerated=TOLERATED_ALIKE,
        ),
        WELL_FORMED,
    ),
    _checks(
        summaries,
        Rule(
            "entities_summarised",
            "Every entity has a summary of its present descriptions.",
            lambda stage: graph_checks.unsummarised(stage.graph),
        ),
        Rule(
            "relationships_summarised",
            "Every pair of related entities has a summary of its present descriptions.",
            lambda stage: graph_checks.unsummarised_pairs(stage.graph),
        ),
        WELL_FORMED,
    ),
    _checks(
        communities,
        Rule(
            "one_leaf_community",
            "Every entity is in exactly one leaf community.",
            lambda stage: graph_checks.misplaced_entities(stage.graph),
        ),
        Rule(
            "levels_whole",
            "Every community below level 0 has exactly one parent, on the level above it.",
            lambda stage: graph_checks.misplaced_communities(stage.graph),
        ),
        Rule(
            "leaves_small",
            "Hardly any community without children is larger than DRIFT_MAX_COMMUNITY_SIZE.",
            lambda stage: graph_checks.large_leaves(stage.graph, most=stage.settings.max_community_size),
            tolerated=TOLERATED_LARGE,
        ),
    ),
    _checks(
        reports,
        Rule(
            "communities_reported",
            "Every community has a report.",
            lambda stage: graph_checks.unreported_communities(stage.graph),
        ),
        WELL_FORMED,
    ),
    _checks(
        embeddings,
        Rule(
            "vectors_in_place",
            "Every node that is to be embedded has a vector of the index's dimension, and no other node has one.",
            _wrong_vectors,
        ),
        Rule("vectors_of_one_model", "Every vector is by the model that `__Index__` names.", _foreign_vectors),
        Rule("indexes_online", "The vector indexes in use are online.", _offline_indexes),
        Rule(
            "nothing_stale",
            "Every stage's results are of today's texts, prompts, models and settings.",
            _stale_items,
            warned=lambda settings: sys.maxsize,
        ),
        Rule(
            "no_failed_items",
            "No item of any stage failed, or no more than DRIFT_TOLERANCE; see `drift status --failed` for what to do.",
            _failed_items,
            warned=lambda settings: settings.tolerance,
            blocking=True,
        ),
    ),
]
