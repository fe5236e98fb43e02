"""Passages: parts of chunks, ordered by what they bring to a question. No calls, no vectors of their own.

A passage is worth as much as its chunk is near in meaning, and as the words of the question that it and its neighbours
hold (BM25, Robertson and Zaragoza 2009). A word counts a little less with each passage taken that holds it, so that
what a question also asks for gets a place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from drift_assets.chunking import split
from drift_assets.graph.candidates import Candidate
from drift_assets.graph.retrieval import Piece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

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
    import numpy as np

    found = passages_of(candidates)
    if not found:
        return []
    held, weights = _words_held(wanted, [piece.text for _, piece in found])
    near = _near([candidate.similarity for candidate, _ in found])
    before, after = _neighbours([candidate for candidate, _ in found])
    most = float((held @ weights).max(initial=0.0)) or 1.0
    free = np.ones(len(found), bool)
    ranked: list[Piece] = []
    while len(ranked) < min(count, len(found)):
        worth = np.append(held @ weights / most, 0.0)
        beside = np.maximum(worth[before], worth[after])
        gain = _SIMILARITY * near + (1 - _SIMILARITY) * (worth[:-1] + _NEIGHBOUR * beside)
        # Rounded, so that equal passages stay in their order.
        best = int(np.argmax(np.where(free, gain.round(9), -1.0)))
        free[best] = False
        ranked.append(found[best][1])
        weights = np.where(held[best] > 0, weights * _AGAIN, weights)
    return ranked


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


def _words_held(wanted: Sequence[Wanted], texts: Sequence[str]) -> tuple[Numbers, Numbers]:
    """How much each text holds of each wanted word, a row per text, and what each word weighs, the rarer the more."""
    import numpy as np

    asked: dict[str, float] = {}
    for one in wanted:
        for word in words_of(one.text):
            asked[word] = max(asked.get(word, 0.0), one.weight)
    counts = [_counted(text) for text in texts]
    lengths = np.array([[sum(count.values())] for count in counts], float)
    times = np.array([[count[word] for word in asked] for count in counts], float)
    held = times * (_K + 1) / (times + _K * (1 - _B + _B * lengths / (lengths.mean() or 1.0)))
    within = (times > 0).sum(axis=0)
    return held, np.array(list(asked.values())) * np.log(1 + (len(texts) - within + 0.5) / (within + 0.5))


@lru_cache(maxsize=4_096)
def _counted(text: str) -> Counter[str]:
    return Counter(words_of(text))


def _near(similarities: Sequence[float]) -> Numbers:
    """Cosines as shares of the largest; Neo4j's similarity is (1 + cosine) / 2."""
    import numpy as np

    cosines = np.maximum(2 * np.array(similarities) - 1, 0.0)
    shares: Numbers = cosines / (float(cosines.max()) or 1.0)
    return shares


def _neighbours(of: Sequence[Candidate]) -> tuple[list[int], list[int]]:
    """For each passage the places of those directly before and after it in the document; -1 where there is none."""
    before, after = [-1] * len(of), [-1] * len(of)
    for n, (one, other) in enumerate(pairwise(of)):
        adjoin = one.piece.document == other.piece.document and one.position + 1 == other.position
        if one is other or adjoin:
            after[n], before[n + 1] = n + 1, n
    return before, after
