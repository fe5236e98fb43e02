"""The words of a sentence that carry its meaning, in their base form."""

from __future__ import annotations

import re
from functools import lru_cache

from drift_assets.language.extractive.nlp import base_form
from drift_assets.language.extractive.vocabulary import STOP

_WORD = re.compile(r"[^\W_]+(?:[’'][a-z]+)?")
# What makes a noun of a verb, where enough of the verb is left: accuse and accusation, propose and proposal.
_ENDING = re.compile(r"(?:ations?|ion|ment|ance|ence|al|ive|ure|e)$")
_LEAST_LEFT = 5
# A document seldom says "women" where it speaks of one; nor does anybody ask for "women" and mean one of them.
_OF_WOMEN = re.compile(
    r"\b(?:women|she|her|hers|miss|mrs|ms|lady|ladies|madam|mothers?|daughters?|sisters?|wife|wives|aunts?|queens?"
    r"|widows?|girls?)\b",
    re.I,
)
_OF_MEN = re.compile(
    r"\b(?:men|he|him|his|mr|sir|lords?|gentlem[ae]n|fathers?|sons?|brothers?|husbands?|uncles?|kings?|boys?)\b", re.I
)
WOMEN, MEN = "(women)", "(men)"
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


def form(word: str) -> str:
    """A base form without the ending that tells a noun from its verb."""
    ending = _ENDING.search(word)
    return word[: ending.start()] if ending and ending.start() >= _LEAST_LEFT else word


@lru_cache(maxsize=20_000)
def held_words(text: str) -> frozenset[str]:
    """What questions and sentences are compared by: forms of its words, WOMEN and MEN where it tells of some."""
    found = {form(word) for word in content_words(text)}
    return frozenset(
        found | ({WOMEN} if _OF_WOMEN.search(text) else set()) | ({MEN} if _OF_MEN.search(text) else set())
    )
