"""The corpus folder read into documents, one at a time.

A document's text is the decoded file without byte order mark and trailing Ctrl-Z, with line ends as `\\n`; offsets
elsewhere count its code points. Control characters are replaced one for one, a form feed by a line end, others by the
replacement character, so that a stray one costs neither the file nor an offset. What cannot be read as text is
skipped by name, with the reason. PDF, Word and HTML files are converted, and each row of a table is a document
(`drift_assets/formats/`).
"""

from __future__ import annotations

import os
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from drift_assets.encodings import decode
from drift_assets.errors import CorpusError
from drift_assets.fingerprint import fingerprint
from drift_assets.formats.content import Content, Unreadable
from drift_assets.formats.convert import CONVERTED, convert, source_hash
from drift_assets.formats.front_matter import front_matter
from drift_assets.formats.tables import TABLES, read_table
from drift_assets.settings import DEFAULT_MAX_FILE_MB
from drift_assets.titles import LONGEST_TITLE, title
from drift_assets.tokens import count_tokens

TEXTS = (".txt", ".md")
SUFFIXES = (*TEXTS, *CONVERTED, *TABLES)
# How many times larger than others they may be: a PDF holds pictures, and a table is never read as a whole.
TIMES_AS_LARGE = {".pdf": 10} | dict.fromkeys(TABLES, 100)
MILLION = 1_000_000

_CTRL_Z = re.compile(r"\x1a[\x1a\s]*\Z")
_PAGE_ENDS = str.maketrans("\x0b\x0c", "\n\n")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# Text with more than a few of them, and more than this share, is none.
_FEW_CONTROLS = 4
_CONTROL_SHARE = 0.03


@dataclass(frozen=True, slots=True)
class Document:
    """A readable file, or a row of a table.

    `id` is its path below the corpus folder, with `/` and composed accents (NFC), `uri` the same path as it is
    written on the disk; neither says where the folder is. A row adds `#` and its id. `tokens` are those of the text.
    `metadata` holds what the file says of itself (its author, date, …), the encoding of a text and the size in bytes.
    `pages` are the offsets at which pages begin, if it has any. `source` is the hash of the file that its text was
    converted from, "" for other files.
    """

    id: str
    title: str
    uri: str
    text: str
    content_hash: str
    tokens: int
    metadata: dict[str, Any] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
    source: str = ""

    @property
    def described(self) -> str:
        """Changes when the title or the metadata do."""
        return fingerprint("described", self.title, self.uri, self.metadata)

    def page_at(self, offset: int) -> int | None:
        """The number of the page, from 1, that holds the character; None in a document without pages."""
        return bisect_right(self.pages, offset) or None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is not indexed, and why, in a few words; `missing` is the extra that would let it be read."""

    id: str
    reason: str
    missing: str | None = None


def scan(folder: Path, largest_mb: int = DEFAULT_MAX_FILE_MB) -> Iterator[Document | Skipped]:
    """Every file of the corpus in the order of `list_files`, read when it is asked for."""
    for path in list_files(folder):
        yield from read_documents(folder, path, largest_mb)


def list_files(folder: Path) -> list[Path]:
    """Paths of the files with one of SUFFIXES below `folder`, sorted by id; hidden files and folders are left out.

    Also what bears such a name without being a file, and folders that cannot be read: `read_document` says why they
    are skipped. A linked folder is followed once, and only when it lies outside of `folder`, whose own files are found
    anyway. Raises CorpusError when `folder` is missing, no folder, or unreadable.
    """
    return survey(folder)[0]


def survey(folder: Path) -> tuple[list[Path], dict[str, int]]:
    """`list_files`, and how many files are of a kind that is not read, by the ending of their names, most first."""
    paths, unreadable = _walk(folder)
    read = {path for path in paths if path.name.lower().endswith(SUFFIXES)}
    others = Counter(path.suffix.lower() for path in paths - read if path.is_file())
    return sorted(unreadable | read, key=lambda path: (document_id(folder, path), path)), dict(others.most_common())


def _walk(folder: Path) -> tuple[set[Path], set[Path]]:
    """Files of any kind below `folder`, with folders that are named like one, and what cannot be read."""
    refuse_unreadable(folder)
    home = folder.resolve()
    found: set[Path] = set()
    unreadable: set[Path] = set()
    followed: set[Path] = set()

    def enters(path: Path) -> bool:
        if path.name.startswith("."):
            return False
        if not path.is_symlink():
            return True
        target = path.resolve()
        if target in followed or target.is_relative_to(home) or home.is_relative_to(target):
            return False
        followed.add(target)
        return True

    def keep_unreadable(error: OSError) -> None:
        unreadable.add(Path(error.filename))

    for root, folders, files in os.walk(folder, onerror=keep_unreadable, followlinks=True):
        named = [*files, *(name for name in folders if name.lower().endswith(SUFFIXES))]
        found.update(Path(root, name) for name in named if not name.startswith("."))
        folders[:] = [name for name in sorted(folders) if enters(Path(root, name))]
    return found, unreadable


def document_id(folder: Path, path: Path) -> str:
    """The path below the folder, with `/`, NFC: systems differ in how they store an accent, the id must not."""
    return unicodedata.normalize("NFC", _below(folder, path))


def read_documents(folder: Path, path: Path, largest_mb: int) -> Iterator[Document | Skipped]:
    """The documents in a file that `list_files` found, or why there are none; those of a table one at a time.

    `largest_mb` is the setting DRIFT_MAX_FILE_MB.
    """
    if path.suffix.lower() not in TABLES:
        yield read_document(folder, path, largest_mb)
        return
    name = document_id(folder, path)
    if refused := _refusal(path, name, largest_mb):
        yield refused
        return
    try:
        for row in read_table(path, largest_mb * MILLION):
            if isinstance(row, Unreadable):
                yield Skipped(name, str(row))
            else:
                yield _row(row, name, _below(folder, path), largest_mb)
    except Unreadable as error:
        yield Skipped(name, str(error), error.missing)
    except OSError as error:
        yield Skipped(name, f"unreadable: {error.strerror}")


def read_document(folder: Path, path: Path, largest_mb: int) -> Document | Skipped:
    """The document in a file that is no table, or why there is none."""
    name, suffix = document_id(folder, path), path.suffix.lower()
    data = read_bytes(folder, path, largest_mb)
    if isinstance(data, Skipped):
        return data
    try:
        content = convert(suffix, data) if suffix in CONVERTED else _text(data, name)
    except Unreadable as error:
        return Skipped(name, str(error), error.missing)
    document = _document(content, name, _below(folder, path), {**content.metadata, "bytes": len(data)}, largest_mb)
    if isinstance(document, Document) and suffix in CONVERTED:
        return replace(document, source=source_hash(suffix, data))
    return document


def is_converted(folder: Path, path: Path, source: str, largest_mb: int) -> bool:
    """Whether the file's conversion would bring what it brought when its hash was `source`."""
    suffix = path.suffix.lower()
    if not source or suffix not in CONVERTED:
        return False
    data = read_bytes(folder, path, largest_mb)
    return not isinstance(data, Skipped) and source_hash(suffix, data) == source


def read_bytes(folder: Path, path: Path, largest_mb: int) -> bytes | Skipped:
    """What is in a file that `list_files` found, or why it cannot be read."""
    name = document_id(folder, path)
    if refused := _refusal(path, name, largest_mb):
        return refused
    try:
        return path.read_bytes()
    except OSError as error:
        return Skipped(name, f"unreadable: {error.strerror}")


def _refusal(path: Path, name: str, largest_mb: int) -> Skipped | None:
    largest = largest_mb * TIMES_AS_LARGE.get(path.suffix.lower(), 1)
    try:
        if path.is_dir():
            os.listdir(path)
            return Skipped(name, "a folder, not a file")
        if not path.is_file():
            return Skipped(name, "not a regular file" if path.exists() else "missing, or a link to nothing")
        if path.stat().st_size > largest * MILLION:
            return Skipped(name, f"larger than {largest} MB: divide it, or raise DRIFT_MAX_FILE_MB")
    except OSError as error:
        return Skipped(name, f"unreadable: {error.strerror}")
    return None


def _text(data: bytes, name: str) -> Content:
    decoded = decode(data)
    text = None if decoded is None else _clean(decoded[1])
    if decoded is None or text is None:
        raise Unreadable("binary, not text")
    said = front_matter(text) if name.lower().endswith(".md") else {}
    named = said.pop("title", "")
    return Content(
        text, " ".join(named.split()) if isinstance(named, str) else "", "", {**said, "encoding": decoded[0]}
    )


def text_of(path: Path, largest: int) -> str | None:
    """The text of a text file as its document has it; None where there is none, or it has more than `largest` bytes."""
    try:
        if not path.is_file() or path.stat().st_size > largest:
            return None
        decoded = decode(path.read_bytes())
    except OSError:
        return None
    return None if decoded is None else _clean(decoded[1])


def _row(content: Content, name: str, uri: str, largest_mb: int) -> Document | Skipped:
    key = unicodedata.normalize("NFC", content.key)
    return _document(content, f"{name}#{key}", f"{uri}#{content.key}", dict(content.metadata), largest_mb)


def _document(content: Content, name: str, uri: str, metadata: dict[str, Any], largest_mb: int) -> Document | Skipped:
    text = _clean(content.text)
    if text is None:
        return Skipped(name, "binary, not text")
    if not text.strip():
        return Skipped(name, "empty")
    if len(text) > largest_mb * MILLION:
        return Skipped(
            name, f"its text has more than {largest_mb} million characters: divide it, or raise DRIFT_MAX_FILE_MB"
        )
    return Document(
        id=name,
        title=content.title[:LONGEST_TITLE].rstrip() or title(text, f"{content.key}.txt" if content.key else name),
        uri=uri,
        text=text,
        content_hash=fingerprint("document", text),
        tokens=count_tokens(text),
        metadata=metadata,
        pages=content.pages,
    )


def refuse_unreadable(folder: Path) -> None:
    """Raises CorpusError with what to do when `folder` is no folder that can be listed."""
    try:
        os.listdir(folder)
    except FileNotFoundError:
        what = "does not exist: name an existing folder of documents"
    except NotADirectoryError:
        what = "is a file: name the folder that holds it"
    except OSError as error:
        what = f"cannot be read ({error.strerror}): check its permissions"
    else:
        return
    raise CorpusError(f"the corpus folder {folder} {what}")


def _below(folder: Path, path: Path) -> str:
    """The path below the folder with `/`; bytes of a name that are no UTF-8 become replacement characters."""
    return os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "replace")


def _clean(text: str) -> str | None:
    """The text as the module says, or None when it has too many control characters to be text."""
    text = _CTRL_Z.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).translate(_PAGE_ENDS)
    text, controls = _CONTROLS.subn("\ufffd", text)
    return None if controls > max(_FEW_CONTROLS, _CONTROL_SHARE * len(text)) else text
