"""Whether a text is English, by the little words that every English text is full of."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+")
# About a fifth of the words of English prose; none is a common word of another language.
_LITTLE_WORD = re.compile(
    "the|of|and|to|that|it|for|with|his|she|they|are|by|this|from|which|not|had|have|were|but|been|their|would|there|him"
    "|who|its|will|when|what|into|them|our|your|these|those|through|about|should|could"
)
# English lists and tables have the fewest, other languages next to none.
_LEAST_SHARE = 0.05
_FEWEST_LETTERS = 60
_SAMPLE = 20_000
# Behind it begin the letters that English does not know.
_LAST_LATIN = "\u024f"


def is_english(text: str) -> bool | None:
    """Whether the middle of the text is English, where no preface or licence stands; None when it is too short."""
    start = max(0, (len(text) - _SAMPLE) // 2)
    sample = text[start : start + _SAMPLE]
    letters = [character for character in sample if character.isalpha()]
    if len(letters) < _FEWEST_LETTERS:
        return None
    if sum(character > _LAST_LATIN for character in letters) > len(letters) / 2:
        return False
    words = _WORD.findall(sample.lower())
    return sum(_LITTLE_WORD.fullmatch(word) is not None for word in words) >= _LEAST_SHARE * len(words)
