"""Files that become text by a converter, by the end of their name."""

from __future__ import annotations

import hashlib

from drift_assets.formats.content import Content
from drift_assets.formats.office import office_version, read_html, read_word
from drift_assets.formats.pdf import pdf_version, read_pdf

_CONVERTERS = {
    ".pdf": (read_pdf, pdf_version),
    ".docx": (read_word, office_version),
    ".html": (read_html, office_version),
    ".htm": (read_html, office_version),
}
CONVERTED = tuple(_CONVERTERS)


def convert(suffix: str, data: bytes) -> Content:
    """The file's text and what it says of itself; raises Unreadable."""
    return _CONVERTERS[suffix][0](data)


def source_hash(suffix: str, data: bytes) -> str:
    """Equal for a file whose conversion brings the same text as before, so that it need not be converted again."""
    return hashlib.sha256(f"{_CONVERTERS[suffix][1]()}\n".encode() + data).hexdigest()[:32]
