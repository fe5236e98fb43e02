"""What the sentences of a parsed text state of two named things."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from drift_assets.language.extractive.mentions import Mention

_SUBJECTS = {"nsubj", "nsubjpass", "csubj"}
_STRENGTH = {"dobj": 8.0, "attr": 8.0, "agent": 8.0, "dative": 7.0, "appos": 8.0, "poss": 7.0, "pobj": 6.0}
_TOGETHER = 4.0
_APART = 2.0
_CROWD = 6


@dataclass(frozen=True, slots=True)
class Statement:
    """Sentence `sentence` (its number) states something of `source` and `target`; strength 1–10."""

    source: str
    target: str
    sentence: int
    strength: float


def find_statements(doc: Any, mentions: Iterable[Mention]) -> list[Statement]:
    """The strongest statement of each pair in each sentence that has a verb, in order."""
    starts = [sentence.start for sentence in doc.sents]
    by_sentence: dict[int, list[Mention]] = {}
    number = 0
    for mention in sorted(mentions, key=lambda mention: mention.start):
        while number + 1 < len(starts) and starts[number + 1] <= mention.start:
            number += 1
        by_sentence.setdefault(number, []).append(mention)
    sentences = list(doc.sents)
    found: list[Statement] = []
    for number, named in by_sentence.items():
        if len({mention.name for mention in named}) > 1 and any(token.pos_ == "VERB" for token in sentences[number]):
            found += _of_sentence(doc, number, named)
    return found


def _of_sentence(doc: Any, number: int, named: list[Mention]) -> list[Statement]:
    crowded = len({mention.name for mention in named}) > _CROWD
    best: dict[frozenset[str], Statement] = {}
    for place, first in enumerate(named):
        for second in named[place + 1 :]:
            if first.name == second.name:
                continue
            statement = _between(doc, number, first, second)
            pair = frozenset((first.name, second.name))
            if crowded and statement.strength <= _APART:
                continue
            if pair not in best or statement.strength > best[pair].strength:
                best[pair] = statement
    return list(best.values())


def _between(doc: Any, number: int, first: Mention, second: Mention) -> Statement:
    one, other = (doc[mention.start : mention.end].root for mention in (first, second))
    for source, target, start, end in ((first, second, one, other), (second, first, other, one)):
        strength = _stated(start, end)
        if strength:
            return Statement(source.name, target.name, number, strength)
    near = abs(first.start - second.start) <= 12
    return Statement(first.name, second.name, number, _APART if near else 1.0)


def _stated(source: Any, target: Any) -> float:
    """How closely the grammar ties `source`, as the one spoken of, to `target`; 0 where it does not."""
    if _described_by(target, source):
        return _STRENGTH["appos"]
    if _described_by(source, target):
        return 0.0
    if target.dep_ == "conj" and _role(target) == _role(source) and _role(source).dep_ in _SUBJECTS:
        return _TOGETHER
    source, target = _role(source), _role(target)
    if target.dep_ == "poss" and target.head == source:
        return _STRENGTH["poss"]
    if source.dep_ not in _SUBJECTS:
        return 0.0
    return _of_verb({source.head, *(verb for verb in source.head.conjuncts if not _own_subject(verb))}, target)


def _of_verb(verbs: set[Any], target: Any) -> float:
    """How closely `target` hangs on one of the verbs of the subject."""
    if target.head in verbs:
        return _STRENGTH.get(target.dep_, 0.0)
    if target.dep_ == "pobj" and target.head.dep_ in {"prep", "agent", "dative"}:
        tie = target.head.head
        if tie in verbs:
            return _STRENGTH["agent"] if target.head.dep_ == "agent" else _STRENGTH["pobj"]
        if tie.head in verbs and tie.pos_ != "VERB":
            return 7.0 if tie.dep_ == "attr" else 5.0
    if target.dep_ == "poss" and target.head.head in verbs:
        return 5.0
    below = target.head
    if below.dep_ in {"xcomp", "ccomp", "advcl"} and below.head in verbs and target.dep_ in _STRENGTH:
        return 4.0
    return 0.0


def _described_by(target: Any, source: Any) -> bool:
    """Whether `target` describes `source` directly: in apposition, or as in "X of Y" and "X, keeper of Y"."""
    if target.dep_ == "appos" and target.head == source:
        return True
    if target.dep_ != "pobj" or target.head.dep_ != "prep":
        return False
    noun = target.head.head
    return bool(noun == source or (noun.dep_ == "appos" and noun.head == source))


def _own_subject(verb: Any) -> bool:
    return any(child.dep_ in _SUBJECTS for child in verb.children)


def _role(token: Any) -> Any:
    """The word whose place in the sentence the name shares: the first of a list, the noun it is added to."""
    while (token.dep_ == "conj" and token.head.pos_ in {"PROPN", "NOUN"}) or (
        token.dep_ in {"appos", "compound"} and token.head.pos_ == "NOUN"
    ):
        token = token.head
    return token
