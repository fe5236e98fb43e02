"""When two questions ask the same, by their words and by their vectors."""

from __future__ import annotations

import re
import unicodedata

# So near are the vectors of two wordings of one question; "why" and "when" of one event are as near.
SAME = 0.95
_ASKING = frozenset({"who", "whom", "whose", "when", "where", "why", "how", "many", "much"})
_WORD = re.compile(r"\w+")


def normal_form(text: str) -> str:
    """The words of a question: NFKC, case folded, without punctuation, one blank between them."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Folding can undo the normal form, for instance that of "ͅ" (U+0345).
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", folded).casefold()))


def asks_the_same(one: str, other: str, cosine: float, least: float = SAME) -> bool:
    """Whether both ask one thing: their vectors are as near as `least`, and names, numbers and what is asked agree."""
    return cosine >= least and _marks(one) == _marks(other)


def _marks(question: str) -> frozenset[str]:
    """What changes a question's meaning more than its vector: capital letters and digits within, words that ask."""
    words = _WORD.findall(question)
    names = {word.casefold() for word in words[1:] if word[0].isupper() or any(sign.isdigit() for sign in word)}
    return frozenset(names | ({word.casefold() for word in words} & _ASKING))
