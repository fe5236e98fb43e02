"""The corpus folder read into documents, one at a time.

A document's text is the decoded file without byte order mark and trailing Ctrl-Z, with line ends as `\\n`; offsets
elsewhere count its code points. Control characters are replaced one for one, a form feed by a line end, others by the
replacement character, so that a stray one costs neither the file nor an offset. What cannot be read as text is
skipped by name, with the reason.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from drift_assets.encodings import decode
from drift_assets.errors import CorpusError
from drift_assets.fingerprint import fingerprint
from drift_assets.titles import title
from drift_assets.tokens import count_tokens

SUFFIXES = (".txt", ".md")
LARGEST = 50_000_000

_CTRL_Z = re.compile(r"\x1a[\x1a\s]*\Z")
_PAGE_ENDS = str.maketrans("\x0b\x0c", "\n\n")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# Text with more than a few of them, and more than this share, is none.
_FEW_CONTROLS = 4
_CONTROL_SHARE = 0.03


@dataclass(frozen=True, slots=True)
class Document:
    """A readable file.

    `id` is its path below the corpus folder, with `/` and composed accents (NFC), `uri` the same path as it is
    written on the disk; neither says where the folder is. `tokens` are those of the text. `metadata` holds the file's
    encoding and its size in bytes.
    """

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
    """Every file of the corpus in the order of `list_files`, read when it is asked for."""
    for path in list_files(folder):
        yield read_document(folder, path)


def list_files(folder: Path) -> list[Path]:
    """Paths of the .txt and .md files below `folder`, sorted by id; hidden files and folders are left out.

    Also what bears such a name without being a file, and folders that cannot be read: `read_document` says why they
    are skipped. A linked folder is followed once, and only when it lies outside of `folder`, whose own files are found
    anyway. Raises CorpusError when `folder` is missing, no folder, or unreadable.
    """
    _refuse_unreadable(folder)
    home = folder.resolve()
    found: list[Path] = []
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
        found.append(Path(error.filename))

    for root, folders, files in os.walk(folder, onerror=keep_unreadable, followlinks=True):
        named = (name for name in (*files, *folders) if name.lower().endswith(SUFFIXES))
        found += [Path(root, name) for name in named if not name.startswith(".")]
        folders[:] = [name for name in sorted(folders) if enters(Path(root, name))]
    return sorted(set(found), key=lambda path: (document_id(folder, path), path))


def document_id(folder: Path, path: Path) -> str:
    """The path below the folder, with `/`, NFC: systems differ in how they store an accent, the id must not."""
    return unicodedata.normalize("NFC", _below(folder, path))


def read_document(folder: Path, path: Path) -> Document | Skipped:
    """The document in a file that `list_files` found, or why there is none."""
    name = document_id(folder, path)
    try:
        if path.is_dir():
            os.listdir(path)
            return Skipped(name, "a folder, not a file")
        if not path.is_file():
            return Skipped(name, "not a regular file" if path.exists() else "missing, or a link to nothing")
        size = path.stat().st_size
        if size > LARGEST:
            return Skipped(name, f"larger than {LARGEST // 1_000_000} MB: divide it")
        data = path.read_bytes()
    except OSError as error:
        return Skipped(name, f"unreadable: {error.strerror}")
    decoded = decode(data)
    text = None if decoded is None else _clean(decoded[1])
    if decoded is None or text is None:
        return Skipped(name, "binary, not text")
    if not text.strip():
        return Skipped(name, "empty")
    return Document(
        id=name,
        title=title(text, name),
        uri=_below(folder, path),
        text=text,
        content_hash=fingerprint("document", text),
        tokens=count_tokens(text),
        metadata={"encoding": decoded[0], "bytes": size},
    )


def _refuse_unreadable(folder: Path) -> None:
    try:
        os.listdir(folder)
    except FileNotFoundError:
        what = "does not exist: name an existing folder of .txt and .md files"
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
