"""The corpus folder and the index: what is taken over, what is refused, what is told."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from drift_assets.assets.chunks import sync_chunks
from drift_assets.assets.corpus import document_row
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage
from drift_assets.demo import corpus_folder
from drift_assets.documents import Document
from drift_assets.errors import CorpusError
from drift_assets.settings import load_settings
from drift_tests.assets.bench import Bench, Notes

DOCUMENTS = "MATCH (d:__Document__) RETURN d.id ORDER BY d.id"
CHUNKS = "MATCH (c:__Chunk__)-[:PART_OF]->(d) RETURN d.id, c.text ORDER BY d.id, c.position"
LONG = "\n\n".join(
    f"Paragraph {n} tells of ship number {n}, of its master and of its long way home." for n in range(12)
)


def sync(
    bench: Bench, folder: Path | None = None, *, replace: bool = False, allow_deletes: bool = False, **overrides: Any
) -> StageReport:
    async def work(stage: Stage) -> StageReport:
        return await sync_chunks(stage, folder or bench.folder, replace=replace, allow_deletes=allow_deletes)

    return bench.on_stage(work, **overrides)


def refused(bench: Bench, folder: Path | None = None, match: str = "") -> None:
    """The sync is refused with these words, and nothing was changed."""
    before = bench.everything()
    with pytest.raises(CorpusError, match=match):
        sync(bench, folder)
    assert bench.everything() == before


def test_a_row_has_the_chunks_of_its_text_with_offsets_into_it() -> None:
    text = LONG + "\n\n" + LONG
    row = document_row(Document("a.txt", "A", "a.txt", text, "hash", 1, {"bytes": 9}), load_settings(chunk_tokens=32))
    assert [text[chunk.start : chunk.end] for chunk in row.chunks] == [chunk.text for chunk in row.chunks]
    assert [chunk.position for chunk in row.chunks] == list(range(len(row.chunks)))
    assert len({chunk.text for chunk in row.chunks}) < len({chunk.id for chunk in row.chunks}) == len(row.chunks)
    assert row.metadata == '{"bytes": 9}'


def test_equal_texts_of_two_documents_have_one_hash_and_two_ids() -> None:
    one, two = (
        document_row(Document(id_, "A", id_, "Same text.", "hash", 1), load_settings()).chunks[0] for id_ in ("a", "b")
    )
    assert one.text_hash == two.text_hash
    assert one.id != two.id


def test_the_folder_is_indexed_with_its_subfolders(bench: Bench) -> None:
    bench.write({"a.txt": "Ä first.\r\n", "below/b.md": "# Heading\n\nA second.", ".hidden.txt": "x", "c.doc": "x"})
    report = sync(bench)
    assert bench.values(CHUNKS) == [("a.txt", "Ä first."), ("below/b.md", "# Heading\n\nA second.")]
    assert bench.values("MATCH (d:__Document__) RETURN d.title, d.uri ORDER BY d.id") == [
        ("a", "a.txt"),
        ("Heading", "below/b.md"),
    ]
    assert (report.new, report.reused, report.deleted) == (2, 0, 0)
    assert report.facts == {
        "documents": 2,
        "new_documents": 2,
        "changed_documents": 2,
        "deleted_documents": 0,
        "skipped_files": 0,
        "left_out_files": 1,
    }
    assert bench.notes.lines == ["left out, since files of these kinds are not read: 1 .doc"]


def test_a_second_time_writes_nothing(bench: Bench) -> None:
    bench.write({"a.txt": LONG, "b.txt": "Short."})
    sync(bench)
    before = bench.everything()
    report = sync(bench)
    assert bench.everything() == before
    assert (report.new, report.deleted, report.reused) == (0, 0, len(bench.values(CHUNKS)))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_with_blanks_and_accents_is_read_however_it_is_written(bench: Bench, form: str) -> None:
    bench.write({unicodedata.normalize(form, "Café au lait/Été 1903.txt"): "A summer."})
    sync(bench)
    assert bench.values(CHUNKS) == [("Café au lait/Été 1903.txt", "A summer.")]


def test_two_names_that_read_the_same_are_one_document_and_the_other_is_told(bench: Bench) -> None:
    bench.write({unicodedata.normalize(form, "Été.txt"): f"By {form}." for form in ("NFC", "NFD")})
    report = sync(bench)
    assert len(bench.values(DOCUMENTS)) == 1
    assert report.facts["skipped_files"] == 1
    before = bench.everything()
    sync(bench)
    assert bench.everything() == before


def test_files_that_cannot_be_read_are_skipped_by_name(bench: Bench) -> None:
    bench.write({"a.txt": "Good.", "b.txt": b"\x00\x01\x02\x03" * 50, "c.txt": "", "d.md": " \n"})
    (bench.folder / "e.txt").symlink_to("nowhere")
    report = sync(bench)
    assert bench.values(DOCUMENTS) == ["a.txt"]
    assert [(item.stage, item.item) for item in report.failures] == [
        ("chunks", f"{n}") for n in ("b.txt", "c.txt", "d.md", "e.txt")
    ]
    assert report.facts["skipped_files"] == 4
    assert bench.notes.lines == [f"skipped {item.item}: {item.reason}" for item in report.failures]


def test_an_edit_in_the_middle_renews_the_chunks_around_it_and_no_others(bench: Bench) -> None:
    bench.write({"a.txt": LONG})
    bench.chosen["chunk_tokens"] = 32
    sync(bench)
    count = len(bench.values(CHUNKS))
    bench.write({"a.txt": LONG.replace("ship number 6", "boat number 6")})
    report = sync(bench)
    assert 1 <= report.new <= 3
    assert 1 <= report.deleted <= 3
    assert report.reused >= count - 3
    assert "".join(text for _, text in bench.values(CHUNKS)).count("boat") == 1


def test_another_chunk_size_cuts_every_document_anew(bench: Bench) -> None:
    bench.write({"a.txt": LONG, "b.txt": "Short."})
    sync(bench)
    before = len(bench.values(CHUNKS))
    bench.chosen["chunk_tokens"] = 32
    report = sync(bench)
    assert report.facts["changed_documents"] == 2
    assert len(bench.values(CHUNKS)) > before


def test_a_renamed_file_is_not_lost_and_a_removed_one_is_gone(bench: Bench) -> None:
    bench.write({"a.txt": "First.", "b.txt": "Second.", "c.txt": "Third."})
    sync(bench)
    shutil.move(bench.folder / "a.txt", bench.folder / "z.txt")
    bench.write({"b.txt": None})
    report = sync(bench)
    assert bench.values(CHUNKS) == [("c.txt", "Third."), ("z.txt", "First.")]
    assert (report.new, report.deleted) == (1, 2)
    assert report.facts["deleted_documents"] == 2


def test_a_missing_folder_is_refused(bench: Bench) -> None:
    bench.write({"a.txt": "Text."})
    sync(bench)
    shutil.rmtree(bench.folder)
    refused(bench, match="does not exist")


@pytest.mark.parametrize("files", [{}, {"a.txt": ""}, {"a.pdf": "x"}], ids=["empty", "only empty files", "others"])
def test_a_folder_without_a_readable_document_is_refused(bench: Bench, files: dict[str, str]) -> None:
    bench.write({"first.txt": "Text."})
    sync(bench)
    bench.write({"first.txt": None, **files})
    refused(bench, match=r"holds no readable document.*nothing was changed")


def test_another_folder_is_refused_until_it_is_to_replace_the_first(bench: Bench, tmp_path: Path) -> None:
    bench.write({"a.txt": "First.", "same.txt": "Both."})
    sync(bench)
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("Second.")
    (other / "same.txt").write_text("Both.")
    refused(bench, other, r"was made from .*corpus, not from .*other: .*--replace.*NEO4J_DATABASE")
    sync(bench, other, replace=True)
    assert bench.values(CHUNKS) == [("b.txt", "Second."), ("same.txt", "Both.")]
    assert bench.notes.lines == [f"the index of {bench.folder} is replaced by {other}"]
    refused(bench, bench.folder, "--replace")


def test_the_demo_is_replaced_by_the_first_other_folder_and_that_is_said(bench: Bench) -> None:
    bench.write({"a.txt": "Mine."})
    sync(bench, corpus_folder())
    assert len(bench.values(DOCUMENTS)) >= 10
    sync(bench)
    assert bench.values(DOCUMENTS) == ["a.txt"]
    assert bench.notes.lines == [f"the demo's index is replaced by {bench.folder}"]
    refused(bench, corpus_folder(), "--replace")


def test_more_than_half_of_ten_documents_gone_at_once_is_refused_unless_meant(bench: Bench) -> None:
    bench.write({f"{n}.txt": f"Text {n}." for n in range(10)})
    sync(bench)
    bench.write({f"{n}.txt": None for n in range(5)})
    sync(bench)
    assert len(bench.values(DOCUMENTS)) == 5, "half of them may go"
    bench.write({f"{n}.txt": f"Text {n}." for n in range(10)})
    sync(bench)
    bench.write({f"{n}.txt": None for n in range(6)})
    refused(bench, match=r"6 of 10 documents are gone.*is the disk mounted.*--allow-deletes")
    sync(bench, allow_deletes=True)
    assert len(bench.values(DOCUMENTS)) == 4


def test_moved_documents_are_not_gone(bench: Bench) -> None:
    bench.write({f"{n}.txt": f"Text {n}." for n in range(10)})
    sync(bench)
    (bench.folder / "moved").mkdir()
    for n in range(10):
        shutil.move(bench.folder / f"{n}.txt", bench.folder / "moved" / f"{n}.txt")
    sync(bench)
    assert bench.values(DOCUMENTS) == [f"moved/{n}.txt" for n in range(10)]


def test_fewer_than_ten_documents_may_go_at_once(bench: Bench) -> None:
    bench.write({f"{n}.txt": f"Text {n}." for n in range(9)})
    sync(bench)
    bench.write({f"{n}.txt": None for n in range(8)})
    sync(bench)
    assert bench.values(DOCUMENTS) == ["8.txt"]


def test_passages_of_stored_searches_lose_the_text_of_a_deleted_document_alone(bench: Bench) -> None:
    bench.write({"a.txt": "First.", "b.txt": "Second."})
    sync(bench)
    for id_, document in (("p1", "a.txt"), ("p2", "b.txt"), ("p3", "")):
        bench.values("CREATE (:__Passage__ {id: $id, document: $document, text: 'Said.'})", id=id_, document=document)
    bench.write({"a.txt": None})
    sync(bench)
    assert bench.values("MATCH (p:__Passage__) RETURN p.id, p.text, p.gone ORDER BY p.id") == [
        ("p1", "", True),
        ("p2", "Said.", None),
        ("p3", "Said.", None),
    ]


def test_a_sync_that_was_killed_while_it_replaced_a_corpus_goes_on(bench: Bench, tmp_path: Path) -> None:
    bench.write({f"{n}.txt": f"Text {n}." for n in range(10)})
    sync(bench)
    other = tmp_path / "other"
    other.mkdir()
    (other / "new.txt").write_text("New.")

    class Killed(Notes):
        """Ends the sync when the first documents are written."""

        def advance(self, done: int = 1, failed: int = 0) -> None:
            raise KeyboardInterrupt

    bench.notes = Killed()
    with pytest.raises(KeyboardInterrupt):
        sync(bench, other, replace=True)
    bench.notes = Notes()
    report = sync(bench, other)
    assert bench.values(CHUNKS) == [("new.txt", "New.")]
    assert report.deleted == 10


def test_a_document_that_comes_back_after_a_broken_run_has_its_new_order(bench: Bench) -> None:
    one, two, three = (f"{name} is told in a paragraph of its own. {'Words follow. ' * 14}" for name in "ABC")
    bench.write({"a.txt": f"{one}\n\n{two}", "b.txt": "Text."})
    sync(bench)
    bench.values("MATCH (d:__Document__ {id: 'a.txt'}) DETACH DELETE d")
    bench.write({"a.txt": f"{one}\n\n{three}\n\n{two}"})
    sync(bench)
    follows = "MATCH (a)-[:NEXT_CHUNK]->(b) RETURN left(a.text, 1) + left(b.text, 1) ORDER BY a.position"
    assert bench.values(follows) == ["AC", "CB"]
