"""Documents of other forms than plain text, in the index."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from drift_assets import documents
from drift_assets.errors import CorpusError
from drift_assets.graph.connection import open_graph
from drift_assets.graph.retrieval import chunks_mentioning
from drift_tests.assets.bench import Bench
from drift_tests.assets.test_chunks import sync
from drift_tests.formats.files import encrypted, pdf, word

PAGE = ["Martha Reeve keeps the Fog Organ of Port Merrin and plays it in every fog.", "It is loud."] * 3
DOCUMENTS = "MATCH (d:__Document__) RETURN d.id, d.title, d.metadata ORDER BY d.id"
TEXTS = "MATCH (c:__Chunk__)-[:PART_OF]->(d) RETURN d.id, c.text ORDER BY d.id, c.position"


def test_a_file_too_large_is_named_and_counted_and_the_others_are_indexed(bench: Bench) -> None:
    bench.write(
        {"log.txt": "The keeper wrote down the hour and the wind.\n" * 30_000, "plain.txt": "Martha Reeve again."}
    )
    report = sync(bench, max_file_mb=1)

    reason = "larger than 1 MB: divide it, or raise DRIFT_MAX_FILE_MB"
    assert (report.facts["documents"], report.facts["skipped_files"]) == (1, 1)
    assert f"skipped log.txt: {reason}" in bench.notes.lines
    assert [(item.item, item.reason) for item in report.failures] == [("log.txt", reason)]
    assert sync(bench, max_file_mb=2).facts["documents"] == 2


def test_a_chunk_knows_its_pages_and_the_title_of_its_source_names_them(bench: Bench) -> None:
    bench.write({"organ.pdf": pdf([PAGE, ["Short."], PAGE], "/Title (The Organ)"), "plain.txt": "Martha Reeve again."})
    bench.index(until="entities")

    rows = bench.values(
        "MATCH (c:__Chunk__)-[:PART_OF]->(d) RETURN d.id, c.page, c.last_page ORDER BY d.id, c.position"
    )
    pages = [row[1:] for row in rows if row[0] == "organ.pdf"]
    assert rows[-1] == ("plain.txt", None, None)
    assert pages[0][0] == 1
    assert pages[-1][1] == 3
    assert all(first <= last for first, last in pages)

    async def titles() -> set[str]:
        async with open_graph(bench.address) as graph:
            found = await chunks_mentioning(graph, names=["MARTHA REEVE"], vectors="", vector=[1.0] * 16, count=9)
            return {piece.title for piece in found}

    named = {
        f"The Organ, page {first}" if first == last else f"The Organ, pages {first}–{last}" for first, last in pages
    }
    assert asyncio.run(titles()) == {*named, "plain"}


def test_rows_of_a_table_are_documents_that_come_change_and_go_by_themselves(bench: Bench) -> None:
    bench.write({"a.csv": "id,title,text,url\n1,One,First text.,https://one\n2,,Second text.,\n"})
    assert sync(bench).facts["changed_documents"] == 2
    assert [(id_, title) for id_, title, _ in bench.values(DOCUMENTS)] == [("a.csv#1", "One"), ("a.csv#2", "2")]
    assert json.loads(bench.values(DOCUMENTS)[0][2]) == {"url": "https://one"}

    bench.write({"a.csv": "id,title,text,url\n3,,Third text.,\n2,,Second text!,\n"})
    report = sync(bench)

    assert bench.values(TEXTS) == [("a.csv#2", "Second text!"), ("a.csv#3", "Third text.")]
    assert (report.facts["changed_documents"], report.facts["deleted_documents"]) == (2, 1)
    assert sync(bench).facts["changed_documents"] == 0


def test_a_second_row_of_the_same_id_is_skipped_by_name(bench: Bench) -> None:
    bench.write({"a.jsonl": '{"id": 1, "text": "A."}\n{"id": 1, "text": "B."}\n'})
    sync(bench)

    assert bench.values(TEXTS) == [("a.jsonl#1", "A.")]
    assert bench.notes.lines == ["skipped a.jsonl#1: an earlier row has the same id"]


def test_other_metadata_is_written_without_touching_a_chunk(bench: Bench) -> None:
    bench.write({"a.csv": "id,text,author\n1,A text.,Ada\n"})
    sync(bench)
    bench.on_stage(lambda stage: stage.graph.write("MATCH (c:__Chunk__) SET c.mark = true"))
    bench.write({"a.csv": "id,text,author\n1,A text.,Tobias\n"})

    report = sync(bench)

    assert bench.values("MATCH (d:__Document__) RETURN d.metadata") == ['{"author": "Tobias"}']
    assert bench.values("MATCH (c:__Chunk__) RETURN c.mark") == [True]
    assert report.facts["changed_documents"] == 0


def test_an_index_of_before_gets_the_metadata_that_is_read_now(bench: Bench) -> None:
    bench.write({"a.md": "---\ntitle: The Organ\nauthor: Ada Moss\n---\nA text."})
    sync(bench)
    after = bench.everything()
    bench.on_stage(
        lambda stage: stage.graph.write(
            "MATCH (d:__Document__) SET d.title = 'a', d.metadata = '{}' REMOVE d.described, d.source"
        )
    )
    report = sync(bench)

    assert bench.everything() == after
    assert (report.new, report.facts["changed_documents"]) == (0, 0)


def test_a_file_is_not_converted_again_while_it_is_the_same(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write({"a.pdf": pdf([PAGE]), "b.html": "<p>A page.</p>", "c.docx": word(["A letter."])})
    sync(bench)
    before = bench.everything()

    def refuse(suffix: str, data: bytes) -> None:
        pytest.fail(f"{suffix} was converted")

    with monkeypatch.context() as patch:
        patch.setattr(documents, "convert", refuse)
        assert sync(bench).facts["documents"] == 3
    assert bench.everything() == before
    bench.write({"b.html": "<p>Another page.</p>"})
    assert sync(bench).facts["changed_documents"] == 1


def test_each_bad_file_is_named_skipped_and_counted_and_the_rest_is_indexed(bench: Bench) -> None:
    bench.write(
        {
            "good.txt": "A text.",
            "encrypted.pdf": encrypted(pdf([PAGE]), "secret"),
            "scan.pdf": pdf([[], []]),
            "corrupt.docx": word(["A text."])[:100],
            "columns.csv": "number,body\n1,A text.\n",
            "huge.md": "A text. " * 130_000,
        }
    )

    report = sync(bench, max_file_mb=1)

    assert report.facts["skipped_files"] == 5
    assert {line.partition(":")[0] for line in bench.notes.lines} == {
        "skipped columns.csv",
        "skipped corrupt.docx",
        "skipped encrypted.pdf",
        "skipped huge.md",
        "skipped scan.pdf",
    }
    assert bench.values(TEXTS) == [("good.txt", "A text.")]


def test_documents_do_not_go_because_their_converter_is_gone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write({"a.txt": "A text.", "b.html": "<p>A page.</p>"})
    sync(bench)
    before = bench.everything()
    monkeypatch.setitem(sys.modules, "markitdown", None)
    monkeypatch.setattr("drift_assets.formats.convert._CONVERTERS", dict(documents_without_office()))

    with pytest.raises(CorpusError, match=r"b.html was indexed and needs more packages: pip install 'drift"):
        sync(bench)
    assert bench.everything() == before
    sync(bench, allow_deletes=True)
    assert bench.values(TEXTS) == [("a.txt", "A text.")]


def documents_without_office() -> dict[str, object]:
    """The converters as they are when markitdown is not installed: without a version of it."""
    from drift_assets.formats import convert

    return {
        suffix: (read, (lambda: "none") if suffix != ".pdf" else named)
        for suffix, (read, named) in convert._CONVERTERS.items()
    }
