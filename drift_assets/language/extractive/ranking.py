"""Which sentences answer a question, and which of them together: words shared, likeness of meaning, kind of thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from drift_assets.language.extractive.candidates import Candidate, held, shares
from drift_assets.language.extractive.questions import Asked, holds_wanted
from drift_assets.language.extractive.sentences import is_asking, is_caption, is_cut, is_tail

_SHARE, _LIKENESS, _KIND = 0.45, 0.45, 0.1
_PART = 0.6
_CONTEXT = 0.3
_LINKED = 0.25
# Beside what it says to a part of the question, what a sentence says to the whole.
_BESIDE = 0.5
_NEW, _ALIKE, _SAME_SOURCE = 0.6, 0.3, 0.02
_SERVED = 0.1
_LONG, _FRAGMENT, _CAPTION = 280, 0.1, 0.15
# A sentence without its beginning is not to be understood, and one that asks tells nothing.
_TAIL, _ASKING = 0.3, 0.1
# Names tell what a question speaks of; a sentence that holds nothing else of it stands back.
_NAMES_ONLY = 0.2


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its relevance 0–1 to the whole question, to each aspect of it, and its likeness 0–1."""

    candidate: Candidate
    relevance: float
    aspects: tuple[float, ...]
    likeness: float


def shortlist(aspects: Sequence[Asked], listed: Sequence[Candidate], limit: int) -> list[Candidate]:
    """The `limit` best by words alone: for each aspect in turn the next best, so that none is left out."""
    rows = [shares(asked, listed) for asked in aspects]
    queues = []
    for row in rows:
        worth = [share + _CONTEXT * whole for share, whole in zip(row, rows[0], strict=True)]
        queues.append([place for _, place in sorted((-value, place) for place, value in enumerate(worth))])
    chosen: dict[Candidate, None] = {}
    for places in zip(*queues, strict=True):
        chosen.update(dict.fromkeys(listed[place] for place in places))
        if len(chosen) >= limit:
            break
    return sorted(list(chosen)[:limit], key=lambda candidate: candidate.place)


def likeness(cosine: float) -> float:
    """A cosine as a share 0–1: of MiniLM's vectors 0.1 is unrelated, 0.75 says the same."""
    return min(max((cosine - 0.1) / 0.65, 0.0), 1.0)


def rank(
    aspects: Sequence[Asked],
    listed: Sequence[Candidate],
    cosines: Sequence[Sequence[float]],
    among: Sequence[Candidate],
) -> list[Ranked]:
    """The candidates by relevance, best first; `cosines` has a row per aspect, the whole question being the first.

    Words are weighed by how rare they are `among` all sentences that were at hand.
    """
    rows = []
    for asked, row in zip(aspects, cosines, strict=True):
        share = dict(zip(among, shares(asked, among), strict=True))
        rows.append([_relevance(asked, item, share[item], cosine) for item, cosine in zip(listed, row, strict=True)])
    found = []
    for place, candidate in enumerate(listed):
        own = tuple(row[place] for row in rows)
        best = max(own[1:], default=own[0])
        whole = _PART * best + (1 - _PART) * own[0]
        found.append(Ranked(candidate, whole, own, likeness(max(row[place] for row in cosines))))
    return sorted(_linked(found), key=lambda item: (-item.relevance, item.candidate.place))


def _relevance(asked: Asked, candidate: Candidate, share: float, cosine: float) -> float:
    kind = _KIND if holds_wanted(candidate.text, asked) else 0.0
    text = candidate.text
    less = max(0, len(text) - _LONG) / 1000 + _CAPTION * is_caption(text) + _ASKING * is_asking(text)
    less += _TAIL if is_tail(text) else _FRAGMENT * is_cut(text)
    if asked.names and (told := set(asked.words) - asked.names) and candidate.words.isdisjoint(told):
        less += _NAMES_ONLY
    return max(_SHARE * share + _LIKENESS * likeness(cosine) + kind - less + _SERVED * candidate.score / 100, 0.0)


def _linked(ranked: Sequence[Ranked]) -> list[Ranked]:
    """A sentence that goes on from a relevant one is relevant in part, and so is what a relevant one goes on from."""
    by_place = {item.candidate.place: item for item in ranked}
    found = []
    for item in ranked:
        source, index = item.candidate.place
        before, after = by_place.get((source, index - 1)), by_place.get((source, index + 1))
        lift = _LINKED * max(
            before.relevance if before is not None and item.candidate.points_back else 0.0,
            after.relevance if after is not None and after.candidate.points_back else 0.0,
        )
        found.append(Ranked(item.candidate, min(item.relevance + lift, 1.0), item.aspects, item.likeness))
    return found


def choose(
    ranked: Sequence[Ranked], weight: Mapping[str, float], count: int, least: float, each: int = 1
) -> list[Ranked]:
    """Up to `count` sentences that together answer most; none under `least` of the best one's relevance.

    First the `each` best for each aspect, in turn; then by maximal marginal relevance (Carbonell and Goldstein 1998):
    relevant, with words of the question not yet held, unlike those chosen, and rather of other sources.
    """
    if not ranked:
        return []
    turns = [aspect for _ in range(each) for aspect in range(1, len(ranked[0].aspects))]
    rest = [item for item in ranked if item.relevance >= least * ranked[0].relevance]
    chosen: list[Ranked] = []
    while len(chosen) < count and (rest := [item for item in rest if not _repeats(item, chosen)]):
        if turns:
            best = max(rest, key=partial(_worth_to, turns.pop(0), chosen))
        else:
            covered = frozenset().union(*(item.candidate.words for item in chosen))
            best = max(rest, key=partial(_gain, chosen, covered, weight))
        rest.remove(best)
        chosen.append(best)
    return chosen


def _worth_to(aspect: int, chosen: Sequence[Ranked], item: Ranked) -> float:
    return item.aspects[aspect] + _BESIDE * item.relevance - _ALIKE * _likest(item, chosen)


def _gain(chosen: Sequence[Ranked], covered: frozenset[str], weight: Mapping[str, float], item: Ranked) -> float:
    own = set(item.candidate.numbers)
    known = sum(not own.isdisjoint(other.candidate.numbers) for other in chosen)
    new = 1 + _NEW * held(item.candidate.words - covered, weight)
    return item.relevance * new - _ALIKE * _likest(item, chosen) - _SAME_SOURCE * known


def _likest(item: Ranked, chosen: Sequence[Ranked]) -> float:
    return max((overlap(item.candidate.words, other.candidate.words) for other in chosen), default=0.0)


def _repeats(item: Ranked, chosen: Sequence[Ranked]) -> bool:
    return any(overlap(item.candidate.words, other.candidate.words) > 0.75 for other in chosen)


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the smaller set of words that the other holds too, 0–1."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
