"""Which sentences answer a question: by the rare words they share with it, and by likeness of meaning.

Word weights are the inverse document frequency of BM25 (Robertson and Zaragoza 2009), over the sentences at hand.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from drift_assets.language.extractive.questions import Asked
from drift_assets.language.extractive.sentences import fold, split
from drift_assets.language.extractive.words import content_words
from drift_assets.language.tasks import Evidence

_CITATION = re.compile(r"\s*\[\d+\]")
_KINDS = {"chunk": 0, "entity": 1, "relationship": 2, "report": 3}
_NEIGHBOUR = 0.35
# Sentences taken to exist besides those at hand, so that few of them do not make every word a common one.
_UNSEEN = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence with the numbers it is cited by; `place` orders it by source; `share` is 0–1.

    `share` is the weight of the question's words that it holds, those of its neighbours counting in part.
    """

    text: str
    numbers: tuple[int, ...]
    place: tuple[int, int]
    words: frozenset[str]
    share: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its relevance to the question, 0–1, and the likeness of meaning in it, 0–1."""

    candidate: Candidate
    relevance: float
    likeness: float


def weights(asked: Asked, sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    """Weight of each word of the question; the rarer among the sentences the more."""
    counts = Counter(word for words in sentences for word in words)
    total = len(sentences) + _UNSEEN
    return {word: math.log(1 + (total - counts[word] + 0.5) / (counts[word] + 0.5)) for word in asked.words}


def held(words: Iterable[str], weight: Mapping[str, float]) -> float:
    """The share of the question's weight that `words` hold, 0–1."""
    total = sum(weight.values())
    return sum(weight.get(word, 0.0) for word in set(words)) / total if total else 0.0


def candidates(asked: Asked, evidence: Sequence[Evidence]) -> list[Candidate]:
    """Every distinct sentence of the evidence, texts of documents first; `share` is filled in."""
    ordered = sorted(range(len(evidence)), key=lambda place: (_KINDS[evidence[place].kind], place))
    found: dict[str, Candidate] = {}
    runs: list[list[str]] = []
    for place in ordered:
        texts = [_CITATION.sub("", sentence) for sentence in split(evidence[place].text)]
        fresh = [text for text in texts if fold(text) not in found]
        runs.append(fresh)
        for index, text in enumerate(fresh):
            words = frozenset(content_words(text))
            found[text] = Candidate(text, (evidence[place].number,), (place, index), words, 0.0)
    return weighed(asked, list(found.values()))


def weighed(asked: Asked, listed: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with their share of the question's words; neighbours in one source help each other."""
    weight = weights(asked, [candidate.words for candidate in listed])
    by_place = {candidate.place: candidate.words for candidate in listed}
    result = []
    for candidate in listed:
        source, index = candidate.place
        near = by_place.get((source, index - 1), frozenset()) | by_place.get((source, index + 1), frozenset())
        share = held(candidate.words, weight) + _NEIGHBOUR * held(near - candidate.words, weight)
        result.append(Candidate(candidate.text, candidate.numbers, candidate.place, candidate.words, min(share, 1.0)))
    return result


def shortlist(listed: Sequence[Candidate], limit: int) -> list[Candidate]:
    """The `limit` best by words alone."""
    return sorted(listed, key=lambda candidate: (-candidate.share, candidate.place))[:limit]


def likeness(cosine: float) -> float:
    """A cosine as a share 0–1: of MiniLM's vectors 0.1 is unrelated, 0.75 says the same."""
    return min(max((cosine - 0.1) / 0.65, 0.0), 1.0)


def rank(listed: Sequence[Candidate], cosines: Sequence[float]) -> list[Ranked]:
    """The candidates by relevance, best first."""
    found = [
        Ranked(candidate, 0.5 * candidate.share + 0.5 * likeness(cosine), likeness(cosine))
        for candidate, cosine in zip(listed, cosines, strict=True)
    ]
    return sorted(found, key=lambda item: (-item.relevance, item.candidate.place))


def choose(ranked: Sequence[Ranked], weight: Mapping[str, float], count: int) -> list[Ranked]:
    """Up to `count` sentences that together answer most: relevant, with new words of the question, not alike.

    Maximal marginal relevance (Carbonell and Goldstein 1998) with a bonus for words not yet held.
    """
    chosen: list[Ranked] = []
    rest = list(ranked)
    covered: set[str] = set()
    while rest and len(chosen) < count:
        best = max(rest, key=lambda item: _gain(item, chosen, covered, weight))
        if chosen and (best.relevance < 0.5 * ranked[0].relevance or _gain(best, chosen, covered, weight) <= 0):
            break
        rest.remove(best)
        chosen.append(best)
        covered |= best.candidate.words
    return chosen


def _gain(item: Ranked, chosen: Sequence[Ranked], covered: set[str], weight: Mapping[str, float]) -> float:
    alike = max((overlap(item.candidate.words, other.candidate.words) for other in chosen), default=0.0)
    return item.relevance + 0.5 * held(item.candidate.words - covered, weight) - 0.9 * alike


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the smaller set of words that the other holds too, 0–1."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
