"""Chunks: the documents of the corpus folder, cut into chunks, in Neo4j."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import dagster as dg

from drift_assets import chunking
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage, materialise
from drift_assets.assets.versions import chunks_version
from drift_assets.demo import corpus_folder
from drift_assets.documents import Document, Skipped, document_id, is_converted, read_documents, survey
from drift_assets.english import is_english
from drift_assets.errors import CorpusError, SettingsError
from drift_assets.fingerprint import fingerprint
from drift_assets.graph import chunks as graph_chunks
from drift_assets.graph.chunks import ChunkRow, DocumentRow, StoredDocument
from drift_assets.graph.connection import Graph
from drift_assets.graph.failures import FailedItem
from drift_assets.graph.schema import IndexState, index_state, set_corpus_version
from drift_assets.graph.searches import forget_document_passages
from drift_assets.language.choose import begin_language, refuse_unusable
from drift_assets.reconcile import in_parts
from drift_assets.resources import DriftResource
from drift_assets.settings import Settings

BATCH_CHUNKS = 256
MANY_DOCUMENTS = 10
SAMPLE = 5


@dataclass(slots=True)
class Found:
    """What a first look at the folder brought, for each readable document, and what was skipped.

    `hashes` are those of the texts, `described` those of title and metadata, `paths` the files. `english` and `other`
    are how many characters were read in documents that are English and that are not, `foreign` the latter's ids.
    `left_out` are how many files are of each kind that is not read.
    """

    hashes: dict[str, str] = field(default_factory=dict)
    described: dict[str, str] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    english: int = 0
    other: int = 0
    foreign: list[str] = field(default_factory=list)


def document_row(document: Document, settings: Settings) -> DocumentRow:
    """The document with its chunks; equal texts within it are told apart by their occurrence."""
    seen: Counter[str] = Counter()
    rows = []
    for piece in chunking.split(document.text, settings.chunk_tokens):
        text_hash = fingerprint("text", piece.text)
        seen[text_hash] += 1
        rows.append(
            ChunkRow(
                id=fingerprint("chunk", document.id, text_hash, seen[text_hash]),
                text=piece.text,
                text_hash=text_hash,
                position=piece.position,
                start=piece.start,
                end=piece.end,
                tokens=piece.tokens,
                page=document.page_at(piece.start),
                last_page=document.page_at(piece.end - 1),
            )
        )
    return DocumentRow(
        id=document.id,
        title=document.title,
        uri=document.uri,
        content_hash=document.content_hash,
        chunking=chunks_version(settings),
        tokens=document.tokens,
        metadata=json.dumps(document.metadata, sort_keys=True, ensure_ascii=False),
        chunks=tuple(rows),
        described=document.described,
        source=document.source,
    )


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
    for batch in _batches(folder, _otherwise_described(found, stored, stale), stage.settings, found):
        await graph_chunks.describe_documents(stage.graph, batch)
    deleted = await graph_chunks.delete_orphans(stage.graph)
    await set_corpus_version(stage.graph, version=fingerprint("corpus", sorted(found.hashes.items())))
    report = await _report(stage, found, new=new, deleted=deleted, changed=len(stale), gone=len(gone))
    report.facts["new_documents"] = sum(id_ not in stored for id_ in stale)
    return report


def look(folder: Path, stored: Mapping[str, StoredDocument], settings: Settings) -> Found:
    """Hashes of all readable documents, read one at a time, and the files that are skipped.

    A file that was converted for a document of `stored` is not converted again as long as its bytes are the same.
    """
    paths, others = survey(folder)
    largest = settings.max_file_mb
    found = Found(left_out=others)
    for path in paths:
        known = stored.get(document_id(folder, path))
        if known and known.id not in found.paths and is_converted(folder, path, known.source, largest):
            found.hashes[known.id], found.described[known.id] = known.content_hash, known.described
            found.paths[known.id] = path
            continue
        for document in read_documents(folder, path, largest):
            _note(found, document, path)
    return found


def _note(found: Found, document: Document | Skipped, path: Path) -> None:
    if isinstance(document, Skipped):
        found.skipped.append(document)
    elif found.paths.get(document.id) == path:
        found.skipped.append(Skipped(document.id, "an earlier row has the same id"))
    elif document.id in found.paths:
        found.skipped.append(Skipped(document.id, "another file has the same name in other characters"))
    else:
        found.hashes[document.id], found.paths[document.id] = document.content_hash, path
        found.described[document.id] = document.described
        english = is_english(document.text)
        if english:
            found.english += len(document.text)
        elif english is False:
            found.other += len(document.text)
            found.foreign.append(document.id)


def changed_documents(found: Found, stored: dict[str, StoredDocument], settings: Settings) -> list[str]:
    """Ids of the readable documents that are new, have another text, or would be cut otherwise."""
    version = chunks_version(settings)
    return [
        id_
        for id_, content_hash in found.hashes.items()
        if id_ not in stored or (stored[id_].content_hash, stored[id_].chunking) != (content_hash, version)
    ]


def _otherwise_described(found: Found, stored: Mapping[str, StoredDocument], changed: Sequence[str]) -> list[str]:
    """Ids of stored documents whose title or metadata alone differ from what is stored."""
    differ = {id_ for id_, said in found.described.items() if id_ in stored and stored[id_].described != said}
    differ.difference_update(changed)
    return [id_ for id_ in found.described if id_ in differ]


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
        named = "".join(f"; {item.id}: {item.reason}" for item in found.skipped[:3])
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
            raise CorpusError(f"{skipped.id} was indexed and {skipped.reason}; nothing was changed")


def _refuse_other_languages(folder: Path, found: Found, stage: Stage) -> None:
    """CorpusError when most of what was read is not English; documents that are not are named otherwise."""
    if not found.foreign:
        return
    some = ", ".join(found.foreign[:3]) + (", …" if len(found.foreign) > 3 else "")
    if found.other > found.english:
        raise CorpusError(
            f"most of {folder} is not English ({len(found.foreign)} of {len(found.hashes)} documents: {some}), which "
            "is all that the extractive mode reads; nothing was changed: set OPENAI_API_KEY, or OPENAI_BASE_URL and "
            "DRIFT_LANGUAGE=openai, to use a language model"
        )
    stage.progress.note(
        f"the extractive mode reads English only and finds little in {some} ({len(found.foreign)} documents)"
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


def read_changed(folder: Path, ids: list[str], found: Found, settings: Settings) -> Iterator[Document]:
    """These documents, read one at a time; one that became unreadable is skipped by name."""
    for path, group in groupby(ids, key=lambda id_: found.paths[id_]):
        wanted = set(group)
        for document in read_documents(folder, path, settings.max_file_mb):
            if isinstance(document, Skipped):
                if document not in found.skipped:
                    found.skipped.append(document)
            elif document.id in wanted:
                wanted.remove(document.id)
                yield document


async def _report(stage: Stage, found: Found, *, new: int, deleted: int, changed: int, gone: int) -> StageReport:
    for skipped in found.skipped:
        stage.progress.note(f"skipped {skipped.id}: {skipped.reason}")
    if found.left_out:
        kinds = ", ".join(f"{count:,} {kind or 'without an ending'}" for kind, count in found.left_out.items())
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


async def known_folder(graph: Graph | None, command: str = "drift index") -> Path:
    """The folder that the index was made from; SettingsError when there is none, which says how to name one."""
    state = await index_state(graph) if graph else None
    if state is None or state.corpus is None:
        raise SettingsError(f"no corpus folder: name one (`{command} FOLDER`) or set DRIFT_CORPUS")
    return Path(state.corpus)


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
    from drift_assets.assets.estimate import earlier_runs
    from drift_assets.assets.foretelling import foretell

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
