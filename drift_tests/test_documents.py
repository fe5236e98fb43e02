"""The corpus folder, read: what is a document, what is skipped, and what its text is."""

from __future__ import annotations

import base64
import json
import os
import random
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets import documents
from drift_assets.documents import Document, Skipped, list_files, read_document, scan
from drift_assets.errors import CorpusError
from drift_assets.tokens import count_tokens


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    return folder


def write(corpus: Path, name: str, content: str | bytes = "A text.") -> Path:
    path = corpus / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def ids(corpus: Path) -> list[str]:
    return [found.id for found in scan(corpus)]


def read(corpus: Path, content: str | bytes, name: str = "a.txt") -> Document:
    found = read_document(corpus, write(corpus, name, content), 50)
    assert isinstance(found, Document), found
    return found


def reason(corpus: Path, name: str) -> str:
    found = {item.id: item for item in scan(corpus)}[name]
    assert isinstance(found, Skipped), found
    return found.reason


# Which files


def test_text_and_markdown_files_are_found_in_all_folders_by_id(corpus: Path) -> None:
    for name in ("b.txt", "a.md", "deep/er/c.TXT", "deep/d.Md", "e.doc", "f", "g.txt.bak"):
        write(corpus, name)

    assert ids(corpus) == ["a.md", "b.txt", "deep/d.Md", "deep/er/c.TXT"]


def test_hidden_files_and_folders_are_left_out(corpus: Path) -> None:
    for name in (".a.txt", ".git/b.txt", "c/.d/e.txt", "f.txt", ".txt"):
        write(corpus, name)

    assert ids(corpus) == ["f.txt"]


def test_names_with_blanks_and_accents_are_kept(corpus: Path) -> None:
    write(corpus, "L'été à Noël/le café du port.txt")

    assert ids(corpus) == ["L'été à Noël/le café du port.txt"]


def test_an_id_is_the_same_however_the_system_stores_accents(corpus: Path) -> None:
    name = unicodedata.normalize("NFD", "café.txt")
    document = read(corpus, "Text.", name)

    assert document.id == unicodedata.normalize("NFC", "café.txt")
    assert document.uri == name


def test_a_name_that_is_no_unicode_is_read_all_the_same(corpus: Path) -> None:
    path = os.path.join(os.fsencode(corpus), b"caf\xe9.txt")
    try:
        with open(path, "wb") as file:
            file.write(b"Text.")
    except OSError:
        pytest.skip("this file system knows Unicode names only")

    [document] = scan(corpus)

    assert document.id == "caf\ufffd.txt"


def test_neither_id_nor_uri_says_where_the_folder_is(corpus: Path) -> None:
    document = read(corpus, "Text.", "sub/a.txt")

    assert (document.id, document.uri) == ("sub/a.txt", "sub/a.txt")


def test_a_link_within_the_corpus_adds_nothing_and_a_loop_ends(corpus: Path) -> None:
    write(corpus, "sub/a.txt")
    (corpus / "again").symlink_to(corpus / "sub", target_is_directory=True)
    (corpus / "sub" / "up").symlink_to(corpus, target_is_directory=True)
    (corpus / "sub" / "above").symlink_to(corpus.parent, target_is_directory=True)

    assert ids(corpus) == ["sub/a.txt"]


def test_a_linked_folder_elsewhere_is_followed_once(corpus: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", "b.txt")
    for name in ("one", "two"):
        (corpus / name).symlink_to(tmp_path / "elsewhere", target_is_directory=True)

    assert ids(corpus) == ["one/b.txt"]


def test_a_corpus_that_is_itself_a_link_is_read(corpus: Path, tmp_path: Path) -> None:
    write(corpus, "sub/a.txt")
    (tmp_path / "link").symlink_to(corpus, target_is_directory=True)

    assert ids(tmp_path / "link") == ["sub/a.txt"]


def test_a_missing_corpus_folder_is_an_error_that_names_it(corpus: Path) -> None:
    with pytest.raises(CorpusError, match="missing does not exist: name an existing folder"):
        list_files(corpus / "missing")


def test_a_file_as_corpus_folder_is_an_error_that_says_what_to_do(corpus: Path) -> None:
    with pytest.raises(CorpusError, match=r"a\.txt is a file: name the folder that holds it"):
        list_files(write(corpus, "a.txt"))


def test_a_folder_without_texts_has_no_files(corpus: Path) -> None:
    assert list_files(corpus) == []


def test_files_are_read_one_at_a_time(corpus: Path) -> None:
    write(corpus, "a.txt")
    later = write(corpus, "b.txt")
    found = scan(corpus)
    next(found)
    later.write_text("Written after the first was read.")

    document = next(found)

    assert isinstance(document, Document)
    assert document.text == "Written after the first was read."


# What is skipped, by name


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n ", b"\xef\xbb\xbf", b"\x1a", b"\xff\xfe\n\x00"])
def test_empty_files_are_skipped(corpus: Path, content: bytes) -> None:
    write(corpus, "a.txt", content)

    assert reason(corpus, "a.txt") == "empty"


@pytest.mark.parametrize(
    "content",
    [
        b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00\xb8" * 20,
        b"some text\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00more text",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + random.Random(1).randbytes(2_000),
        random.Random(2).randbytes(50_000),
    ],
)
def test_binary_files_are_skipped(corpus: Path, content: bytes) -> None:
    write(corpus, "a.txt", content)

    assert reason(corpus, "a.txt") == "binary, not text"


def test_a_link_to_nothing_is_skipped_by_name(corpus: Path) -> None:
    (corpus / "a.txt").symlink_to(corpus / "nowhere")

    assert reason(corpus, "a.txt") == "missing, or a link to nothing"


def test_a_folder_named_like_a_file_is_skipped_but_its_files_are_read(corpus: Path) -> None:
    write(corpus, "a.txt/b.txt")

    assert ids(corpus) == ["a.txt", "a.txt/b.txt"]
    assert reason(corpus, "a.txt") == "a folder, not a file"


def test_what_is_no_regular_file_is_skipped_and_not_waited_for(corpus: Path) -> None:
    os.mkfifo(corpus / "a.txt")

    assert reason(corpus, "a.txt") == "not a regular file"


def test_a_file_that_vanishes_is_skipped_by_name(corpus: Path) -> None:
    path = write(corpus, "a.txt")
    path.unlink()

    assert read_document(corpus, path, 50) == Skipped("a.txt", "missing, or a link to nothing")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_skipped_by_name(corpus: Path) -> None:
    write(corpus, "a.txt").chmod(0)
    write(corpus, "sub/b.txt")
    (corpus / "sub").chmod(0)

    assert reason(corpus, "a.txt") == "unreadable: Permission denied"
    assert reason(corpus, "sub") == "unreadable: Permission denied"
    (corpus / "sub").chmod(0o700)


@pytest.mark.parametrize(
    ("name", "largest"), [("a.txt", 3), ("a.md", 3), ("a.html", 3), ("a.pdf", 30), ("a.csv", 300), ("a.jsonl", 300)]
)
def test_a_file_too_large_is_skipped_unread(corpus: Path, name: str, largest: int) -> None:
    def skipped() -> list[str]:
        return [str(found) for found in scan(corpus, 3) if isinstance(found, Skipped) and "larger" in found.reason]

    with open(corpus / name, "wb") as file:
        file.truncate(largest * 1_000_000 + 1)
    assert skipped() == [str(Skipped(name, f"larger than {largest} MB: divide it, or raise DRIFT_MAX_FILE_MB"))]
    (corpus / name).write_bytes(b" ")
    assert skipped() == []


def test_a_text_too_long_is_skipped(corpus: Path) -> None:
    # Fewer bytes than a table may have, and more characters than a text.
    write(corpus, "a.jsonl", json.dumps({"id": "1", "text": "word " * 200_001}))
    write(corpus, "b.txt", "word " * 200_000)

    found = list(scan(corpus, 1))

    assert found[0] == Skipped(
        "a.jsonl", "line 1 is longer than 1,000,000 characters: divide it, or raise DRIFT_MAX_FILE_MB"
    )
    assert isinstance(found[1], Document)


def test_one_bad_file_does_not_hide_the_others(corpus: Path) -> None:
    write(corpus, "a.txt")
    write(corpus, "b.txt", b"\x00" * 100)
    write(corpus, "c.txt")

    assert [type(found) for found in scan(corpus)] == [Document, Skipped, Document]


# What the text is


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_line_feeds(corpus: Path, end: str) -> None:
    assert read(corpus, f"One.{end}{end}Two.{end}").text == "One.\n\nTwo.\n"


@pytest.mark.parametrize("tail", ["\x1a", "\x1a\x1a", "\r\n\x1a", "\x1a\r\n"])
def test_a_trailing_ctrl_z_is_no_text(corpus: Path, tail: str) -> None:
    assert read(corpus, "The end." + tail).text.rstrip("\n") == "The end."


def test_a_byte_order_mark_is_no_text(corpus: Path) -> None:
    assert read(corpus, b"\xef\xbb\xbfText.").text == "Text."


def test_a_text_in_another_encoding_is_read_and_its_encoding_noted(corpus: Path) -> None:
    document = read(corpus, "Où est l’été, Zoé ? À Noël, la forêt est déserte.".encode("cp1252"))

    assert document.text == "Où est l’été, Zoé ? À Noël, la forêt est déserte."
    assert document.metadata == {"encoding": "cp1252", "bytes": 49}


@pytest.mark.parametrize("control", ["\x00", "\x07", "\x1b", "\x1a", "\x7f"])
def test_a_stray_control_character_costs_neither_the_file_nor_an_offset(corpus: Path, control: str) -> None:
    assert read(corpus, f"One{control}two.").text == "One\ufffdtwo."


def test_the_end_of_a_page_is_the_end_of_a_line(corpus: Path) -> None:
    assert read(corpus, "One.\x0cTwo.").text == "One.\nTwo."


def test_tabs_emoji_and_other_scripts_stay_as_they_are(corpus: Path) -> None:
    text = "\tA whale 🐋, 今天。 e\u0301 \u00a0\u2028"

    assert read(corpus, text).text == text


def test_equal_texts_have_equal_hashes_whatever_the_file(corpus: Path) -> None:
    one = read(corpus, "Café.\r\n", "a.txt")
    other = read(corpus, "Café.\n".encode("utf-16"), "sub/b.md")

    assert one.content_hash == other.content_hash
    assert one.content_hash != read(corpus, "Cafe.\n", "c.txt").content_hash


def test_a_document_knows_its_title_and_tokens(corpus: Path) -> None:
    document = read(corpus, "# The Fog Organ\n\nIt was built in 1880.", "organ.md")

    assert document.title == "The Fog Organ"
    assert document.tokens == count_tokens(document.text)


def test_one_line_of_five_megabytes_is_a_document(corpus: Path) -> None:
    line = "The clerk put the lamp back on its shelf. " * 120_000

    assert read(corpus, line).text == line


def test_a_megabyte_of_base64_is_a_document(corpus: Path) -> None:
    content = base64.b64encode(random.Random(3).randbytes(786_432))

    assert read(corpus, content).text == content.decode()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda text: bool(text.strip())))
def test_a_text_without_control_characters_is_read_as_it_was_written(text: str) -> None:
    assert documents._clean(text) == text


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = documents._clean(text)

    assert once is None or documents._clean(once) == once
