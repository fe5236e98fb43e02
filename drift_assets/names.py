"""The key of an entity: one key for one name's spellings."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 200
_EDGES = " \t\n\r\"'`‘’‚“”„«»‹›.,;:!?¿¡()[]{}*_-–—、。《》「」『』【】"
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))


def spelling(name: str) -> str:
    """The name as people are shown it: NFKC, white space folded, without quotes or punctuation at its edges.

    A bracket that was opened within the name is closed: "Alice (cat)".
    """
    text = unicodedata.normalize("NFKC", name.translate(_INVISIBLE))
    text = re.sub(r"\s+", " ", text).strip(_EDGES)
    return text + ")" if text.count("(") == text.count(")") + 1 else text


def entity_key(name: str) -> str:
    """The entity's key, or "" when `name` is no name: empty, without a letter or digit, or over 200 characters.

    NFKC, white space folded, upper case. Applying it twice changes nothing.
    """
    key = spelling(spelling(name).upper())
    if len(key) > LONGEST_NAME or not any(character.isalnum() for character in key):
        return ""
    return key
