"""How what is said of things grows with the texts that are read: what most of a corpus will hold, from a part of it.

Things (entities, pairs of them) are told of at rates of their own, few often and many seldom. With rates spread by the
density x^(-1-d) e^(-tx), what a part holds once and twice gives d and t, and these what all texts will hold: how many
things, how many told of more than once, and how often (Engen's extended negative binomial; d > 0 and t = 0 is Heaps'
law). The unit of texts is the part that was read. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

_FEW = 4
_SHAPES = [step / 20 for step in range(-40, 19)]
_TILTS = [0.0, *(10 ** (step / 12 - 2) for step in range(41))]


@dataclass(frozen=True, slots=True)
class Group:
    """So many things that are told of anew, each `told` times in the end."""

    count: float
    told: float


@dataclass(frozen=True, slots=True)
class Growth:
    """Of a part in which `counts` are how many things were told of so many times."""

    counts: Mapping[int, int]
    shape: float
    tilt: float

    @property
    def things(self) -> int:
        """How many things the part tells of."""
        return sum(self.counts.values())

    def things_at(self, size: float) -> float:
        """How many things texts of `size` parts tell of."""
        return self.things * self._total(size) / self._total(1.0)

    def once_at(self, size: float) -> float:
        """How many things texts of `size` parts tell of once."""
        d, t = self.shape, self.tilt
        slope = (d or 1.0) * (size + t) ** (d - 1)
        return float(self.things * size * slope / self._total(1.0))

    def _total(self, size: float) -> float:
        d, t = self.shape, self.tilt
        return math.log(size + t) - math.log(t) if d == 0 else float((size + t) ** d - (t**d if t else 0.0))

    def untouched(self, told: float, things: float, size: float, kept: float) -> float:
        """The chance that texts up to `size` tell nothing new of `things` things, told of `told` times together.

        `kept` is the share of the part that is not read again.
        """
        weight = max(told - things * self.shape, 0.0)
        still: float = kept**told * ((1 + self.tilt) / (max(size, 1.0) + self.tilt)) ** weight
        return still

    def told_more(self, told: float, size: float) -> float:
        """How many times more than `told` a thing of the part is told of in texts of `size` parts."""
        return max(told - self.shape, 0.0) * max(size - 1, 0.0) / (1 + self.tilt)

    def known(self, size: float, kept: float) -> list[Group]:
        """The things of the part that are told of anew, also those told of once."""
        groups = []
        for told, count in sorted(self.counts.items()):
            still = self.untouched(told, 1, size, kept)
            if count and still < 1:
                then = told * min(size, 1.0) + self.told_more(told, size) / (1 - still)
                groups.append(Group(count * (1 - still), then))
        return groups

    def unknown(self, size: float) -> Group:
        """The things that only the texts beyond the part tell of, more than once."""
        more = size - 1
        if more <= 0:
            return Group(0.0, 2.0)
        first = more * self.once_at(size) / size
        count = max(self.things_at(size) - self.things - first, 0.0)
        spoken = sum(told * number for told, number in self.counts.items())
        known = sum(self.told_more(told, size) * number for told, number in self.counts.items())
        told = spoken * more - known - first
        return Group(count, max(told / count, 2.0) if count else 2.0)


def growth(counts: Mapping[int, int]) -> Growth:
    """The growth of things told of so many times (`counts`: how many things by how often), by greatest likelihood.

    The few that are told of most often follow no such law and do not count for shape and tilt.
    """
    seen: dict[int, float] = {told: counts.get(told, 0) for told in range(1, _FEW + 1)}
    # None in a small part does not say that there will be none.
    seen[2] = seen[2] or min(1.0, seen[1] / 20)
    best, chosen = -math.inf, (0.5, 0.0)
    for shape in _SHAPES:
        known = [math.lgamma(told - shape) - math.lgamma(told + 1) for told in seen]
        for tilt in _TILTS if shape > 0 else _TILTS[1:]:
            logs = [one - told * math.log(1 + tilt) for told, one in zip(seen, known, strict=True)]
            top = max(logs)
            whole = top + math.log(sum(math.exp(one - top) for one in logs))
            likely = sum(count * (one - whole) for count, one in zip(seen.values(), logs, strict=True))
            if likely > best:
                best, chosen = likely, (shape, tilt)
    return Growth(counts, *chosen)
