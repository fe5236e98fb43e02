"""What a question asks for: its content words and names, its parts, and the kind of thing that would answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from drift_assets.language.extractive.vocabulary import ASKING, CALENDAR, NUMBERS, REQUESTS
from drift_assets.language.extractive.words import MEN, WOMEN, content_words, form

MOST_PARTS = 4
_ASKING_WORD = r"(?:(?:(?:in|by|to|from|with|for|on|at|of)\s+)?(?:who|whom|whose|what|which)|when|where|why|how)\b"
_PART = re.compile(rf"[?;]\s+|,?\s+(?:and|or|but)\s+(?={_ASKING_WORD})|,\s+(?={_ASKING_WORD})", re.I)
_AUXILIARY = re.compile(
    rf"{_ASKING_WORD}(?:\s+\w+)?\s+(?P<rest>(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would)\b.*)",
    re.I,
)
_NAME = re.compile(r"(?<=[\w,;:'’)] )[\"'“‘(]?([A-Z][\w’'-]+)")
_CAPITAL_INSIDE = re.compile(r"(?<=[\w,;)] )[A-Z]\w")
_DATE = rf"\b(?:1\d|20)\d\d\b|\bo'clock\b|\b(?:{'|'.join(sorted(CALENDAR))})\b"
_NUMBER = rf"\d|\b(?:{'|'.join(sorted(NUMBERS))})\b"
_WANTED = (
    (re.compile(r"\b(?:who|whom|whose|which (?:person|man|woman|people))\b", re.I), "person"),
    (re.compile(r"\b(?:where|which (?:place|town|city|country|island|street))\b", re.I), "place"),
    (re.compile(r"(?:^|\band |, )when\b|\b(?:(?:what|which) (?:year|date|day|time|month)|how long)\b", re.I), "date"),
    (re.compile(r"\bhow (?:many|much|tall|high|far|old|large|big|deep|wide|often)\b|\bcosts?\b", re.I), "number"),
)
_HOLDS = {
    "person": _CAPITAL_INSIDE,
    "place": _CAPITAL_INSIDE,
    "date": re.compile(_DATE, re.I),
    "number": re.compile(_NUMBER, re.I),
}
_REQUEST = re.compile(
    rf"\W*(?:please\W+)?(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?)?(?:{'|'.join(sorted(REQUESTS))})\b", re.I
)
_CLASSES = (
    ("woman", re.compile(r"\bwomen\b", re.I), WOMEN),
    ("man", re.compile(r"\bmen\b", re.I), MEN),
)
_PART_OF = r"\b(?:part|role)s?\b"
_PLAYS_A_PART = re.compile(rf"{_PART_OF}[^?;,]*\bplay|\bplay\w*\s[^?;,]{{0,30}}{_PART_OF}", re.I)
# Words of query languages that mean nothing to a document where several of them stand in capitals.
_RESERVED = re.compile(
    r"\b(?:MATCH|DETACH|DELETE|RETURN|WHERE|CREATE|MERGE|REMOVE|CALL|YIELD|UNION|UNWIND|LIMIT|DROP|SELECT|FROM|TABLE"
    r"|INSERT|INTO|UPDATE|OPTIONAL|FOREACH|ORDER BY|AND|OR|NOT)\b"
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
_SIZE = re.compile(rf"\b(\d{{1,4}}|{'|'.join(_COUNTS)})[\s-]+(?:\w+\s+)?(sentence|point|item|paragraph)", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its distinct content words, those of them that are names, and the kinds of thing it asks for."""

    text: str
    words: tuple[str, ...]
    names: frozenset[str]
    wanted: frozenset[str]


@lru_cache(maxsize=512)
def read_question(text: str) -> Asked:
    """What `text` asks for; where it holds only words about asking, these are taken."""
    said = _without_statements(text)
    plain = content_words(said)
    asking = (
        ASKING | (REQUESTS if _REQUEST.match(text) else set()) | ({"play"} if _PLAYS_A_PART.search(text) else set())
    )
    kept = [word for word in plain if word not in asking] or plain
    classes = {word: sign for word, plural, sign in _CLASSES if plural.search(said)}
    words = tuple(dict.fromkeys(classes.get(word, form(word)) for word in kept))
    names = frozenset(form(word) for name in _NAME.findall(said) for word in content_words(name))
    wanted = frozenset(kind for pattern, kind in _WANTED if pattern.search(text))
    return Asked(text, words, names & set(words), wanted)


def _without_statements(text: str) -> str:
    """The text without the words of a query that somebody put into a question; as it is where nothing else is left."""
    if len(_RESERVED.findall(text)) < 2:
        return text
    rest = _RESERVED.sub(" ", text)
    return rest if content_words(rest) else text


def parts(question: str) -> list[str]:
    """The questions that a question is made of, each on its own; a simple question is its only part.

    A part without content of its own ("and by what means?") is told what the first part asks of, or left out.
    """
    pieces = [piece.strip(" ,;?.") for piece in _PART.split(question)]
    asking = [piece for piece in pieces if re.match(_ASKING_WORD, piece, re.I)]
    found: list[str] = []
    for piece in asking:
        if not any(word not in ASKING for word in content_words(piece)):
            rest = _AUXILIARY.match(asking[0]) if found else None
            piece = f"{piece} {rest.group('rest')}" if rest else ""
        if piece:
            found.append(f"{piece[0].upper()}{piece[1:]}?")
    return found[:MOST_PARTS] if len(found) > 1 else [question]


def holds_wanted(sentence: str, asked: Asked) -> bool:
    """Whether the sentence holds something of a kind that the question asks for; true where it asks for none."""
    return not asked.wanted or any(_HOLDS[kind].search(sentence) for kind in asked.wanted)


def sentence_count(response_type: str) -> int:
    """How many sentences an answer of the wished form has at most.

    `one sentence` 1, `list of 5 points` 5, `single paragraph` 4, `multiple paragraphs` 12, `multiple-page report` 20.
    """
    wish = response_type.lower()
    size = _SIZE.search(wish)
    if size is None:
        return 20 if "page" in wish or "report" in wish else 4 if "short" in wish or "brief" in wish else 12
    number = size.group(1).lower()
    count = _COUNTS[number] if number in _COUNTS else max(int(number), 1)
    return min(count * (4 if size.group(2).lower() == "paragraph" else 1), 20)


def is_list(response_type: str) -> bool:
    """Whether the wished form is a list of points."""
    return bool(re.search(r"\b(?:list|points?|items?|bullets?)\b", response_type, re.I))
