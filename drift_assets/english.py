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


# Little words that no English question has, and those that few have none of.
_ELSEWHERE = re.compile(
    "der|das|und|ist|wer|wie|wann|wo|warum|wurde|hat|mit|von|für|les|des|une|est|qui|que|quoi|quand|où|pourquoi|comment"
    "|dans|los|las|una|quién|qué|cuándo|dónde|cómo|del|della|gli|chi|che|perché|quando|quem|como|het|een|wat|wie|waar|och"
    "|vem|när|hvem|jest|kto|gdzie"
)
_OF_QUESTIONS = re.compile(f"{_LITTLE_WORD.pattern}|what|who|whom|whose|which|where|why|how|does|did|tell")


def is_english_question(text: str) -> bool:
    """Whether a question may be English: it has no more little words of other languages, and is in Latin letters."""
    letters = [character for character in text if character.isalpha()]
    if sum(character > _LAST_LATIN for character in letters) > len(letters) / 2:
        return False
    words = _WORD.findall(text.lower())
    return sum(_ELSEWHERE.fullmatch(word) is not None for word in words) <= sum(
        _OF_QUESTIONS.fullmatch(word) is not None for word in words
    )


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
