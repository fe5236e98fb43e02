"""Documents and chunks: what is stored, what a document should hold, and what has lost its document.

A chunk is written once and never changed but for its place: its id comes from its document, its text and which
occurrence of that text it is. A new chunk whose text another chunk has already takes over that chunk's extraction
and vector, so that a moved, renamed or copied text costs no call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from drift_assets.graph.connection import Graph, Transaction

_PAGE = 5_000
_DELETE_BATCH = 500


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What tells whether a stored document is up to date.

    `described` is the hash of its title and metadata, `source` that of the file that was converted to its text; both
    are "" where there is none.
    """

    id: str
    content_hash: str
    chunking: str
    described: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as it should be stored; start and end are code points of the document's text.

    `page` and `last_page` count from 1, None in a document without pages.
    """

    id: str
    text: str
    text_hash: str
    position: int
    start: int
    end: int
    tokens: int
    page: int | None = None
    last_page: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as it should be stored, with its chunks in order; `metadata` is JSON.

    For `described` and `source` see StoredDocument.
    """

    id: str
    title: str
    uri: str
    content_hash: str
    chunking: str
    tokens: int
    metadata: str
    chunks: tuple[ChunkRow, ...]
    described: str = ""
    source: str = ""


async def stored_documents(graph: Graph) -> list[StoredDocument]:
    """All documents of the index, by id."""
    found: list[StoredDocument] = []
    while True:
        rows = await graph.read(
            "MATCH (d:__Document__) WHERE d.id > $after "
            "RETURN d.id AS id, d.content_hash AS content_hash, coalesce(d.chunking, '') AS chunking, "
            "coalesce(d.described, '') AS described, coalesce(d.source, '') AS source "
            "ORDER BY d.id LIMIT $limit",
            after=found[-1].id if found else "",
            limit=_PAGE,
        )
        if not rows:
            return found
        found += [StoredDocument(**row) for row in rows]


async def adopt_corpus(graph: Graph, *, corpus: str, demo: bool, gone: Sequence[str]) -> None:
    """The index is of this corpus folder, and the documents `gone`, which are not in it, are gone, both at once.

    Their chunks wait for `delete_orphans`.
    """

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            "MATCH (i:__Index__ {id: 'drift'}) SET i.corpus = $corpus, i.demo = $demo", corpus=corpus, demo=demo
        )
        await transaction.run("MATCH (d:__Document__) WHERE d.id IN $ids DETACH DELETE d", ids=list(gone))

    await graph.write_together(work)


async def write_documents(graph: Graph, documents: Sequence[DocumentRow]) -> int:
    """The documents and exactly their chunks are stored and linked; returns how many chunks are new.

    Chunks that a document no longer has lose their PART_OF and wait for `delete_orphans`: until then another
    document that now holds their text can take over what is known of it.
    """

    async def work(transaction: Transaction) -> int:
        ids = [document.id for document in documents]
        await transaction.run("UNWIND $ids AS id MERGE (:__Document__ {id: id})", ids=ids)
        await _describe(transaction, documents)
        return await _write_chunks(transaction, documents)

    return await graph.write_together(work)


async def describe_documents(graph: Graph, documents: Sequence[DocumentRow]) -> None:
    """Stored documents have these titles and metadata; their chunks are left as they are."""

    async def work(transaction: Transaction) -> None:
        await _describe(transaction, documents)

    await graph.write_together(work)


async def _describe(transaction: Transaction, documents: Sequence[DocumentRow]) -> None:
    rows = [{**asdict(document), "chunks": None, "source": document.source or None} for document in documents]
    await transaction.run(
        "UNWIND $rows AS row MATCH (d:__Document__ {id: row.id}) "
        "SET d.title = row.title, d.uri = row.uri, d.content_hash = row.content_hash, d.chunking = row.chunking, "
        "d.tokens = row.tokens, d.metadata = row.metadata, d.described = row.described, d.source = row.source",
        rows=rows,
    )


async def _write_chunks(transaction: Transaction, documents: Sequence[DocumentRow]) -> int:
    chunks = [{**asdict(c), "document": document.id} for document in documents for c in document.chunks]
    ids = [chunk["id"] for chunk in chunks]
    known = await transaction.run("MATCH (c:__Chunk__) WHERE c.id IN $ids RETURN collect(c.id) AS ids", ids=ids)
    new = sorted(set(ids) - set(known[0]["ids"]))
    await transaction.run(
        "UNWIND $documents AS id MATCH (d:__Document__ {id: id})<-[part:PART_OF]-(c:__Chunk__) "
        "OPTIONAL MATCH (c)-[next:NEXT_CHUNK]->() DELETE part, next",
        documents=[document.id for document in documents],
    )
    # A chunk that lost its document in a run that was broken off still has its old successor.
    await transaction.run("MATCH (c:__Chunk__)-[next:NEXT_CHUNK]->() WHERE c.id IN $ids DELETE next", ids=ids)
    await transaction.run(
        "UNWIND $chunks AS row MATCH (d:__Document__ {id: row.document}) MERGE (c:__Chunk__ {id: row.id}) "
        "ON CREATE SET c.text = row.text, c.text_hash = row.text_hash, c.tokens = row.tokens "
        "SET c.position = row.position, c.start = row.start, c.end = row.end, c.page = row.page, "
        "c.last_page = row.last_page MERGE (c)-[:PART_OF]->(d)",
        chunks=chunks,
    )
    follows = [
        {"id": earlier.id, "next": later.id}
        for document in documents
        for earlier, later in zip(document.chunks, document.chunks[1:], strict=False)
    ]
    await transaction.run(
        "UNWIND $follows AS row MATCH (a:__Chunk__ {id: row.id}), (b:__Chunk__ {id: row.next}) "
        "MERGE (a)-[:NEXT_CHUNK]->(b)",
        follows=follows,
    )
    await _take_over(transaction, new)
    return len(new)


async def _take_over(transaction: Transaction, new: Sequence[str]) -> None:
    """New chunks get the extraction and the vectors of an older chunk with the same text, where there is one."""
    twins = await transaction.run(
        "UNWIND $new AS id MATCH (c:__Chunk__ {id: id}) MATCH (twin:__Chunk__ {text_hash: c.text_hash}) "
        "WHERE NOT twin.id IN $new WITH c, twin ORDER BY twin.id WITH c, head(collect(twin)) AS twin "
        "SET c.extraction = twin.extraction, c.origin = twin.origin, c.embedded = twin.embedded, "
        "c.embedding = twin.embedding, c.embedding_2 = twin.embedding_2 RETURN c.id AS id, twin.id AS twin",
        new=list(new),
    )
    await transaction.run(
        "UNWIND $twins AS row MATCH (c:__Chunk__ {id: row.id}), (:__Chunk__ {id: row.twin})-[m:MENTIONS]->(e) "
        "CREATE (c)-[copy:MENTIONS]->(e) SET copy = properties(m), e.touched = true",
        twins=twins,
    )
    await transaction.run(
        "UNWIND $twins AS row MATCH (a:__Entity__)-[r:RELATIONSHIP {chunk_id: row.twin}]->(b:__Entity__) "
        "CREATE (a)-[copy:RELATIONSHIP]->(b) SET copy = properties(r), copy.chunk_id = row.id, "
        "a.touched = true, b.touched = true",
        twins=twins,
    )


async def delete_orphans(graph: Graph) -> int:
    """Chunks without a document are gone, with what only they supported marked for `entities`; returns how many."""
    deleted = 0
    while True:
        rows = await graph.read(
            "MATCH (c:__Chunk__) WHERE NOT (c)-[:PART_OF]->() RETURN c.id AS id ORDER BY c.id LIMIT $limit",
            limit=_DELETE_BATCH,
        )
        if not rows:
            return deleted
        ids = [row["id"] for row in rows]

        async def work(transaction: Transaction, ids: list[str] = ids) -> None:
            await clear_extraction(transaction, ids)
            await transaction.run("MATCH (c:__Chunk__) WHERE c.id IN $ids DETACH DELETE c", ids=ids)

        await graph.write_together(work)
        deleted += len(ids)


async def clear_extraction(transaction: Transaction, chunk_ids: Sequence[str]) -> None:
    """Nothing is said by these chunks any more; the entities concerned are touched."""
    await transaction.run(
        "UNWIND $ids AS id MATCH (:__Chunk__ {id: id})-[m:MENTIONS]->(e:__Entity__) SET e.touched = true DELETE m",
        ids=list(chunk_ids),
    )
    await transaction.run(
        "UNWIND $ids AS id MATCH (a:__Entity__)-[r:RELATIONSHIP {chunk_id: id}]->(b:__Entity__) "
        "SET a.touched = true, b.touched = true DELETE r",
        ids=list(chunk_ids),
    )


async def chunk_sample(graph: Graph, limit: int) -> list[dict[str, str | int]]:
    """A few chunks for a person to look at: document, position, tokens and the beginning of the text."""
    return await graph.read(
        # The first documents first: sorting all chunks would read them all, however few are shown.
        "MATCH (d:__Document__) WITH d ORDER BY d.id LIMIT $limit "
        "MATCH (c:__Chunk__)-[:PART_OF]->(d) WITH d, c ORDER BY d.id, c.position LIMIT $limit "
        "RETURN d.title AS document, c.position AS position, c.tokens AS tokens, left(c.text, 160) AS text "
        "ORDER BY d.id, c.position",
        limit=limit,
    )


async def count_chunks(graph: Graph) -> int:
    """How many chunks the index holds."""
    rows = await graph.read("RETURN COUNT { (:__Chunk__) } AS count")
    return int(rows[0]["count"])
