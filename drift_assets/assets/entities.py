"""Entities: what each chunk says, extracted once per text, and what all chunks together say of each entity."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import dagster as dg

from drift_assets.assets.chunks import chunks
from drift_assets.assets.materialising import materialise
from drift_assets.assets.report import StageReport
from drift_assets.assets.resolution import Resolved, resolve_names
from drift_assets.assets.stage import Stage
from drift_assets.assets.versions import entities_version, gleanings
from drift_assets.chunking import split
from drift_assets.errors import CallTooLong
from drift_assets.extraction import describe_entities, describe_pairs, extraction_row
from drift_assets.graph import entities as graph_entities
from drift_assets.graph.entities import StaleText
from drift_assets.language.choose import task_origin
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import Extract, Extraction, Glean
from drift_assets.reconcile import Done, Failed, in_parts, paged, reconcile
from drift_assets.resources import DriftResource
from drift_assets.tokens import count_tokens

PAGE = 200
SAMPLE = 10
# Texts of fewer than twice as many tokens are not extracted in halves.
LEAST_TOKENS = 64


async def extract_entities(stage: Stage) -> StageReport:
    """Every chunk has an extraction of today's prompt, model and types, and every entity is what its mentions say.

    Names of one thing stand at one entity.
    """
    version = entities_version(stage.settings)
    origin = task_origin(stage.settings, Extract)
    types, meanings, rounds = stage.settings.types, stage.settings.type_meanings, gleanings(stage.settings)
    await graph_entities.drop_old_failures(stage.graph, version=version)
    total = await graph_entities.count_stale_texts(stage.graph, version=version)
    stage.progress.stage("entities", total)
    done = 0
    if total:
        async with stage.language(total) as model:

            async def work(item: StaleText) -> Extraction:
                return await extract(model, Extract(text=item.text, types=types, meanings=meanings), rounds)

            async def write(
                finished: Sequence[Done[StaleText, Extraction]], failed: Sequence[Failed[StaleText]]
            ) -> None:
                rows = [extraction_row(one.item.text_hash, one.result, types, origin) for one in finished]
                await graph_entities.write_extractions(stage.graph, rows, version=version)
                await graph_entities.write_failed_extractions(
                    stage.graph, {one.item.text_hash: one.failure for one in failed}, version=version
                )

            fetch = partial(_fetch, stage, version)
            items = paged(fetch, lambda item: item.text_hash, "")
            tally = await reconcile(
                items,
                work,
                write,
                concurrency=stage.settings.concurrency,
                progress=stage.progress,
                doubt=stage.doubt("entities", lambda said: not said.entities and not said.relationships),
            )
            done = tally.done
    resolved = await resolve_names(stage)
    deleted = await describe_touched(stage)
    return await _report(stage, version, resolved, new=done, deleted=deleted)


async def extract(model: LanguageModel, task: Extract, rounds: int = 0) -> Extraction:
    """What the text says, looked at again so many rounds as long as they bring anything.

    A text that is too long for the model, or says too much, is extracted in halves. Raises CallTooLong where a part of
    fewer than twice LEAST_TOKENS is still too long.
    """
    try:
        return await _glean(model, task, await model.perform(task), rounds)
    except CallTooLong:
        tokens = count_tokens(task.text)
        if tokens < 2 * LEAST_TOKENS:
            raise
    pieces = split(task.text, -(-tokens // 2))
    return _joined([await extract(model, task.model_copy(update={"text": piece.text}), rounds) for piece in pieces])


async def _glean(model: LanguageModel, task: Extract, extraction: Extraction, rounds: int) -> Extraction:
    for _ in range(rounds):
        names = tuple(dict.fromkeys(entity.name for entity in extraction.entities))
        more = await model.perform(Glean(text=task.text, types=task.types, meanings=task.meanings, found=names))
        if not more.entities and not more.relationships:
            break
        extraction = _joined([extraction, more])
    return extraction


def _joined(parts: Sequence[Extraction]) -> Extraction:
    """All that the parts say; the bounds of one output do not hold for several."""
    return Extraction.model_construct(
        entities=[entity for part in parts for entity in part.entities],
        relationships=[said for part in parts for said in part.relationships],
    )


async def _fetch(stage: Stage, version: str, after: str) -> list[StaleText]:
    return await graph_entities.stale_texts(stage.graph, version=version, after=after, limit=PAGE)


async def describe_touched(stage: Stage) -> int:
    """Touched entities and their pairs are what their mentions and statements say; returns how many are gone."""
    deleted = 0

    async def describe(names: Sequence[str]) -> None:
        nonlocal deleted
        mentions, statements = await asyncio.gather(
            graph_entities.mentions_of(stage.graph, names), graph_entities.statements_of(stage.graph, names)
        )
        entities, pairs = describe_entities(mentions), describe_pairs(statements)
        deleted += await graph_entities.write_described(stage.graph, names, entities, pairs)

    while touched := await graph_entities.touched_entities(stage.graph):
        await in_parts(touched, describe)
    return deleted


async def _report(stage: Stage, version: str, resolved: Resolved, *, new: int, deleted: int) -> StageReport:
    held, sample = await asyncio.gather(
        graph_entities.extraction_counts(stage.graph, version=version),
        graph_entities.entity_sample(stage.graph, SAMPLE),
    )
    return StageReport(
        new=new,
        reused=held.texts - new,
        deleted=deleted,
        sample=sample,
        tables={"merges": resolved.sample},
        facts={
            "entities": held.entities,
            "relationships": held.statements,
            "chunks_without_entity": held.empty,
            "merged_names": resolved.merged,
            "moved_names": resolved.moved,
            "decided_pairs": resolved.decided,
            "resolution_calls": resolved.spent.language_calls,
            "resolution_input_tokens": resolved.spent.input_tokens,
            "resolution_output_tokens": resolved.spent.output_tokens,
        },
    )


@dg.asset(
    key=["drift", "entities"],
    deps=[chunks],
    group_name="drift_index",
    kinds={"neo4j"},
    description=(
        "Every chunk MENTIONS its entities; every `__Entity__` has its spellings, type and descriptions; "
        "names of one thing stand at one of them; RELATIONSHIPs state what chunks say of two, and pairs sum them up."
    ),
)
def entities(context: dg.AssetExecutionContext, drift: DriftResource) -> dg.MaterializeResult[Any]:
    """Extract entities and relationships of each chunk."""
    return materialise(context, drift.settings(), extract_entities)
