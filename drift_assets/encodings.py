"""Bytes to text, whatever their encoding, as far as it can be told."""

from __future__ import annotations

import codecs
import re

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HIGH = re.compile(rb"[\x80-\xff]")
# A detector sees so many bytes, from a little before the first that is not ASCII.
_SAMPLE = 20_000
_BEFORE = 2_000
# UTF-8 with at most one broken sequence in so many characters beyond ASCII is damaged UTF-8: texts of nine languages in
# eighteen other encodings, read as UTF-8, had one in fewer than two.
_DAMAGED = 3
# cp1252 is so much commoner than its relatives that these must read clearly better: in chaos and coherence (0 to 1).
_MORE_CHAOS = 0.1
_LESS_COHERENCE = 0.05


def decode(data: bytes) -> tuple[str, str] | None:
    """The encoding's name and the text without a byte order mark, or None when the bytes read as no text.

    Bytes that their encoding does not know become replacement characters.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, data[len(mark) :].decode(encoding, "replace")
    try:
        return "utf-8", data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    beyond = sum(character > "\x7f" for character in text)
    if text.count("\ufffd") * _DAMAGED <= beyond:
        return "utf-8", text
    found = _detect(data)
    return None if found is None else (found, data.decode(found, "replace"))


def _detect(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    first = _HIGH.search(data)
    start = max(0, first.start() - _BEFORE) if first else 0
    matches = list(from_bytes(data[start : start + _SAMPLE]))
    if not matches:
        return None
    best = matches[0]
    for match in matches:
        if "cp1252" in (match.encoding, *match.could_be_from_charset):
            close = match.chaos <= best.chaos + _MORE_CHAOS and match.coherence >= best.coherence - _LESS_COHERENCE
            return "cp1252" if close else best.encoding
    return best.encoding
