"""One text for several descriptions: the sentences that say most of the subject."""

from __future__ import annotations

import math
import re
from collections import Counter

from drift_assets.language.extractive.ranking import overlap
from drift_assets.language.extractive.sentences import fold, is_cut, joined, split
from drift_assets.language.extractive.words import content_words
from drift_assets.language.tasks import Summarise, Summary

_SENTENCES = 4
_LONGEST = 700
_READ = 1000


def summarise(task: Summarise) -> Summary:
    """The most central sentences of the descriptions, told once, in their order; bounded in length."""
    sentences = list(dict.fromkeys(sentence for text in task.descriptions for sentence in split(text)))[:_READ]
    if not sentences:
        return Summary(summary=fold(" ".join(task.descriptions)) or task.subject)
    best = central(sentences, task.subject, _SENTENCES)
    kept: list[str] = []
    for sentence in best:
        if not kept or sum(map(len, kept)) + len(sentence) <= _LONGEST:
            kept.append(sentence)
    return Summary(summary=joined([sentence for sentence in sentences if sentence in kept]))


def central(sentences: list[str], subject: str, count: int) -> list[str]:
    """Up to `count` sentences whose words recur most in all of them, best first; near repeats are left out."""
    bags = [frozenset(content_words(sentence)) for sentence in sentences]
    frequency = Counter(word for bag in bags for word in bag)
    named = frozenset(content_words(subject))
    scores = [
        _centrality(bag, frequency, named, sentence) + telling(sentence, subject)
        for bag, sentence in zip(bags, sentences, strict=True)
    ]
    chosen: list[int] = []
    for place in sorted(range(len(sentences)), key=lambda place: (-scores[place], place)):
        if all(overlap(bags[place] - named, bags[other] - named) < 0.6 for other in chosen):
            chosen.append(place)
        if len(chosen) == count:
            break
    return [sentences[place] for place in chosen]


def _centrality(bag: frozenset[str], frequency: Counter[str], named: frozenset[str], sentence: str) -> float:
    if not bag:
        return 0.0
    recurring = sum(math.log(1 + frequency[word]) for word in bag - named) / math.sqrt(len(bag) + 4)
    about = len(bag & named) / len(named) if named else 0.0
    cut = 0.8 if is_cut(sentence) else 0.0
    listing = sentence.count(";") + sentence.count(",") // 4
    return recurring + about - max(0, len(sentence) - 220) / 120 - 0.4 * listing - cut


def telling(sentence: str, subject: str) -> float:
    """How plainly the sentence speaks of the subject: that it begins with it, that it says what it is."""
    name = re.escape(subject)
    begins = re.match(rf"(?:[^\w]*(?:the|mr\.?|mrs\.?|miss|dr\.?|captain|lady|sir)\s+)*{name}\b", sentence, re.I)
    defines = re.search(
        rf"\b{name}(?:,\s(?:the|a|an|who|which)\b|\s(?:is|was|are|were)\s(?:the|a|an)\b)", sentence, re.I
    )
    return (0.7 if begins else 0.0) + (0.8 if defines else 0.0)
