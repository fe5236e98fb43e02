"""Nameless things that a text dwells on: nouns that recur in it ("the gardener", "the rose-tree")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from drift_assets.language.extractive.mentions import Mention
from drift_assets.language.extractive.nlp import lexicon
from drift_assets.language.extractive.vocabulary import GENERAL

MOST = 4
_OFTEN, _COMPOUND_OFTEN = 3, 2
# Shorter nouns must be known ones: they are often cries and parts of words.
_SHORTEST, _SHORT = 3, 4


def find_things(doc: Any, names: Collection[str]) -> list[Mention]:
    """Mentions of the up to four nouns that recur most: a single one three times, a compound twice.

    The name is the singular where the text has it, else the form that it has. Nouns that are a word of one of the
    `names`, and those too general to be told apart, are none.
    """
    taken = {word.lower() for name in names for word in name.split()}
    heads = [token for token in doc if is_thing(token) and token.lemma_.lower() not in taken]
    compounds: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for token in heads:
        start = _compound_start(doc, token.i)
        if start < token.i:
            compounds[doc[start : token.i].text_with_ws.lower() + token.lemma_].append((start, token.i + 1))
    found = {name: places for name, places in compounds.items() if len(places) >= _COMPOUND_OFTEN}
    within = {end for places in found.values() for _, end in places}
    single: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for token in heads:
        if token.i + 1 not in within:
            single[token.lemma_].append((token.i, token.i + 1))
    found |= {name: places for name, places in single.items() if len(places) >= _OFTEN}
    kept = sorted(found, key=lambda name: (-len(found[name]), found[name][0]))[:MOST]
    text = doc.text.lower()
    return [
        Mention(name if name in text else doc[start:end].text.lower(), start, end, "")
        for name in kept
        for start, end in found[name]
    ]


def is_thing(token: Any) -> bool:
    """Whether the token is a common noun of some content."""
    plain = token.is_alpha and token.text[1:].islower() and len(token.text) >= _SHORTEST
    noun = plain and token.pos_ == "NOUN" and token.dep_ != "compound" and token.lemma_ not in GENERAL
    return bool(noun and (len(token.text) > _SHORT or token.lemma_ in lexicon()["noun"]))


def _compound_start(doc: Any, place: int) -> int:
    """Where a compound that ends at `place` begins: one noun before, by a blank or a hyphen."""
    if place >= 2 and doc[place - 1].text == "-" and not doc[place - 1].whitespace_ and doc[place - 2].text.islower():
        return place - 2
    before = doc[place - 1] if place else None
    if before is not None and before.pos_ == "NOUN" and before.dep_ == "compound" and before.text.islower():
        return place - 1
    return place
