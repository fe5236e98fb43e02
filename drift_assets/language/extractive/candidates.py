"""The sentences that an answer can be made of, and how much of a question's words each holds."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from drift_assets.language.extractive.questions import Asked
from drift_assets.language.extractive.sentences import fold, is_cut, split
from drift_assets.language.extractive.vocabulary import GENERAL
from drift_assets.language.extractive.words import form, held_words
from drift_assets.language.tasks import Evidence, IntermediateAnswer

_CITATION = re.compile(r"\s*\[\d[\d\s,;–-]*\]")
_CITED = re.compile(r"\s*(?P<text>\S.*?)\s*(?P<numbers>(?:\[\d+\])+)", re.S)
_BULLET = re.compile(r"^[-*•]\s+")
_KINDS = {"chunk": 0, "entity": 1, "relationship": 2, "report": 3}
_POINTS_BACK = re.compile(
    r"\W*(?:(?i:he|she|it|they|this|that|these|those|his|her|its|their|there|then|so|but|and|such|both|one|here)\b"
    r"|The [a-z])"
)
_NEIGHBOUR = 0.35
# Sentences taken to exist besides those at hand, so that few of them do not make every word a common one.
_UNSEEN = 20
_NAMES = 0.35
_GENERAL = 0.5
_GENERAL_WORDS = frozenset(map(form, GENERAL))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence, the numbers it is cited by, its place (source, position there), its words, the sentence before.

    `score`, 0–100, is that of the intermediate answer that it stands in, if any.
    """

    text: str
    numbers: tuple[int, ...]
    place: tuple[int, int]
    words: frozenset[str]
    before: str = ""
    score: float = 0.0

    @property
    def points_back(self) -> bool:
        """Whether it begins with a word that stands for something said before."""
        return _POINTS_BACK.match(self.text) is not None

    @property
    def in_context(self) -> str:
        """What is embedded: the sentence, with the one before where it points back to it."""
        return f"{self.before} {self.text}" if self.before and self.points_back else self.text


def of_evidence(evidence: Sequence[Evidence]) -> list[Candidate]:
    """Every distinct sentence of the evidence; one that stands in several pieces is cited from the document's text."""
    ordered = sorted(range(len(evidence)), key=lambda place: (_KINDS[evidence[place].kind], place))
    found: dict[str, Candidate] = {}
    for place in ordered:
        piece = evidence[place]
        # Reports and descriptions have a statement a line, a document's lines are wrapped.
        text = piece.text if piece.kind == "chunk" else piece.text.replace("\n", "\n\n")
        before = ""
        for index, sentence in enumerate(split(text)):
            sentence = _CITATION.sub("", sentence)
            if piece.kind != "chunk" and is_cut(sentence):
                continue
            words = held_words(sentence)
            found.setdefault(sentence, Candidate(sentence, (piece.number,), (place, index), words, before))
            before = sentence
    return list(found.values())


def of_answers(answers: Sequence[IntermediateAnswer]) -> list[Candidate]:
    """Every distinct sentence of the answers that is followed by citations; neighbours there are none in a source."""
    found: dict[str, Candidate] = {}
    for place, given in enumerate(answers):
        for index, match in enumerate(_CITED.finditer(given.answer)):
            text = _BULLET.sub("", fold(match.group("text")))
            numbers = tuple(int(number) for number in re.findall(r"\d+", match.group("numbers")))
            words = held_words(text)
            found.setdefault(text, Candidate(text, numbers, (place, 2 * index), words, score=given.score))
    return list(found.values())


def weights(asked: Asked, listed: Sequence[Candidate]) -> dict[str, float]:
    """Weight of each word of the question, the rarer among the sentences the more; they sum to 1.

    The inverse document frequency of BM25 (Robertson and Zaragoza 2009). Names together have a third at most: they
    tell what is spoken of, and the other words what is asked of it. Nouns that fit any matter ("the day", "its place")
    have half.
    """
    counts = Counter(word for candidate in listed for word in candidate.words)
    total = len(listed) + _UNSEEN
    rare = {word: math.log(1 + (total - counts[word] + 0.5) / (counts[word] + 0.5)) for word in asked.words}
    rare = {word: weight * (_GENERAL if word in _GENERAL_WORDS else 1.0) for word, weight in rare.items()}
    names = sum(weight for word, weight in rare.items() if word in asked.names)
    plain = sum(rare.values()) - names
    part = min(_NAMES, names / (names + plain)) if plain else 1.0
    return {
        word: weight * (part / names if word in asked.names else (1 - part) / plain) for word, weight in rare.items()
    }


def held(words: Iterable[str], weight: Mapping[str, float]) -> float:
    """The share of the weight that `words` hold, 0–1; 0 where nothing has weight."""
    total = sum(weight.values())
    return sum(weight.get(word, 0.0) for word in set(words)) / total if total else 0.0


def shares(asked: Asked, listed: Sequence[Candidate]) -> list[float]:
    """For each candidate the share of the question's words that it holds, those of its neighbours counting in part."""
    weight = weights(asked, listed)
    by_place = {candidate.place: candidate.words for candidate in listed}
    none: frozenset[str] = frozenset()
    found = []
    for candidate in listed:
        source, index = candidate.place
        near = by_place.get((source, index - 1), none) | by_place.get((source, index + 1), none)
        share = held(candidate.words, weight) + _NEIGHBOUR * held(near - candidate.words, weight)
        found.append(min(share, 1.0))
    return found
