"""The type of a named thing, voted over its mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from drift_assets.language.extractive.mentions import Mention
from drift_assets.language.extractive.vocabulary import SPEECH_VERBS, TITLES

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
_LAST_WORDS = {
    "LOCATION": """street road avenue lane square island isle bay river mount mountain lake harbour harbor valley castle
        town village city county country park garden bridge cape coast sea ocean strait sands quay house hill wood
        forest port beach point head station hall inn church cathedral""",
    "ORGANIZATION": """company ltd inc corporation committee council society trust university institute ministry guild
        union club board works department agency bank museum school college association party press office court
        gazette times parliament commission brothers sons""",
    "EVENT": """war battle festival fire flood storm conference expedition regatta fair inquiry trial race treaty
        revolution election accident exhibition congress wedding""",
    "ARTIFACT": """organ bell lamp engine book letter treaty act clock sword ring crown map chart diary log machine
        ship""",
}
_BY_LAST_WORD = {word: kind for kind, words in _LAST_WORDS.items() for word in words.split()}
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
            votes[_LABELS[mention.label]] += 2
        votes.update(_hints(doc, mention))
    for kind in sorted(votes, key=lambda kind: (-votes[kind], kind)):
        allowed = _allowed(kind, types)
        if allowed:
            return allowed
        break
    return ""


def _allowed(kind: str, types: Sequence[str]) -> str:
    return next((name for name in (kind, *_OTHER_NAMES[kind]) if name in types), "")


def _hints(doc: Any, mention: Mention) -> Counter[str]:
    hints: Counter[str] = Counter()
    words = mention.name.lower().split()
    if words[0] in TITLES and "of" not in words:
        hints["PERSON"] += 4
    elif words[-1] in _BY_LAST_WORD:
        hints[_BY_LAST_WORD[words[-1]]] += 3
    root = doc[mention.start : mention.end].root
    if root.dep_ in {"nsubj", "poss"} and root.head.lemma_ in SPEECH_VERBS:
        hints["PERSON"] += 3
    if root.dep_ == "pobj" and root.head.lower_ in {"in", "at", "near"} and root.left_edge.i == mention.start:
        hints["LOCATION"] += 1
    return hints
