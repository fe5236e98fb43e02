"""The type of a named thing, voted over its mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from drift_assets.language.extractive.mentions import Mention
from drift_assets.language.extractive.nlp import lexicon
from drift_assets.language.extractive.vocabulary import (
    BODIES,
    EVENTS,
    KIN,
    OBJECTS,
    PLACES,
    SPEECH_VERBS,
    TITLES,
    TRADES,
)

_LABELS = {
    "PERSON": "PERSON",
    "ORG": "ORGANIZATION",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "FAC": "LOCATION",
    "EVENT": "EVENT",
    "PRODUCT": "ARTIFACT",
    "WORK_OF_ART": "ARTIFACT",
    "LAW": "ARTIFACT",
}
_TELLING = {"PERSON": KIN, "LOCATION": PLACES, "ORGANIZATION": BODIES, "EVENT": EVENTS, "ARTIFACT": OBJECTS}
_OTHER_NAMES = {
    "PERSON": ("PEOPLE", "CHARACTER", "HUMAN", "INDIVIDUAL"),
    "ORGANIZATION": ("ORGANISATION", "ORG", "COMPANY", "GROUP", "INSTITUTION"),
    "LOCATION": ("PLACE", "GPE", "LOC", "GEO", "SITE"),
    "EVENT": ("HAPPENING", "INCIDENT"),
    "ARTIFACT": ("ARTEFACT", "OBJECT", "PRODUCT", "WORK", "THING"),
}


def kind_of(doc: Any, mentions: Sequence[Mention], types: Sequence[str]) -> str:
    """The allowed type that most of the evidence in the mentions of one thing speaks for, or ""."""
    votes: Counter[str] = Counter()
    for mention in mentions:
        if mention.label in _LABELS:
            votes[_LABELS[mention.label]] += _trust(doc, mention)
        votes.update(_hints(doc, mention))
    for kind in sorted(votes, key=lambda kind: (-votes[kind], kind)):
        allowed = _allowed(kind, types)
        if allowed:
            return allowed
        break
    return ""


def _trust(doc: Any, mention: Mention) -> int:
    """How much the recogniser's label is worth: it errs with common nouns that are names, and with "the" before."""
    led = mention.start > 0 and doc[mention.start - 1].lower_ in {"the", "a", "an"}
    single = mention.end - mention.start == 1
    if single and mention.label != "PERSON" and (led or mention.name.lower() in lexicon()["noun"]):
        return 0
    if led:
        return {"GPE": 0, "PERSON": 1}.get(mention.label, 2)
    return 2


def _allowed(kind: str, types: Sequence[str]) -> str:
    return next((name for name in (kind, *_OTHER_NAMES[kind]) if name in types), "")


def _hints(doc: Any, mention: Mention) -> Counter[str]:
    hints: Counter[str] = Counter()
    words = mention.name.lower().split()
    if words[0] in TITLES and "of" not in words:
        hints["PERSON"] += 4
    elif len(words) > 1 or mention.name.islower():
        hints.update({kind: 3 for kind, telling in _TELLING.items() if words[-1] in telling})
    root = doc[mention.start : mention.end].root
    if root.dep_ in {"nsubj", "poss"} and root.head.lemma_ in SPEECH_VERBS:
        hints["PERSON"] += 3
    if any(child.dep_ == "relcl" and _has_who(child) for child in root.children):
        hints["PERSON"] += 2
    if root.dep_ == "pobj" and root.head.lower_ in {"in", "at", "near"} and root.left_edge.i == mention.start:
        hints["LOCATION"] += 1
    beside = [doc[mention.start - 1]] if mention.start else []
    beside += [child for child in root.children if child.dep_ == "appos"]
    beside += [root.head] if root.dep_ == "appos" else []
    beside += [child for child in root.head.children if child.dep_ == "attr"] if root.dep_ == "nsubj" else []
    hints.update({kind: 3 for token in beside if token.pos_ == "NOUN" and (kind := class_of(token.lemma_))})
    return hints


def class_of(noun: str) -> str:
    """The type of what a common noun stands for, as far as the noun tells, or ""."""
    for kind, telling in _TELLING.items():
        if noun in telling:
            return kind
    return "PERSON" if len(noun) > 4 and noun.endswith(TRADES) and noun in lexicon()["noun"] else ""


def _has_who(verb: Any) -> bool:
    return any(child.lower_ in {"who", "whom", "whose"} for child in verb.children)
