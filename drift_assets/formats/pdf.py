"""PDF documents, page by page."""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from importlib.metadata import version
from io import BytesIO
from typing import TYPE_CHECKING, Any

from drift_assets.formats.content import Content, Unreadable, described

if TYPE_CHECKING:
    from pypdf import PdfReader

_BETWEEN_PAGES = "\n\n"
# Fewer letters and digits than that on a page, on average, are page numbers or a stamp on a scan.
_FEWEST_LETTERS = 10


@lru_cache(maxsize=1)
def pdf_version() -> str:
    """Changes when the same file may bring another text."""
    return f"1 pypdf {version('pypdf')}"


def read_pdf(data: bytes) -> Content:
    """The text of all pages, with the offsets where they begin; raises Unreadable."""
    from pypdf.errors import PyPdfError

    # Its remarks on odd but readable files would stand between the lines of the command.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = _open(data)
        pages = [_page_text(page) for page in reader.pages]
        metadata = _metadata(reader)
    except Unreadable:
        raise
    except PyPdfError as error:
        raise Unreadable(f"not a PDF, or damaged ({_first_line(error)})") from error
    # A damaged file can break the reader anywhere, and must cost nothing but itself.
    except Exception as error:
        raise Unreadable(f"a damaged PDF ({type(error).__name__})") from error
    letters = sum(character.isalnum() for text in pages for character in text)
    if letters < _FEWEST_LETTERS * max(1, len(pages)):
        raise Unreadable("a PDF without a text layer, such as a scan: let a program for text recognition (OCR) add one")
    starts, at = [], 0
    for text in pages:
        starts.append(at)
        at += len(text) + len(_BETWEEN_PAGES)
    title = metadata.pop("title", "")
    metadata["pages"] = len(pages)
    return Content(_BETWEEN_PAGES.join(pages), title=title, metadata=metadata, pages=tuple(starts))


def _open(data: bytes) -> PdfReader:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    reader = PdfReader(BytesIO(data))
    try:
        # Many files are encrypted with no password, only to forbid changes.
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("an encrypted PDF: save a copy without a password")
    except DependencyError as error:
        raise Unreadable("an encrypted PDF: save a copy without encryption") from error
    return reader


def _page_text(page: Any) -> str:
    text = re.sub(r"\r\n?|\x0c", "\n", page.extract_text())
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def _metadata(reader: PdfReader) -> dict[str, Any]:
    found = reader.metadata
    if found is None:
        return {}
    names = ("title", "author", "subject", "keywords")
    values = {name: " ".join(str(getattr(found, name, "") or "").split()) for name in names}
    return described({**values, "date": _date(found)})


def _date(found: Any) -> Any:
    try:
        return found.creation_date
    except ValueError:
        return None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:100]
