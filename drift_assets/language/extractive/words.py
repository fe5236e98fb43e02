"""The words of a sentence that carry its meaning, in their base form."""

from __future__ import annotations

import re
from functools import lru_cache

from drift_assets.language.extractive.nlp import base_form
from drift_assets.language.extractive.vocabulary import STOP

_WORD = re.compile(r"[^\W_]+(?:[’'][a-z]+)?")
_POSSESSIVE = re.compile(r"[’'](?:s|re|ve|ll|d|t|m)?$")


@lru_cache(maxsize=20_000)
def content_words(text: str) -> tuple[str, ...]:
    """Base forms of the words that are no function words, in order, repeats included."""
    found = []
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match.group().lower())
        if word and word not in STOP and (len(word) > 1 or word.isdigit()):
            form = base_form(word)
            if form not in STOP:
                found.append(form)
    return tuple(found)
