"""What a capital says: where it must stand, and where it stands because the word is a name."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

_MARKS = frozenset(
    ["`", "'", '"', "‘", "“", "``", "''", "(", "[", ":", ";", "--", "—", "–", "-", ".", "!", "?", "…", "...", "*", "_"]
)
_WORD = re.compile(r"(?:[DLNO]['’](?=[^\W\d_a-z]))?[^\W_]+(?:[-&][^\W_]+)*\.?|[^\W\d_](?:\.[^\W\d_])+\.?")


@dataclass(frozen=True, slots=True)
class Case:
    """How often a word (lower case) stands capitalised where it need not, where it must, in capitals, and small."""

    free: Counter[str]
    forced: Counter[str]
    shouted: Counter[str]
    small: Counter[str]


def is_capitalised(token: Any) -> bool:
    """Whether the token is a word that begins with a capital."""
    return bool(token.text[:1].isupper()) and _WORD.fullmatch(token.text) is not None


def is_forced(token: Any) -> bool:
    """Whether the token would have a capital whatever it is: it begins a sentence or a quotation."""
    if token.is_sent_start:
        return True
    before = token.nbor(-1)
    return before.text in _MARKS and not (before.text == "-" and not before.whitespace_)


def is_shouted(token: Any) -> bool:
    """Whether the token is a word of capitals only."""
    letters = [character for character in token.text if character.isalpha()]
    return len(letters) > 1 and all(map(str.isupper, letters))


def count_case(doc: Any) -> Case:
    """How each word of the Doc is written."""
    case = Case(Counter(), Counter(), Counter(), Counter())
    for token in doc:
        word = token.lower_
        if not is_capitalised(token):
            case.small[word] += 1
        elif is_shouted(token):
            case.shouted[word] += 1
        elif is_forced(token):
            case.forced[word] += 1
        else:
            case.free[word] += 1
    return case
