"""Which pairs of names may be of one thing: by their letters, and by the vectors of names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from drift_assets.language.extractive.vocabulary import STYLES
from drift_assets.resolution.forms import VERSION as FORMS
from drift_assets.resolution.forms import Likeness, contradict, form, likeness, singular

# Raise with every change that may bring other pairs.
VERSION = f"{FORMS}.1"
# A name that fits more longer names than this is a kind of thing, such as WHALE: it is none of them.
MOST_FITTING = 6
# Names that so many share a word with, or a spelling but for a letter, are not compared by that.
MOST_ALIKE = 200
# Cosine from which two names count as near, and how many near ones a name has.
LEAST_COSINE, MOST_NEAR = 0.8, 3
_ROWS = 1024
_PARTS = ("last", "first", "head", "initials")


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """Two names (keys, lesser first) that may be of one thing; `why` is their likeness, or `vector`.

    `others` are the names that one of the two might stand for as well.
    """

    first: str
    second: str
    why: str
    others: tuple[str, ...] = ()


def candidates(counts: Mapping[str, int]) -> list[Candidate]:
    """The pairs that are alike in their letters, sorted; `counts` are the mentions of each name."""
    alike: dict[tuple[str, str], Likeness] = {}
    for first, second in _compared(sorted(counts)):
        if why := likeness(first, second):
            alike[first, second] = why
    known = _Known(counts, _fitting(alike), _styled(counts))
    found = [Candidate(*pair, why, known.others(*pair, why)) for pair, why in sorted(alike.items())]
    return [one for one in found if one.why not in _PARTS or len(one.others) < MOST_FITTING]


@dataclass(frozen=True, slots=True)
class _Known:
    """The names with their mentions, the longer ones that each is a part of, and those of a core with a style."""

    counts: Mapping[str, int]
    fitting: Mapping[str, set[str]]
    styled: Mapping[tuple[str, ...], set[str]]

    def others(self, first: str, second: str, why: Likeness) -> tuple[str, ...]:
        """The names that one of the two might stand for as well, sorted, so many as tell that it is a kind of thing."""
        found = self.fitting.get(first, set()) | self.fitting.get(second, set())
        if why == "title":
            # One odd name, met once, takes no title from its bearer.
            found = {name for name in found if self.counts[name] > 1 and form(name).core != form(first).core}
        elif why in _PARTS:
            short, long = sorted((first, second), key=lambda name: form(name).length)
            styled = self.styled.get(form(short).core, set()) if why == "last" else set()
            found = self.fitting.get(short, set()) | {name for name in styled if not _styles(name) & _styles(long)}
            found = {name for name in found if form(name).core != form(long).core}
        return tuple(sorted(found - {first, second})[:MOST_FITTING])


def _styled(names: Iterable[str]) -> dict[tuple[str, ...], set[str]]:
    styled: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name in names:
        if _styles(name):
            styled[form(name).core].add(name)
    return styled


def _styles(name: str) -> set[str]:
    """Titles that tell one bearer of a name from another: KING AHAB may be another than AHAB."""
    return {*form(name).titles} & STYLES


def _fitting(alike: Mapping[tuple[str, str], Likeness]) -> dict[str, set[str]]:
    """The longer names of which each name is a part."""
    fitting: dict[str, set[str]] = defaultdict(set)
    for (first, second), why in alike.items():
        if why in _PARTS:
            short, long = sorted((first, second), key=lambda name: form(name).length)
            fitting[short].add(long)
    return fitting


def _compared(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs that share what alike names share: a first or last word, a spelling but for a letter, initials."""
    blocks: dict[str, list[str]] = defaultdict(list)
    for name in names:
        for key in _keys(name):
            blocks[key].append(name)
    seen: set[tuple[str, str]] = set()
    for key in sorted(blocks):
        block = blocks[key]
        if len(block) > MOST_ALIKE:
            continue
        for pair in combinations(block, 2):
            if pair not in seen:
                seen.add(pair)
                yield pair


def _keys(name: str) -> set[str]:
    found = form(name)
    plain = singular(found.plain)
    solid = plain.replace(" ", "")
    keys = {f"whole {plain}", f"whole {found.plain}", f"solid {solid}", f"sorted {' '.join(sorted(found.words))}"}
    core = found.core
    keys |= {f"core {' '.join(core[:size])}" for size in range(1, len(core) + 1)}
    keys |= {f"core {' '.join(core[-size:])}" for size in range(1, len(core) + 1)}
    letters = "".join(word[0] for word in core if len(word) > 2)
    if len(core) > 1:
        keys.add(f"core {''.join(word[0] for word in core if word not in ('of', 'the', 'and', 'for'))}")
        keys.add(f"initials {letters[:1]} {core[-1]}")
    # Two spellings that differ by a letter are equal without one letter of each.
    if 5 <= len(solid) <= 40:
        keys |= {f"but {solid[:at]}{solid[at + 1 :]}" for at in range(1, len(solid))} | {f"but {solid}"}
    return keys


def near(vectors: Mapping[str, Sequence[float]], known: Iterable[tuple[str, str]]) -> list[Candidate]:
    """The pairs that are near by the vectors of the names (of norm 1), sorted, without those that are `known`.

    A vector of another length than most is not compared.
    """
    import numpy as np

    usual = Counter(map(len, vectors.values())).most_common(1)
    names = sorted(name for name, vector in vectors.items() if len(vector) == usual[0][0])
    if len(names) < 2:
        return []
    taken = set(known)
    matrix = np.asarray([vectors[name] for name in names], dtype=np.float32)
    found: set[Candidate] = set()
    for start in range(0, len(names), _ROWS):
        cosines = matrix[start : start + _ROWS] @ matrix.T
        for row, values in enumerate(cosines):
            values[start + row] = -1.0
            at = start + row
            close = [int(place) for place in np.flatnonzero(values >= LEAST_COSINE)]
            for place in sorted(close, key=lambda place: (-float(values[place]), names[place]))[:MOST_NEAR]:
                first, second = sorted((names[at], names[place]))
                if (first, second) not in taken and not contradict(first, second):
                    found.add(Candidate(first, second, "vector"))
    return sorted(found)
