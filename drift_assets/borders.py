"""Where a text may be cut: before headings, paragraphs, sentences and, in a sentence too long to keep, words.

A border and its kind follow from the text near it, never from where reading began, so that an edit moves no border
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from drift_assets.tokens import count_tokens

if TYPE_CHECKING:
    from semantic_text_splitter import TextSplitter

# The splitter's time grows with the square of the number of sentences in what it is fed.
_BLOCK = 4_000
_RUN = 64
# Text wrapped by hand has shorter lines; a longer line is a paragraph.
_WRAPPED = 120
_LONGEST_HEADING = 80

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_WORD = re.compile(r"\S+")
_CLOSING = re.compile(r"[\s»”’)\]}」』》〉）】]*")
_SENTENCE_END = re.compile(r"[.!?]\s|[。！？]")
# Unicode's rules leave these with the sentence before, where no blank parts the two.
_OPENING = "“‘«([{「『《〈（【"
_ABBREVIATION = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]|Mr|Mrs|Ms|Dr|St|Mme|Mlle|Prof|Rev|Capt|Col|Gen|Lt|Sgt|No|vs|cf)\.\Z"
)
_MARKED_HEADING = re.compile(
    r"#{1,6}\s|(?:chapter|part|book|section|chapitre|partie|kapitel|teil)\s+(?:\d+|[ivxlc]+)\b|第\S{1,8}[章节節回]",
    re.I,
)
_LINE_ENDS = str.maketrans("\n\r", "  ")


class Kind(IntEnum):
    """What begins at a border; AFTER_HEADING is the first text under a heading, which should not part from it."""

    HEADING = 0
    PARAGRAPH = 1
    SENTENCE = 2
    WORD = 3
    AFTER_HEADING = 4


@dataclass(frozen=True, slots=True)
class Atom:
    """What is not cut: `text[start:stop]`, without blanks at its edges, `kind` being that of its first border."""

    start: int
    stop: int
    kind: Kind


def atoms(text: str, max_tokens: int) -> Iterator[Atom]:
    """The text's atoms in order, only white space between them: sentences, and words of those over `max_tokens`."""
    after_heading = False
    for start, stop in _paragraphs(text):
        heading = is_heading(text[start:stop])
        kind = Kind.AFTER_HEADING if after_heading else Kind.HEADING if heading else Kind.PARAGRAPH
        after_heading = heading
        for first, last in [(start, stop)] if heading else _sentences(text, start, stop):
            if last - first > max_tokens and count_tokens(text[first:last]) > max_tokens:
                for begin, end in _words(text, first, last):
                    yield Atom(begin, end, kind)
                    kind = Kind.WORD
            else:
                yield Atom(first, last, kind)
            kind = Kind.SENTENCE


def is_heading(block: str) -> bool:
    """Whether a block of text reads as a heading: one line, marked as one or short and without a sentence's end."""
    line = block.strip()
    if not line or len(line) > _LONGEST_HEADING or "\n" in line:
        return False
    if _MARKED_HEADING.match(line):
        return True
    return not line[0].islower() and line[0].isalnum() and line[-1].isalnum() and not _SENTENCE_END.search(line)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of paragraphs: up to a blank line, a marked heading, or the end of a line too long to be a wrapped one."""
    start = stop = -1
    for line in _LINE.finditer(text):
        content = line.group().strip()
        marked = len(content) <= _LONGEST_HEADING and bool(_MARKED_HEADING.match(content))
        if start >= 0 and (marked or not content):
            yield start, stop
            start = -1
        if not content:
            continue
        first = line.start() + line.group().index(content)
        start, stop = (first if start < 0 else start), first + len(content)
        if marked or len(content) > _WRAPPED:
            yield start, stop
            start = -1
    if start >= 0:
        yield start, stop


def _sentences(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Ranges of the sentences between `start` and `stop`, without the blanks between them."""
    begin = start
    for found in _sentence_starts(text, start, stop):
        border = _between_quotes(text, begin, found, stop)
        content = text[begin:border].rstrip()
        if content and border < stop and not text[border].islower() and not _ABBREVIATION.search(content[-8:]):
            yield begin, begin + len(content)
            begin = border
    yield begin, stop


def _between_quotes(text: str, begin: int, border: int, stop: int) -> int:
    """The border behind what closes the sentence before it, or else before what opens the next."""
    closing = _CLOSING.match(text, border, stop)
    if closing and closing.end() > border:
        return closing.end()
    while border - 1 > begin and text[border - 1] in _OPENING:
        border -= 1
    return border


def _sentence_starts(text: str, start: int, stop: int) -> Iterator[int]:
    """Where the second and later sentences start; read in blocks, of which only what is well inside is believed."""
    while start < stop:
        block = text[start : min(start + _BLOCK, stop)].translate(_LINE_ENDS)
        last = start + len(block) == stop
        inside = len(block) if last else len(block) - _RUN
        offsets = [offset for offset, _ in _sentence_splitter().chunk_indices(block) if 0 < offset <= inside]
        yield from (start + offset for offset in offsets)
        if last:
            return
        start += offsets[-1] if offsets else inside


def _words(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Ranges of the words between `start` and `stop`; what is longer than a word may be is cut where it must."""
    for word in _WORD.finditer(text, start, stop):
        if word.end() - word.start() <= _RUN:
            yield word.span()
            continue
        for begin in range(word.start(), word.end(), 8 * _RUN):
            block = text[begin : min(begin + 8 * _RUN, word.end())]
            for offset, part in _run_splitter().chunk_indices(block):
                yield begin + offset, begin + offset + len(part)


@lru_cache(maxsize=1)
def _sentence_splitter() -> TextSplitter:
    from semantic_text_splitter import TextSplitter

    # A piece is full from one character on, so each is one sentence, the largest unit left without line ends.
    return TextSplitter((1, _BLOCK), trim=False)


@lru_cache(maxsize=1)
def _run_splitter() -> TextSplitter:
    from semantic_text_splitter import TextSplitter

    return TextSplitter((_RUN // 2, _RUN), trim=False)
