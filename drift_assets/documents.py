"""The corpus folder read into documents, one at a time.

A document's text is the decoded file without byte order mark and trailing Ctrl-Z, with line ends as `\\n`; offsets
elsewhere count its code points. Other control characters are replaced one for one by the replacement character, so
that a stray one costs neither the file nor an offset. What cannot be read as text is skipped by name, with the reason.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from drift_assets.borders import is_heading
from drift_assets.errors import CorpusError
from drift_assets.fingerprint import fingerprint
from drift_assets.tokens import count_tokens

SUFFIXES = (".txt", ".md")
LARGEST = 200_000_000

_LONGEST_TITLE = 200
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# What a detector may see: enough of the file to judge, not so much that it takes long.
_SAMPLE = 100_000
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_MOST_CONTROLS = 0.01
_MARKDOWN_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Document:
    """A readable file. `id` and `uri` are its path below the corpus folder, with `/`; `tokens` those of its text."""

    id: str
    title: str
    uri: str
    text: str
    content_hash: str
    tokens: int
    metadata: dict[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is not indexed, and why, in a few words."""

    id: str
    reason: str


def scan(folder: Path) -> Iterator[Document | Skipped]:
    """Every file of the corpus in the order of `list_files`, read as it is asked for."""
    for path in list_files(folder):
        yield read_document(folder, path)


def list_files(folder: Path) -> list[Path]:
    """Paths of the .txt and .md files below `folder`, by id; hidden files and folders are left out.

    Linked folders are followed once each. Raises CorpusError when `folder` is missing, no folder or unreadable.
    """
    if not folder.exists():
        raise CorpusError(f"the corpus folder {folder} does not exist; name an existing folder of .txt and .md files")
    if not folder.is_dir():
        raise CorpusError(f"{folder} is a file; name the folder that holds it")

    def refuse(error: OSError) -> None:
        if error.filename == str(folder):
            raise CorpusError(f"the corpus folder {folder} cannot be read: {error.strerror}") from error

    found: list[Path] = []
    seen: set[tuple[int, int]] = set()
    for root, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        status = os.stat(root)
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        named = [name for name in (*files, *folders) if name.lower().endswith(SUFFIXES)]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(root, name) for name in named if not name.startswith(".")]
    return sorted(found, key=lambda path: document_id(folder, path))


def document_id(folder: Path, path: Path) -> str:
    """The path below the folder, with `/`, NFC: systems differ in how they store an accent, the id must not."""
    relative = path.relative_to(folder).as_posix()
    return unicodedata.normalize("NFC", os.fsencode(relative).decode("utf-8", "replace"))


def read_document(folder: Path, path: Path) -> Document | Skipped:
    """The document in a file below `folder`, or why there is none."""
    name = document_id(folder, path)
    try:
        if not path.is_file():
            return Skipped(name, "not a file" if path.exists() else "link to nothing")
        size = path.stat().st_size
        if size > LARGEST:
            return Skipped(name, f"larger than {LARGEST // 1_000_000} MB")
        data = path.read_bytes()
    except OSError as error:
        return Skipped(name, f"unreadable: {error.strerror}")
    decoded = _decode(data)
    if decoded is None:
        return Skipped(name, "binary, not text")
    encoding, text = decoded
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\x1a")
    if not text.strip():
        return Skipped(name, "empty")
    text, controls = _CONTROLS.subn("\ufffd", text)
    if controls > _MOST_CONTROLS * len(text):
        return Skipped(name, "binary, not text")
    return Document(
        id=name,
        title=_title(text, name),
        uri=name,
        text=text,
        content_hash=fingerprint("document", text),
        tokens=count_tokens(text),
        metadata={"encoding": encoding, "bytes": size},
    )


def _decode(data: bytes) -> tuple[str, str] | None:
    """Encoding and text, or None for what is no text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding, data[len(mark) :].decode(encoding, "replace")
    try:
        return "utf-8", data.decode("utf-8")
    except UnicodeDecodeError:
        return _detect(data)


def _detect(data: bytes) -> tuple[str, str] | None:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        return None
    return best.encoding, data.decode(best.encoding, "replace")


def _title(text: str, name: str) -> str:
    """The first heading, else the file's name made readable."""
    if name.lower().endswith(".md"):
        heading = _MARKDOWN_HEADING.search(text)
        if heading:
            return heading.group(1)[:_LONGEST_TITLE]
    first, _, rest = text.lstrip().partition("\n")
    if is_heading(first) and rest.startswith(("\n", " \n", "\t\n")):
        return " ".join(first.lstrip("#").split())
    stem = name.rpartition("/")[2].rpartition(".")[0]
    return re.sub(r"[_\s]+", " ", stem).strip() or name
