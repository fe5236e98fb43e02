"""Chunks: the documents of the corpus folder, cut into chunks, in Neo4j."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from drift_assets.assets.corpus import (
    Found,
    changed_documents,
    document_row,
    known_folder,
    look,
    otherwise_described,
    read_changed,
)
from drift_assets.assets.estimate import earlier_runs
from drift_assets.assets.foretelling import foretell
from drift_assets.assets.materialising import materialise
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage
from drift_assets.demo import corpus_folder
from drift_assets.errors import CorpusError
from drift_assets.fingerprint import fingerprint
from drift_assets.graph import chunks as graph_chunks
from drift_assets.graph.chunks import DocumentRow, StoredDocument
from drift_assets.graph.failures import FailedItem
from drift_assets.graph.schema import IndexState, index_state, set_corpus_version
from drift_assets.graph.searches import forget_document_passages
from drift_assets.language.choose import begin_language, refuse_unusable
from drift_assets.reconcile import in_parts
from drift_assets.resources import DriftResource
from drift_assets.settings import Settings
from drift_assets.wording import counted, shown_name

BATCH_CHUNKS = 256
MANY_DOCUMENTS = 10
SAMPLE = 5


async def sync_chunks(stage: Stage, folder: Path, *, replace: bool, allow_deletes: bool) -> StageReport:
    """Neo4j holds exactly the documents below `folder` and their chunks.

    Raises CorpusError, before anything is changed, when the folder is missing, another one than the index was made
    from (unless `replace`), without a readable document, or without over half of ten or more documents (unless
    `allow_deletes`).
    """
    folder = folder.expanduser().resolve()
    state, documents = await asyncio.gather(index_state(stage.graph), graph_chunks.stored_documents(stage.graph))
    stored = {document.id: document for document in documents}
    replacing = _replaces(state, folder, stored, replace)
    found = look(folder, stored, stage.settings)
    gone = sorted(set(stored) - set(found.hashes))
    if stage.settings.language_name == "extractive":
        _refuse_other_languages(folder, found, stage)
    if not (allow_deletes or replacing):
        _refuse_missing_extra(found, gone)
    _refuse_loss(folder, found, stored, gone, allow_deletes or replacing)
    if state and replacing:
        given_up = "the demo's index" if state.demo else f"the index of {state.corpus}"
        stage.progress.note(f"{given_up} is replaced by {folder}")

    # Passages go first: once its document is gone, nothing tells that they were to go.
    await forget_document_passages(stage.graph, gone)
    demo = folder == corpus_folder().resolve()
    await graph_chunks.adopt_corpus(stage.graph, corpus=str(folder), demo=demo, gone=gone)
    stale = changed_documents(found, stored, stage.settings)
    stage.progress.stage("chunks", len(stale))
    new = 0

    async def write(batch: Sequence[DocumentRow]) -> None:
        nonlocal new
        new += await graph_chunks.write_documents(stage.graph, batch)
        stage.progress.advance(len(batch))

    for batch in _batches(folder, stale, stage.settings, found):
        await in_parts(batch, write)
    for batch in _batches(folder, otherwise_described(found, stored, stale), stage.settings, found):
        await graph_chunks.describe_documents(stage.graph, batch)
    deleted = await graph_chunks.delete_orphans(stage.graph)
    await set_corpus_version(stage.graph, version=fingerprint("corpus", sorted(found.hashes.items())))
    report = await _report(stage, found, new=new, deleted=deleted, changed=len(stale), gone=len(gone))
    report.facts["new_documents"] = sum(id_ not in stored for id_ in stale)
    return report


def _replaces(state: IndexState | None, folder: Path, stored: dict[str, StoredDocument], replace: bool) -> bool:
    """Whether the index of another folder is given up; CorpusError when that was not asked for."""
    if state is None or state.corpus is None or state.corpus == str(folder) or not stored:
        return False
    if not (state.demo or replace):
        raise CorpusError(
            f"the index was made from {state.corpus}, not from {folder}: "
            "index that folder, replace it by `drift index --replace`, or keep both: another DRIFT_HOME has an index "
            "of its own, and so has another NEO4J_DATABASE of your own server"
        )
    return True


def _refuse_loss(folder: Path, found: Found, stored: dict[str, StoredDocument], gone: list[str], allowed: bool) -> None:
    if not found.hashes:
        named = "".join(f"; {shown_name(item.id)}: {item.reason}" for item in found.skipped[:3])
        raise CorpusError(f"{folder} holds no readable document{named}; nothing was changed")
    moved_to = {hash_ for id_, hash_ in found.hashes.items() if id_ not in stored}
    lost = [id_ for id_ in gone if stored[id_].content_hash not in moved_to]
    if not allowed and len(stored) >= MANY_DOCUMENTS and len(lost) > len(stored) / 2:
        raise CorpusError(
            f"{len(lost)} of {len(stored)} documents are gone from {folder}; nothing was changed: "
            "is the disk mounted? give --allow-deletes when they are meant to be gone"
        )


def _refuse_missing_extra(found: Found, gone: list[str]) -> None:
    """CorpusError when documents would go only because packages that once read them are not installed any more."""
    for skipped in found.skipped:
        if skipped.missing and any(id_ == skipped.id or id_.startswith(f"{skipped.id}#") for id_ in gone):
            raise CorpusError(f"{shown_name(skipped.id)} was indexed and {skipped.reason}; nothing was changed")


def _refuse_other_languages(folder: Path, found: Found, stage: Stage) -> None:
    """CorpusError when most of the text, by its length, is not English; otherwise a note names what is not."""
    if not found.foreign:
        return
    some = ", ".join(map(shown_name, found.foreign[:3])) + (", …" if len(found.foreign) > 3 else "")
    if found.other > found.english:
        raise CorpusError(
            f"most of the text in {folder}, by its length, is not English "
            f"({counted(len(found.foreign), 'document')} of {len(found.hashes):,}: {some}), which is all that the "
            "extractive mode reads; nothing was changed: take these out of the folder, or set OPENAI_API_KEY, or "
            "OPENAI_BASE_URL and DRIFT_LANGUAGE=openai, to use a language model"
        )
    stage.progress.note(
        f"the extractive mode reads English only and finds little in {some} ({counted(len(found.foreign), 'document')})"
    )


def _batches(folder: Path, ids: list[str], settings: Settings, found: Found) -> Iterator[list[DocumentRow]]:
    """Changed documents, cut, some hundred chunks at a time."""
    batch: list[DocumentRow] = []
    for document in read_changed(folder, ids, found, settings):
        batch.append(document_row(document, settings))
        if sum(len(row.chunks) for row in batch) >= BATCH_CHUNKS:
            yield batch
            batch = []
    if batch:
        yield batch


async def _report(stage: Stage, found: Found, *, new: int, deleted: int, changed: int, gone: int) -> StageReport:
    for skipped in found.skipped:
        stage.progress.note(f"skipped {shown_name(skipped.id)}: {skipped.reason}")
    if found.left_out:
        kinds = ", ".join(
            f"{count:,} {shown_name(kind) or 'without an ending'}" for kind, count in found.left_out.items()
        )
        stage.progress.note(f"left out, since files of these kinds are not read: {kinds}")
    held, sample = await asyncio.gather(
        graph_chunks.count_chunks(stage.graph), graph_chunks.chunk_sample(stage.graph, SAMPLE)
    )
    return StageReport(
        new=new,
        reused=held - new,
        deleted=deleted,
        sample=sample,
        failures=[FailedItem("chunks", item.id, item.reason) for item in found.skipped],
        facts={
            "documents": len(found.hashes),
            "changed_documents": changed,
            "deleted_documents": gone,
            "skipped_files": len(found.skipped),
            "left_out_files": sum(found.left_out.values()),
        },
    )


class ChunksConfig(dg.Config):
    """Which folder to index, and what is allowed."""

    folder: str | None = None
    replace: bool = False
    allow_deletes: bool = False


@dg.asset(
    key=["drift", "chunks"],
    group_name="drift_index",
    kinds={"neo4j", "python"},
    description="Every readable document of the corpus folder is a `__Document__`, cut into `__Chunk__`s in order.",
)
def chunks(context: dg.AssetExecutionContext, config: ChunksConfig, drift: DriftResource) -> dg.MaterializeResult[Any]:
    """Sync documents and chunks with the corpus folder."""
    settings = drift.settings()
    refuse_unusable(settings)
    named = Path(config.folder) if config.folder else settings.corpus

    async def work(stage: Stage) -> StageReport:
        folder = named or await known_folder(stage.graph)
        report = await sync_chunks(stage, folder, replace=config.replace, allow_deletes=config.allow_deletes)
        await foretell(stage, report, lambda: earlier_runs(context.instance, settings))
        if report.new:
            begin_language(settings)
        return report

    return materialise(context, settings, work)
