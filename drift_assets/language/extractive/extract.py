"""Entities and relationships of one chunk."""

from __future__ import annotations

from typing import Any

from drift_assets.language.extractive.kinds import kind_of
from drift_assets.language.extractive.mentions import Mention, find_mentions
from drift_assets.language.extractive.nlp import parse
from drift_assets.language.extractive.sentences import is_cut, joined, split, verse_starts
from drift_assets.language.extractive.spellings import unify
from drift_assets.language.extractive.statements import Statement, find_statements
from drift_assets.language.extractive.things import find_things
from drift_assets.language.tasks import Extract, ExtractedEntity, ExtractedRelationship, Extraction

_LONGEST_DESCRIPTION = 500


def extract(task: Extract) -> Extraction:
    """Every name of the chunk with the sentences that say most of it, and every statement that ties two names."""
    sentences = split(task.text)
    if not sentences:
        return Extraction(entities=[], relationships=[])
    doc = parse(tuple(sentences))
    mentions = unify(find_mentions(doc, verse_starts(task.text)))
    mentions += find_things(doc, {mention.name for mention in mentions})
    grouped: dict[str, list[Mention]] = {}
    for mention in mentions:
        grouped.setdefault(mention.name, []).append(mention)
    numbers = _sentence_numbers(doc)
    entities = [
        ExtractedEntity(
            name=name,
            type=kind_of(doc, places, task.types),
            description=describe(doc, sentences, numbers, places),
        )
        for name, places in grouped.items()
    ]
    relationships = [_relationship(statement, sentences) for statement in find_statements(doc, mentions)]
    return Extraction(entities=entities[:200], relationships=relationships[:300])


def _relationship(statement: Statement, sentences: list[str]) -> ExtractedRelationship:
    return ExtractedRelationship(
        source=statement.source,
        target=statement.target,
        description=sentences[statement.sentence],
        strength=statement.strength,
    )


def _sentence_numbers(doc: Any) -> list[int]:
    """The number of the sentence that each token belongs to."""
    return [number for number, sentence in enumerate(doc.sents) for _ in sentence]


def describe(doc: Any, sentences: list[str], numbers: list[int], places: list[Mention]) -> str:
    """The one or two sentences that say most of the thing named at `places`, in order."""
    worth: dict[int, float] = {}
    for mention in places:
        number = numbers[mention.start]
        worth[number] = max(worth.get(number, 0.0), _worth(doc, mention, sentences[number]))
    best = sorted(worth, key=lambda number: (-worth[number], number))[:2]
    if len(best) == 2 and (worth[best[1]] < 2 or sum(len(sentences[number]) for number in best) > _LONGEST_DESCRIPTION):
        best = best[:1]
    return joined([sentences[number] for number in sorted(best)])


def _worth(doc: Any, mention: Mention, sentence: str) -> float:
    """How much a sentence says of the thing named in it: that it is something, or does something, weighs most."""
    root = doc[mention.start : mention.end].root
    worth = 0.0
    if any(child.dep_ == "appos" for child in root.children) or root.dep_ == "appos":
        worth += 3.0
    if root.dep_ in {"nsubj", "nsubjpass"}:
        worth += 2.0 if root.head.dep_ == "ROOT" else 1.0
        worth += 3.0 if any(child.dep_ in {"attr", "acomp"} for child in root.head.children) else 0.0
    elif root.dep_ in {"dobj", "attr", "pobj"}:
        worth += 0.5
    if sentence[0] in "`'\"‘“(" or sentence.rstrip("'\"’”)")[-1:] in "?!":
        worth -= 1.5
    if is_cut(sentence) or sentence.count(";") > 2:
        worth -= 1.0
    length = len(sentence)
    return worth + min(length, 140) / 140 - max(0, length - 220) / 80
