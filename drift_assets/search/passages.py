"""Passages: parts of chunks, ordered by what they bring to a question. No calls, no vectors of their own.

A passage is worth as much as its chunk is near in meaning, and as the words of the question that it and its neighbours
hold (BM25, Robertson and Zaragoza 2009). A word counts a little less with each passage taken that holds it, so that
what a question also asks for gets a place.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from drift_assets.chunking import split
from drift_assets.graph.candidates import Candidate
from drift_assets.graph.retrieval import Piece

PASSAGE_TOKENS = 192
_SIMILARITY, _NEIGHBOUR, _AGAIN = 0.6, 0.6, 0.9
_K, _B = 1.2, 0.75
# Words that begin alike mean alike, in many languages.
_STEM = 5
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text whose words passages should hold, and what these are worth beside those of the others."""

    text: str
    weight: float = 1.0


def passages_of(candidates: Sequence[Candidate]) -> list[tuple[Candidate, Piece]]:
    """The chunks cut into passages, in their order."""
    return [(candidate, piece) for candidate in candidates for piece in cut(candidate.piece)]


def cut(chunk: Piece) -> list[Piece]:
    """The chunk's passages in order; they have its id."""
    return [Piece("chunk", chunk.id, chunk.title, text, chunk.document) for text in _cut(chunk.text)]


def rank(wanted: Sequence[Wanted], candidates: Sequence[Candidate], count: int) -> list[Piece]:
    """The `count` passages of these chunks that together bring most, best first; ties by document and position."""
    found = passages_of(candidates)
    if not found:
        return []
    rows, weights = _words_held(wanted, [piece.text for _, piece in found])
    near = _near([candidate.similarity for candidate, _ in found])
    beside = _neighbours([candidate for candidate, _ in found])
    most = max(_held(row, weights) for row in rows) or 1.0
    worth = [_held(row, weights) / most for row in rows]
    left, ranked = set(range(len(found))), list[Piece]()
    while left and len(ranked) < count:
        best = max(left, key=lambda n: (_gain(n, near, worth, beside), -n))
        left.remove(best)
        ranked.append(found[best][1])
        if rows[best]:
            for word in rows[best]:
                weights[word] *= _AGAIN
            worth = [_held(row, weights) / most for row in rows]
    return ranked


def _gain(n: int, near: Sequence[float], worth: Sequence[float], beside: Sequence[Sequence[int]]) -> float:
    held = worth[n] + _NEIGHBOUR * max((worth[m] for m in beside[n]), default=0.0)
    return _SIMILARITY * near[n] + (1 - _SIMILARITY) * held


@lru_cache(maxsize=4_096)
def _cut(text: str) -> tuple[str, ...]:
    return tuple(piece.text for piece in split(text, PASSAGE_TOKENS))


def words_of(text: str) -> list[str]:
    """Beginnings of the words of a text; of writing without blanks, its pairs of signs."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.search(word):
            found += [word[n : n + 2] for n in range(max(1, len(word) - 1))]
        else:
            found.append(word[:_STEM])
    return found


def _words_held(wanted: Sequence[Wanted], texts: Sequence[str]) -> tuple[list[dict[str, float]], dict[str, float]]:
    """For each text how much it holds of each wanted word, and the weight of each, the rarer the more."""
    weights: dict[str, float] = {}
    for one in wanted:
        for word in words_of(one.text):
            weights[word] = max(weights.get(word, 0.0), one.weight)
    counts = [_counted(text) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths) or 1.0
    within = Counter(word for count in counts for word in weights.keys() & count.keys())
    total = len(texts)
    for word, number in within.items():
        weights[word] *= math.log(1 + (total - number + 0.5) / (number + 0.5))
    rows = [
        {
            word: count[word] * (_K + 1) / (count[word] + _K * (1 - _B + _B * length / mean))
            for word in weights
            if word in count
        }
        for count, length in zip(counts, lengths, strict=True)
    ]
    return rows, weights


@lru_cache(maxsize=4_096)
def _counted(text: str) -> Counter[str]:
    return Counter(words_of(text))


def _held(row: dict[str, float], weights: dict[str, float]) -> float:
    return sum(amount * weights[word] for word, amount in row.items())


def _near(similarities: Sequence[float]) -> list[float]:
    """Cosines as shares of the largest; Neo4j's similarity is (1 + cosine) / 2."""
    cosines = [max(2 * similarity - 1, 0.0) for similarity in similarities]
    largest = max(cosines) or 1.0
    return [cosine / largest for cosine in cosines]


def _neighbours(of: Sequence[Candidate]) -> list[list[int]]:
    """For each passage the places of those that stand directly before and after it in the document."""
    found: list[list[int]] = [[] for _ in of]
    for n in range(len(of) - 1):
        one, other = of[n], of[n + 1]
        adjoin = one.piece.document == other.piece.document and one.position + 1 == other.position
        if one is other or adjoin:
            found[n].append(n + 1)
            found[n + 1].append(n)
    return found
