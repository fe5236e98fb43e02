"""Text to pieces whose cuts depend on the content near them, so that an edit changes few pieces.

A text has candidate cuts: the borders of its paragraphs, of its sentences and, where a sentence is too long, of its
words. Each costs more the weaker the border, plus a share drawn from the hash of the words that follow it. The cuts
taken are the cheapest set whose pieces fit, a shortest path found in one pass with a sliding minimum. A cheap border
lies on the cheapest path of almost any text around it, so the paths before and after an insertion soon meet again.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from drift_assets.tokens import count_tokens

if TYPE_CHECKING:
    from semantic_text_splitter import TextSplitter

# A character is at most four bytes and so at most four tokens: with less room than that no piece could fit.
SMALLEST = 4

# The splitter's time grows with the square of the number of sentences in what it is fed.
_BLOCK = 4_000
_RUN = 64
_HASHED = 64
_WRAPPED = 120
_LONGEST_HEADING = 80

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_BLANK = re.compile(r"\s")
_WORD = re.compile(r"\S+")
_LEADING = re.compile(r"[\s»”’)\]}]*")
_ABBREVIATION = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]|Mr|Mrs|Ms|Dr|St|Mme|Mlle|Prof|Rev|Capt|Col|Gen|Lt|Sgt|No|vs)\.\s*\Z",
)
_MARKED_HEADING = re.compile(
    r"#{1,6}\s|(?:chapter|part|book|section|chapitre|partie|kapitel|teil)\s+(?:\d+|[ivxlc]+)\b|第\S{1,8}[章节節回]",
    re.I,
)
_LINE_ENDS = str.maketrans("\n\r", "  ")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: `text` is exactly `whole[start:end]`, offsets in code points; `position` counts from 0."""

    text: str
    start: int
    end: int
    tokens: int
    position: int


class _Border(IntEnum):
    HEADING = 0
    PARAGRAPH = 1
    SENTENCE = 2
    WORD = 3
    AFTER_HEADING = 4


# Cost of a cut: a fixed part, and the part that the hash scales by a number between 0 and 1.
_COST = {
    _Border.HEADING: (0.01, 0.02),
    _Border.PARAGRAPH: (0.05, 0.7),
    _Border.SENTENCE: (0.05, 1.0),
    _Border.WORD: (1.0, 1.0),
    _Border.AFTER_HEADING: (2.0, 1.0),
}


@dataclass(slots=True)
class _Atoms:
    """The text's parts between neighbouring candidate cuts; parallel arrays, small enough for millions."""

    starts: array[int] = field(default_factory=lambda: array("q"))
    stops: array[int] = field(default_factory=lambda: array("q"))
    tokens: array[int] = field(default_factory=lambda: array("q"))
    costs: array[float] = field(default_factory=lambda: array("d"))


def split(text: str, max_tokens: int) -> list[Piece]:
    """The text's pieces in order, each of at most `max_tokens` tokens and without blanks at its edges.

    Pieces do not overlap, and only white space lies between them. Raises ValueError when `max_tokens` is less
    than `SMALLEST`.
    """
    if max_tokens < SMALLEST:
        raise ValueError(f"max_tokens is {max_tokens}, but must be at least {SMALLEST}")
    pieces: list[Piece] = []
    atoms = _atoms(text, max_tokens)
    for first, last in _cheapest(atoms, max_tokens):
        for start, end, tokens in _fitting(text, atoms.starts[first], atoms.stops[last], max_tokens):
            pieces.append(Piece(text[start:end], start, end, tokens, len(pieces)))
    return pieces


def is_heading(block: str) -> bool:
    """Whether a block of text reads as a heading: one line, marked as one or short and without a sentence's end."""
    line = block.strip()
    if not line or len(line) > _LONGEST_HEADING or "\n" in line:
        return False
    if _MARKED_HEADING.match(line):
        return True
    return not line[0].islower() and line[0].isalnum() and line[-1].isalnum()


def _cheapest(atoms: _Atoms, max_tokens: int) -> Iterator[tuple[int, int]]:
    """First and last atom of each piece, for the cheapest cuts with at most `max_tokens` summed in each piece."""
    count = len(atoms.starts)
    before = array("q", [0])
    for tokens in atoms.tokens:
        before.append(before[-1] + tokens)
    best = array("d", [0.0])
    origin = array("q", [0])
    window = deque([0])
    for atom in range(1, count + 1):
        while len(window) > 1 and before[atom] - before[window[0]] > max_tokens:
            window.popleft()
        origin.append(window[0])
        best.append(best[window[0]] + (atoms.costs[atom] if atom < count else 0.0))
        while window and best[window[-1]] >= best[atom]:
            window.pop()
        window.append(atom)
    cuts = [count]
    while cuts[-1]:
        cuts.append(origin[cuts[-1]])
    cuts.reverse()
    for first, after in zip(cuts, cuts[1:], strict=False):
        yield first, after - 1


def _fitting(text: str, start: int, end: int, max_tokens: int) -> Iterator[tuple[int, int, int]]:
    """The range with its tokens, in halves where the parts' sum promised too little (tokens depend on neighbours)."""
    tokens = count_tokens(text[start:end])
    if tokens <= max_tokens or end - start == 1:
        yield start, end, tokens
        return
    middle = (start + end) // 2
    blank = _BLANK.search(text, middle, end)
    cut = blank.start() if blank else middle
    yield from _fitting(text, start, start + len(text[start:cut].rstrip()), max_tokens)
    after = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    yield from _fitting(text, after, end, max_tokens)


def _atoms(text: str, max_tokens: int) -> _Atoms:
    atoms = _Atoms()
    counted = 0
    for start, stop, border in _candidates(text, max_tokens):
        fixed, drawn = _COST[border]
        atoms.starts.append(start)
        atoms.stops.append(stop)
        atoms.tokens.append(count_tokens(text[counted:stop]))
        atoms.costs.append(fixed + drawn * _draw(text[start : start + _HASHED]))
        counted = stop
    return atoms


def _draw(text: str) -> float:
    """A number from 0 to 1 that is the text's alone, however its white space is laid out."""
    digest = blake2b(" ".join(text.split()).encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 0xFFFFFFFF


def _candidates(text: str, max_tokens: int) -> Iterator[tuple[int, int, _Border]]:
    """Start and stop of each atom, and the kind of border before it; atoms longer than a piece are taken apart."""
    after_heading = False
    for start, stop in _paragraphs(text):
        heading = is_heading(text[start:stop])
        border = _Border.AFTER_HEADING if after_heading else _Border.HEADING if heading else _Border.PARAGRAPH
        after_heading = heading
        for first, last in _sentences(text, start, stop):
            if last - first > max_tokens and count_tokens(text[first:last]) > max_tokens:
                for begin, end in _words(text, first, last):
                    yield begin, end, border
                    border = _Border.WORD
            else:
                yield first, last, border
            border = _Border.SENTENCE


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


@lru_cache(maxsize=1)
def _sentence_splitter() -> TextSplitter:
    from semantic_text_splitter import TextSplitter

    # A piece is full from one character on, so each is one sentence, the largest unit left without line ends.
    return TextSplitter((1, _BLOCK), trim=False)


@lru_cache(maxsize=1)
def _run_splitter() -> TextSplitter:
    from semantic_text_splitter import TextSplitter

    return TextSplitter((_RUN // 2, _RUN), trim=False)


def _sentences(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Ranges of the sentences between `start` and `stop`, without the blanks between them."""
    begin = start
    for border in (*_sentence_starts(text, start, stop), stop):
        leading = _LEADING.match(text, border, stop)
        border = leading.end() if leading else border
        content = text[begin:border].rstrip()
        if not content or (border < stop and _ABBREVIATION.search(content[-8:])):
            continue
        yield begin, begin + len(content)
        begin = border


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
        for begin in range(word.start(), word.end(), _BLOCK):
            block = text[begin : min(begin + _BLOCK, word.end())]
            for offset, part in _run_splitter().chunk_indices(block):
                yield begin + offset, begin + offset + len(part)
