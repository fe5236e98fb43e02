"""Word and HTML documents, made Markdown by markitdown, which the extra `office` brings."""

from __future__ import annotations

import re
import zipfile
from functools import lru_cache
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from drift_assets.formats.content import Content, Unreadable, described, needs

EXTRA = "office"
# A small file may unpack to any size.
_LARGEST_UNPACKED = 500_000_000
_PICTURE = re.compile(r"!\[[^\]]*\]\(data:[^)]*\)")
_CORE = "docProps/core.xml"
# Names in the core properties of a Word document, and in the head of an HTML one, by what we call them.
_WORD_NAMES = {"creator": "author", "created": "date", "title": "title", "subject": "subject", "keywords": "keywords"}
_HTML_NAMES = {
    "author": "author",
    "date": "date",
    "dc.creator": "author",
    "dc.date": "date",
    "article:published_time": "date",
    "article:author": "author",
    "og:url": "url",
    "description": "description",
    "keywords": "keywords",
}


@lru_cache(maxsize=1)
def office_version() -> str:
    """Changes when the same file may bring another text."""
    try:
        return f"1 markitdown {version('markitdown')}"
    except PackageNotFoundError:
        return "none"


def read_word(data: bytes) -> Content:
    """A .docx document as Markdown; raises Unreadable."""
    metadata = _word_metadata(data)
    return _content(data, ".docx", metadata)


def read_html(data: bytes) -> Content:
    """An HTML page as Markdown; raises Unreadable."""
    head = _Head()
    head.feed(data[:200_000].decode("utf-8", "replace"))
    return _content(data, ".html", head.found)


def _content(data: bytes, suffix: str, metadata: dict[str, Any]) -> Content:
    try:
        from markitdown import StreamInfo
        from markitdown.converters import DocxConverter, HtmlConverter
    except ImportError as error:
        raise needs(EXTRA) from error
    kind: Any = DocxConverter if suffix == ".docx" else HtmlConverter
    converter = kind()
    try:
        made = converter.convert(BytesIO(data), StreamInfo(extension=suffix))
    # A damaged file can break the converter anywhere, and must cost nothing but itself.
    except Exception as error:
        raise Unreadable(f"a damaged {suffix} file ({type(error).__name__})") from error
    kept = described(metadata)
    title = " ".join(str(kept.pop("title", "") or made.title or "").split())
    return Content(_PICTURE.sub("", made.markdown).strip(), title=title, metadata=kept)


def _word_metadata(data: bytes) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _LARGEST_UNPACKED:
                raise Unreadable(f"unpacks to more than {_LARGEST_UNPACKED // 1_000_000} MB")
            core = archive.read(_CORE) if _CORE in archive.namelist() else b""
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise Unreadable("not a Word document (.docx), or damaged") from error
    try:
        tags = list(ElementTree.fromstring(core)) if core else []
    except ElementTree.ParseError:
        return {}
    texts = {tag.tag.rpartition("}")[2]: tag.text for tag in tags}
    return {ours: texts[theirs] for theirs, ours in _WORD_NAMES.items() if texts.get(theirs)}


class _Head(HTMLParser):
    """What the head of a page says of it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, Any] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "meta":
            ours = _HTML_NAMES.get((given.get("name") or given.get("property", "")).lower())
            if ours:
                self.found.setdefault(ours, given.get("content", ""))
        elif tag == "link" and given.get("rel") == "canonical":
            self.found["url"] = given.get("href", "")
        elif tag == "html" and given.get("lang"):
            self.found["language"] = given["lang"]
