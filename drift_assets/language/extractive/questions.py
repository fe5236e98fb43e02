"""What a question asks for: its content words, its parts, and the kind of thing that would answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from drift_assets.language.extractive.vocabulary import ASKING
from drift_assets.language.extractive.words import content_words

_ASKING_WORD = r"(?:who|whom|whose|what|when|where|why|how|which|in what|in which|by what|by whom|to whom)\b"
_PART = re.compile(rf"[?;]\s+|,?\s+(?:and|or|but)\s+(?={_ASKING_WORD})|,\s+(?={_ASKING_WORD})", re.I)
_WANTED = (
    (re.compile(r"\b(?:who|whom|whose|which (?:person|man|woman|people))\b", re.I), {"PERSON", "ORG"}),
    (re.compile(r"\b(?:where|which (?:place|town|city|country|island|street))\b", re.I), {"GPE", "LOC", "FAC"}),
    (re.compile(r"\b(?:when|what (?:year|date|day|time)|which (?:year|date|day)|how long)\b", re.I), {"DATE", "TIME"}),
    (
        re.compile(r"\bhow (?:many|much|tall|high|far|old|large|big|deep|wide|often)\b", re.I),
        {"CARDINAL", "QUANTITY", "MONEY", "PERCENT", "ORDINAL", "DATE"},
    ),
)
_COUNTS = {
    "one": 1,
    "single": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "ten": 10,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its distinct content words, and the spaCy labels that its answer should hold."""

    text: str
    words: tuple[str, ...]
    wanted: frozenset[str]


@lru_cache(maxsize=256)
def read_question(text: str) -> Asked:
    """What `text` asks for; where it holds words about asking only, these are taken."""
    words = tuple(dict.fromkeys(content_words(text)))
    telling = tuple(word for word in words if word not in ASKING)
    wanted = frozenset(label for pattern, labels in _WANTED if pattern.search(text) for label in labels)
    return Asked(text, telling or words, wanted)


def parts(question: str) -> list[str]:
    """The questions that a question is made of, each on its own; a simple question is its only part."""
    pieces = [piece.strip(" ,;?.") for piece in _PART.split(question)]
    found = [f"{piece[0].upper()}{piece[1:]}?" for piece in pieces if re.match(_ASKING_WORD, piece, re.I)]
    return found if len(found) > 1 else [question]


def sentence_count(response_type: str) -> int:
    """How many sentences an answer of the wished form has: `one sentence` 1, `list of 5 points` 5, a paragraph 4."""
    wish = response_type.lower()
    number = re.search(
        r"\b(\d{1,2}|one|single|two|three|four|five|six|seven|eight|ten)\s+\w*\s*(sentence|point|item|paragraph)", wish
    )
    if number is None:
        return 12 if "page" in wish or "report" in wish else 4 if "short" in wish or "brief" in wish else 7
    count = _COUNTS.get(number.group(1)) or max(int(number.group(1)), 1)
    return min(count * (4 if number.group(2) == "paragraph" else 1), 20)
