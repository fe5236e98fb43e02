"""The corpus folder held against what is stored of it: what is new, changed and gone, and its documents cut."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from drift_assets import chunking
from drift_assets.assets.versions import chunks_version
from drift_assets.documents import Document, Skipped, document_id, is_converted, read_documents, survey
from drift_assets.english import is_english
from drift_assets.errors import SettingsError
from drift_assets.fingerprint import fingerprint
from drift_assets.graph.chunks import ChunkRow, DocumentRow, StoredDocument
from drift_assets.graph.connection import Graph
from drift_assets.graph.schema import index_state
from drift_assets.settings import Settings


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


async def known_folder(graph: Graph | None, command: str = "drift index") -> Path:
    """The folder that the index was made from; SettingsError when there is none, which says how to name one."""
    state = await index_state(graph) if graph else None
    if state is None or state.corpus is None:
        raise SettingsError(f"no corpus folder: name one (`{command} FOLDER`) or set DRIFT_CORPUS")
    return Path(state.corpus)


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


def otherwise_described(found: Found, stored: Mapping[str, StoredDocument], changed: Sequence[str]) -> list[str]:
    """Ids of stored documents whose title or metadata alone differ from what is stored."""
    differ = {id_ for id_, said in found.described.items() if id_ in stored and stored[id_].described != said}
    differ.difference_update(changed)
    return [id_ for id_ in found.described if id_ in differ]


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
