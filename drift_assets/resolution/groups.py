"""From decisions on pairs to the names of each thing, and the one of them that is its key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from drift_assets.resolution.forms import contradict


@dataclass(frozen=True, slots=True)
class Decided:
    """Whether two names are of one thing; `told` by the user, whose word goes before any other."""

    first: str
    second: str
    same: bool
    told: bool = False


def survivors(counts: Mapping[str, int], decided: Iterable[Decided]) -> dict[str, str]:
    """The name that stands for each name: of the names of one thing the most mentioned, then the fullest.

    Names are joined one decision after the other, what the user told first, then by mentions; two groups are not
    joined when a name of one is decided, or plainly, not that of the other. So one wrong decision does not carry along
    what others kept apart, and the result does not depend on the order of `decided`.
    """
    known = [one for one in decided if one.first in counts and one.second in counts]
    told = {_pair(one.first, one.second): one.same for one in known if one.told}
    apart = {pair for pair, same in told.items() if not same}
    thought = {_pair(one.first, one.second): one.same for one in known if not one.told}
    doubted = {pair for pair, same in thought.items() if not same and pair not in told} | apart
    groups = {name: [name] for name in counts}
    for pair in sorted(pair for pair, same in told.items() if same):
        _join(groups, pair, lambda a, b: _pair(a, b) in apart)
    rest = [pair for pair, same in thought.items() if same and pair not in told]
    for pair in sorted(rest, key=lambda pair: (-min(counts[pair[0]], counts[pair[1]]), pair)):
        _join(groups, pair, lambda a, b: _pair(a, b) in doubted or contradict(a, b))
    return {name: _survivor(group, counts) for name, group in groups.items()}


def _pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first < second else (second, first)


def _join(groups: dict[str, list[str]], pair: tuple[str, str], differ: Callable[[str, str], bool]) -> None:
    one, other = groups[pair[0]], groups[pair[1]]
    if one is other or any(differ(a, b) for a, b in product(one, other) if _pair(a, b) != pair):
        return
    one += other
    for name in other:
        groups[name] = one


def _survivor(group: list[str], counts: Mapping[str, int]) -> str:
    return min(group, key=lambda name: (-counts[name], -len(name.split()), -len(name), name))


def merged(standing: Mapping[str, str]) -> dict[str, list[str]]:
    """The names of each thing that has several, by the one that stands for it; all sorted."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, survivor in standing.items():
        found[survivor].append(name)
    return {survivor: sorted(found[survivor]) for survivor in sorted(found) if len(found[survivor]) > 1}
