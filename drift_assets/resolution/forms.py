"""How two names are alike, and what tells that they are of different things.

All take entity keys. What a name is without its trappings: articles, a possessive ending, stops and hyphens mean
nothing; titles and epithets ("CAPTAIN", "OLD") are told apart from the core that they stand before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from drift_assets.language.extractive.vocabulary import RANKS, STYLES

# Raise with every change that may tell another likeness of the same two names.
VERSION = 1

Likeness = Literal["form", "order", "possessive", "plural", "title", "last", "first", "head", "initials", "spelling"]

ARTICLES = frozenset({"the", "a", "an"})
EPITHETS = frozenset({"old", "young", "little", "poor", "dear"})
PLAIN_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mister"})
_SAME_TITLE = {
    long: short
    for short, long in (
        ("mr", "mister"), ("dr", "doctor"), ("prof", "professor"), ("rev", "reverend"), ("capt", "captain"),
        ("col", "colonel"), ("maj", "major"), ("gen", "general"), ("lt", "lieutenant"), ("sgt", "sergeant"),
    )
}  # fmt: skip
_OPPOSITES = [
    ("king", "queen"), ("prince", "princess"), ("duke", "duchess"), ("lord", "lady"), ("mr", "mrs"), ("mr", "ms"),
    ("mr", "miss"), ("sir", "dame"), ("brother", "sister"), ("father", "mother"), ("uncle", "aunt"),
    ("son", "daughter"), ("husband", "wife"), ("boy", "girl"), ("man", "woman"), ("men", "women"),
    ("north", "south"), ("east", "west"), ("northern", "southern"), ("eastern", "western"), ("upper", "lower"),
    ("old", "new"), ("black", "white"), ("senior", "junior"), ("first", "second"), ("emperor", "empress"),
    ("count", "countess"), ("baron", "baroness"),
]  # fmt: skip
_NUMBER = re.compile(r"\d+\w*|[ivxl]+|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|fourth|fifth")
_SMALL = frozenset({"of", "the", "and", "for", "de", "du", "la", "von", "van"})
_TITLES = STYLES | RANKS
LEAST_SPELT = 5


@dataclass(frozen=True, slots=True)
class Form:
    """A name taken apart: `words` of it all, and the `core` that follows its `titles`; all in lower case."""

    words: tuple[str, ...]
    titles: tuple[str, ...]
    core: tuple[str, ...]
    possessive: bool
    within: bool

    @property
    def plain(self) -> str:
        """Equal for two spellings of one name."""
        return " ".join(word for part in self.words for word in part.split("-"))

    @property
    def length(self) -> tuple[int, int, int]:
        """Of two names, the lesser is the one that may be a part of the other."""
        return len(self.core), len(self.words), len(self.plain)

    @property
    def is_title(self) -> bool:
        """Whether the name is nothing but a title, such as "THE CAPTAIN"."""
        return len(self.core) == 1 and self.core[0] in _TITLES


@lru_cache(maxsize=200_000)
def form(name: str) -> Form:
    """The name taken apart."""
    text = re.sub(r"[’ʼ`]", "'", name.casefold())
    initial = text.startswith("a.")
    text = re.sub(r"\b((?:\w\.)+\w?)(?=\W|$)", lambda match: match.group().replace(".", ""), text)
    text = re.sub(r"[._,/]+", " ", re.sub(r"[‐-―]", "-", text))
    possessive = bool(re.search(r"(?:'s|s')$", text))
    text = re.sub(r"'s$|(?<=s)'$", "", text)
    words = [word.strip("-'") for word in text.split()]
    words = [word for word in words if word]
    while len(words) > 1 and words[0] in ARTICLES and not initial:
        words = words[1:]
    titles: list[str] = []
    core = words
    while len(core) > 1 and (core[0] in _TITLES or core[0] in EPITHETS) and core[1] not in _SMALL:
        titles.append(_SAME_TITLE.get(core[0], core[0]))
        core = core[1:]
    within = any(word.endswith(("'s", "s'")) for word in words[:-1])
    return Form(tuple(words), tuple(titles), tuple(core), possessive, within)


def likeness(first: str, second: str) -> Likeness | None:
    """How the two names are alike, None when they are not or cannot be of one thing."""
    a, b = form(first), form(second)
    if a.plain == b.plain:
        return "possessive" if a.possessive != b.possessive else "form"
    if contradict(first, second):
        return None
    if "," in first + second and sorted(a.words) == sorted(b.words):
        return "order"
    if singular(a.plain) == b.plain or singular(b.plain) == a.plain:
        return "plural"
    short, long = (a, b) if a.length <= b.length else (b, a)
    return _part(short, long) or _initials(short, long) or ("spelling" if _near(a, b) else None)


def _part(short: Form, long: Form) -> Likeness | None:
    if short.core == long.core:
        return "title"
    if len(short.core) >= len(long.core):
        return None
    for word in ("of", "the"):
        if word in long.core[1:]:
            return "head" if short.core == long.core[: long.core.index(word)] else None
    # "THE CAPTAIN" is no part of "CAPTAIN AHAB": it stands before other names as well.
    if short.is_title or _SMALL & set(long.core):
        return None
    if long.core[-len(short.core) :] == short.core:
        return "last"
    return "first" if len(short.core) == 1 and short.core[0] == long.core[0] and len(long.core) <= 3 else None


def _initials(short: Form, long: Form) -> Likeness | None:
    if len(short.core) == 1:
        letters = "".join(word[0] for word in long.core if word not in _SMALL)
        return "initials" if len(short.core[0]) >= 2 and short.core[0] == letters else None
    if len(short.core) == len(long.core) and short.core[-1] == long.core[-1]:
        given = list(zip(short.core[:-1], long.core[:-1], strict=True))
        if all(_initial(one, other) for one, other in given):
            return "initials"
    return None


def _initial(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _near(a: Form, b: Form) -> bool:
    """Whether one word of several is spelt otherwise, by one letter, or by two in a long one."""
    from rapidfuzz.distance import OSA

    ones, others = a.plain.split(), b.plain.split()
    if len(ones) != len(others):
        return "".join(ones) == "".join(others)
    differing = [(one, other) for one, other in zip(ones, others, strict=True) if one != other]
    if len(differing) != 1:
        return False
    one, other = differing[0]
    longest = max(len(one), len(other))
    allowed = 2 if longest >= 10 else 1
    return longest >= LEAST_SPELT and one[0] == other[0] and OSA.distance(one, other, score_cutoff=allowed) <= allowed


def singular(plain: str) -> str:
    """The name with its last word in the singular, as far as an s tells; the name itself when there is none."""
    if len(plain) < 4 or not plain.endswith("s") or plain.endswith(("ss", "us", "is")):
        return plain
    return plain[:-1]


def contradict(first: str, second: str) -> bool:
    """Whether the names themselves say that they are of different things."""
    a, b = form(first), form(second)
    if _numbers(a) != _numbers(b) or a.within != b.within:
        return True
    one, other = set(a.words), set(b.words)
    if any((x in one and y in other) or (y in one and x in other) for x, y in _OPPOSITES if not {x, y} <= one & other):
        return True
    styles = [{title for title in found.titles if title in STYLES} for found in (a, b)]
    if styles[0] and styles[1] and styles[0] != styles[1]:
        return True
    return _other_first(a.core, b.core) or _other_end(a.core, b.core)


def _numbers(found: Form) -> list[str]:
    return [word for word in found.words[1:] if _NUMBER.fullmatch(word)]


def _other_first(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether both end alike and begin otherwise: ADA MOSS and BEN MOSS."""
    if min(len(one), len(other)) < 2 or one[-1] != other[-1] or "of" in (*one, *other):
        return False
    x, y = one[0], other[0]
    inside = set(one) <= set(other) or set(other) <= set(one)
    return not inside and not _initial(x, y) and not _alike(x, y)


def _other_end(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether what stands before or after "of" differs: QUEEN OF HEARTS, QUEEN OF SPADES, KNAVE OF HEARTS."""
    if "of" not in one or "of" not in other:
        return False
    return not all(
        _alike(" ".join(x), " ".join(y))
        for x, y in (
            (one[: one.index("of")], other[: other.index("of")]),
            (one[one.index("of") :], other[other.index("of") :]),
        )
    )


def _alike(one: str, other: str) -> bool:
    from rapidfuzz.distance import OSA

    return OSA.normalized_similarity(one, other) >= 0.8
