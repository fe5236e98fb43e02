"""Texts to sentences: unwrapped, white space folded, headings and ornaments left out.

A sentence keeps the words and marks of its source, so that it is found there once white space is folded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# A quotation is kept in one piece up to this length in characters.
LONGEST_JOINED = 320
_PARAGRAPH = re.compile(r"\n[ \t]*(?:\n[ \t]*)+|\n(?=[ \t]*(?:#{1,6}\s|[-*+•]\s|\d+[.)]\s|>|\|))")
_TITLE_WORDS = 12
_HEADING = re.compile(r"^\s*(?:#{1,6}\s.*|(?:chapter|part|book|section|canto|act|scene)\s+[\divxlc]+\b.{0,80})$", re.I)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|>)\s+")
_BROKEN = re.compile(r"(\w+)-[ \t]*\n[ \t]*([a-z]\w*)")
_BORDER = re.compile(r"""(?<=[.!?…])(?P<close>["'”’»)\]*_]*)\s+(?=(?P<next>["'`‘“«(\[*_—–-]*\w))""")
_ABBREVIATION = re.compile(
    r"\b(?:mr|mrs|ms|messrs|dr|st|prof|rev|hon|capt|col|gen|lt|sgt|maj|adm|gov|sen|rep|jr|sr|vs|etc|e\.g|i\.e|cf|no|nos|vol"
    r"|fig|pp?|approx|dept|est|inc|ltd|co|corp|jan|feb|mar|apr|aug|sept?|oct|nov|dec|[b-hj-z])\.$",
    re.I,
)
_SPEECH = re.compile(
    r"(?:[\w’']+ ){0,4}(?:said|says|cried|thought|replied|asked|exclaimed|remarked|shouted|added|whispered|muttered"
    r"|continued|began|answered|repeated|growled|sighed|called|murmured|interrupted|demanded|screamed|pleaded|told)\b"
)
_ENDED = re.compile(r"""[.!?…]["'”’»)\]*_]*$""")
_OPENERS, _CLOSERS = "`‘“«", "’”»"


def fold(text: str) -> str:
    """White space folded to single blanks."""
    return " ".join(text.split())


def joined(sentences: Sequence[str]) -> str:
    """One text that `split` parts into these again: by a blank line where a sentence has no end of its own."""
    text = ""
    for sentence in sentences:
        between = "" if not text else " " if _ENDED.search(text) else "\n\n"
        text += between + sentence
    return text


def split(text: str) -> list[str]:
    """The sentences of `text` in order."""
    found: list[str] = []
    for paragraph in paragraphs(text):
        found += [tidied for piece in _pieces(paragraph) if says_something(tidied := tidy(piece))]
    return found


def paragraphs(text: str) -> list[str]:
    """The paragraphs and list items of `text`, unwrapped; headings, tables and ornaments left out."""
    text = text.replace("\r\n", "\n").replace("\u00ad\n", "").replace("\u00ad", "")
    text = _BROKEN.sub(lambda match: _joined(match, text), text)
    found = []
    for part in _PARAGRAPH.split(text):
        folded = fold(_BULLET.sub("", part))
        if folded and not _HEADING.match(folded) and not folded.startswith("|") and not _is_title(part.strip()):
            found.append(folded)
    return found


def verse_starts(text: str) -> list[str]:
    """The first word, in lower case, of each line of verse, where a capital says nothing."""
    found: list[str] = []
    for part in _PARAGRAPH.split(text):
        lines = [line for line in (line.strip(" \t\"'`‘“*_(") for line in part.splitlines()) if line]
        capital = sum(line[0].isupper() for line in lines)
        if len(lines) >= 3 and capital >= 0.8 * len(lines):
            found += [line.split()[0].strip(".,;:!?'\"").lower() for line in lines if line[0].isupper()]
    return found


def _is_title(part: str) -> bool:
    """Whether a paragraph is a line with a capital on every longer word, or without a small letter."""
    words = re.findall(r"[^\W\d_][\w’'-]*", part)
    if not any(map(str.islower, part)):
        return True
    longer = [word for word in words if len(word) > 3]
    short = "\n" not in part and len(words) <= _TITLE_WORDS and not part.endswith(".")
    return short and all(word[0].isupper() for word in longer)


def _joined(match: re.Match[str], text: str) -> str:
    """A word broken at a line's end: with its hyphen where the text has it so elsewhere or knows both halves."""
    first, second = match.groups()
    lower = text.lower()
    if re.search(rf"\b{re.escape(first + second)}\b", lower, re.I):
        return first + second
    known = all(len(re.findall(rf"\b{re.escape(half)}\b", lower, re.I)) > 1 for half in (first, second))
    return (
        f"{first}-{second}"
        if known or re.search(rf"\b{re.escape(first)}-{re.escape(second)}\b", lower, re.I)
        else first + second
    )


def _pieces(paragraph: str) -> list[str]:
    pieces, start = [], 0
    for border in _BORDER.finditer(paragraph):
        end = border.end("close")
        if _is_border(paragraph, border):
            pieces.append(paragraph[start:end])
            start = border.end()
    pieces.append(paragraph[start:])
    joined: list[str] = []
    for piece in pieces:
        if joined and open_quotes(joined[-1]) and len(joined[-1]) + len(piece) < LONGEST_JOINED:
            joined[-1] += f" {piece}"
        else:
            joined.append(piece)
    return joined


def _is_border(paragraph: str, border: re.Match[str]) -> bool:
    following = border.group("next")
    before = paragraph[max(0, border.start() - 12) : border.start()]
    if following[-1].islower() or (before.endswith(".") and _ABBREVIATION.search(before)):
        return False
    quoted = bool(set(border.group("close")) & set("\"'”’»"))
    return not (quoted and before[-1:] in "!?" and _SPEECH.match(paragraph, border.end()))


def open_quotes(text: str) -> list[int]:
    """Positions of the quotation marks in `text` that are opened and not closed."""
    opened: list[int] = []
    for position, mark in enumerate(text):
        if mark not in "\"'`‘“«’”»":
            continue
        before, after = text[position - 1 : position], text[position + 1 : position + 2]
        if mark in _OPENERS or (mark in "\"'" and (not before or before in " ([—–-`\"'") and after.isalnum()):
            opened.append(position)
        elif opened and not (before.isalnum() and after.isalnum()):
            opened.pop()
    return opened


def tidy(sentence: str) -> str:
    """The sentence without a quotation mark at its edges that lacks its other half."""
    text = sentence.strip().strip("*_").strip()
    while text and text[0] in "\"'`‘“«" and 0 in open_quotes(text):
        text = text[1:].lstrip()
    if text and text[-1] in "\"'’”»" and len(open_quotes(text[:-1])) == 0:
        text = text[:-1].rstrip()
    return text


def says_something(sentence: str) -> bool:
    """Whether it has at least two words with a small letter, and is no run of marks or code."""
    words = re.findall(r"[^\W\d_][\w’'-]*", sentence)
    small = sum(any(map(str.islower, word)) for word in words)
    return small >= 2 and len(sentence) <= 4000 and all(len(word) <= 60 for word in sentence.split())


def is_tail(sentence: str) -> bool:
    """Whether it starts small and so lacks its beginning."""
    return sentence[0].islower()


def is_asking(sentence: str) -> bool:
    """Whether it ends as a question, be it a question that somebody asks in it."""
    return re.search(r"[?][\"'”’»)\]*_]*$", sentence) is not None


def is_cut(sentence: str) -> bool:
    """Whether it lacks its beginning or its end: it starts small, or ends without a mark that ends a sentence."""
    return is_tail(sentence) or re.search(r"[.!?…][\"'’”»)\]*_]*$", sentence) is None


def is_caption(sentence: str) -> bool:
    """Whether it ends without any mark, as captions and headings do: it names something and says nothing of it."""
    return re.search(r"[.!?…:;,–—-][\"'’”»)\]*_]*$", sentence) is None
