"""Communities that are kept while the graph changes: only what was touched, and what that moves, is grouped anew.

Clustering afresh gives a fifth of all communities other members when a single document comes or goes, though nearly
all of its graph is as before. Here entities keep their groups; those that are new or whose ties changed go, one at a
time, to the neighbouring group that raises modularity most, and what a move makes better off elsewhere follows (the
local moving of Blondel et al., "Fast unfolding of communities in large networks", 2008, begun at the changed nodes
alone). A group that falls apart is divided into its parts, and within each changed group the same is done one level
down. How far the result has drifted from a fresh one is told by `modularity`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from drift_assets.clustering import RESOLUTION, Community, Edge, community, divide, ordered_edges

# Raised when the same graph and groups would be regrouped otherwise than before.
VERSION = 1

# An entity leaves its group only for one that holds it so much more, in shares of its own weight: without this, small
# differences would move entities to and fro, and each move costs two reports on every level.
_CLEARLY = 0.1

Chains = Mapping[str, tuple[str, ...]]
Links = dict[str, dict[str, float]]


def modularity(edges: Iterable[Edge], groups: Mapping[str, str]) -> float:
    """How much more weight lies within groups than chance would put there, at most 1; 0 for a graph without edges."""
    inside, degrees, total = 0.0, defaultdict[str, float](float), 0.0
    for source, target, weight in ordered_edges(edges):
        total += weight
        inside += weight if groups[source] == groups[target] else 0.0
        degrees[groups[source]] += weight
        degrees[groups[target]] += weight
    if not total:
        return 0.0
    return inside / total - RESOLUTION * sum((degree / (2 * total)) ** 2 for degree in degrees.values())


def coarsest(communities: Iterable[Community]) -> dict[str, str]:
    """The community of level 0 of each entity."""
    return {name: found.id for found in communities if found.level == 0 for name in found.members}


def chains_of(communities: Iterable[Community]) -> dict[str, tuple[str, ...]]:
    """Ids of each entity's communities from level 0 to the leaf."""
    chains: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for one in sorted(communities, key=lambda one: one.level):
        for name in one.members:
            chains[name] += (one.id,)
    return chains


def regroup(
    names: Sequence[str],
    edges: Sequence[Edge],
    before: Chains,
    touched: Collection[str],
    *,
    max_size: int,
    seed: int,
) -> list[Community]:
    """The communities of a graph near those that it had: as `clustering.communities` returns them.

    `before` are the ids of the communities of each entity that was in the graph, from level 0 to the leaf; `touched`
    are the entities whose ties came, went or changed their weight since then. The same input gives the same result.
    """
    links: Links = defaultdict(dict)
    for source, target, weight in ordered_edges(edges):
        links[source][target] = links[target][source] = weight
    alone = sorted(set(names) - links.keys())
    keeper = _Keeper(links, before, set(touched), max_size, seed)
    found = [community(0, (name,), None) for name in alone]
    found += keeper.divided(tuple(sorted(links)), None, links)
    return sorted(found, key=lambda one: (one.level, one.members))


def nearer(
    names: Sequence[str],
    edges: Sequence[Edge],
    kept: Sequence[Community],
    fresh: Sequence[Community],
    least: float,
    *,
    max_size: int,
    seed: int,
) -> list[Community]:
    """The kept communities with as few of the fresh ones in their place as bring modularity to `least`.

    Those of level 0 that gain most come first, each with all below it; what they leave of a kept one finds its place.
    The fresh ones where nothing less will do.
    """
    wanted = _by_gain(ordered_edges(edges), coarsest(kept), coarsest(fresh))
    before, other = chains_of(kept), chains_of(fresh)
    best, low, high = list(fresh), 0, len(wanted)
    while low < high:
        middle = (low + high) // 2
        taken = set(wanted[: middle + 1])
        moved = {name for name in names if other[name][0] in taken}
        broken = {before[name][0] for name in moved}
        chains = {name: other[name] if name in moved else before[name] for name in names}
        left = [name for name in names if name not in moved and before[name][0] in broken]
        found = regroup(names, edges, chains, left, max_size=max_size, seed=seed)
        if modularity(edges, coarsest(found)) >= least:
            best, high = found, middle
        else:
            low = middle + 1
    return best


def _by_gain(edges: Sequence[Edge], kept: Mapping[str, str], fresh: Mapping[str, str]) -> list[str]:
    """The fresh groups that are none of the kept ones, by how much each alone in their place raises modularity."""
    total = sum(weight for _, _, weight in edges)
    gains, degrees = defaultdict[str, float](float), defaultdict[str, float](float)
    shared: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for source, target, weight in edges:
        together, wanted = kept[source] == kept[target], fresh[source] == fresh[target]
        if wanted and not together:
            gains[fresh[source]] += weight / total
        for name in (source, target):
            degrees[kept[name]] += weight
            shared[fresh[name]][kept[name]] += weight
            if together and not wanted:
                gains[fresh[name]] -= weight / total
    for group, parts in shared.items():
        left = sum(degrees[part] ** 2 - (degrees[part] - degree) ** 2 for part, degree in parts.items())
        gains[group] -= RESOLUTION * (sum(parts.values()) ** 2 - left) / (2 * total) ** 2
    held = set(kept.values())
    return sorted((group for group in shared if group not in held), key=lambda group: (-gains[group], group))


class _Keeper:
    """What `regroup` works with at every level."""

    def __init__(self, links: Links, before: Chains, touched: set[str], max_size: int, seed: int) -> None:
        self.links, self.before, self.touched = links, before, touched
        self.max_size, self.seed = max_size, seed
        self.members_before: dict[str, set[str]] = defaultdict(set)
        for name, chain in before.items():
            for id_ in chain:
                self.members_before[id_].add(name)

    def divided(self, members: tuple[str, ...], parent: Community | None, links: Links) -> list[Community]:
        """The communities below `parent`, or all of them, of these members with these links among them."""
        if not members:
            return []
        level = parent.level + 1 if parent else 0
        groups = self._start(members, level, parent)
        if groups is None:
            return self._afresh(members, parent, links)
        queue = [name for name in members if name in self.touched or groups[name] == _own(name)]
        moved = settle(links, groups, queue)
        changed = self._changed(groups, moved | set(queue))
        groups = _parted(links, groups, changed)
        gathered: dict[str, list[str]] = defaultdict(list)
        for name in members:
            gathered[groups[name]].append(name)
        if parent and len(gathered) == 1:
            return []
        found = []
        for group in gathered.values():
            one = community(level, tuple(group), parent.id if parent else None)
            found += [one, *self._below(one, links)]
        return found

    def _start(self, members: tuple[str, ...], level: int, parent: Community | None) -> dict[str, str] | None:
        """The group of each member on this level as before, its own for those that had none; None: none had any."""
        # A group keeps its children while most of its members are those of the group that had them.
        above = self._heir(members, level - 1) if parent else None
        groups = {}
        for name in members:
            chain = self.before.get(name, ())
            kept = len(chain) > level and (parent is None or chain[level - 1] == above)
            groups[name] = chain[level] if kept else _own(name)
        return groups if any(groups[name] != _own(name) for name in members) else None

    def _heir(self, members: tuple[str, ...], level: int) -> str | None:
        counts: dict[str, int] = defaultdict(int)
        for name in members:
            chain = self.before.get(name, ())
            if len(chain) > level:
                counts[chain[level]] += 1
        return max(counts, key=lambda id_: (counts[id_], id_), default=None)

    def _changed(self, groups: Mapping[str, str], looked_at: set[str]) -> set[str]:
        """Groups that have other members or ties than before."""
        now: dict[str, int] = defaultdict(int)
        for group in groups.values():
            now[group] += 1
        lost = {group for group, count in now.items() if count != len(self.members_before.get(group, ()))}
        return lost | {groups[name] for name in looked_at}

    def _below(self, one: Community, links: Links) -> list[Community]:
        if len(one.members) < self.max_size:
            return []
        if one.id in self.members_before and self.touched.isdisjoint(one.members):
            chains = [self.before[name] for name in one.members]
            if all(len(chain) == one.level + 1 for chain in chains):
                return []
        inside = set(one.members)
        within = {name: {other: w for other, w in links[name].items() if other in inside} for name in one.members}
        return self.divided(one.members, one, within)

    def _afresh(self, members: tuple[str, ...], parent: Community | None, links: Links) -> list[Community]:
        edges = [
            (name, other, weight) for name in members for other, weight in sorted(links[name].items()) if name < other
        ]
        return divide(edges, self.max_size, self.seed, parent) if edges else []


def _own(name: str) -> str:
    return f"\0{name}"


def settle(links: Links, groups: dict[str, str], queue: Iterable[str]) -> set[str]:
    """Moves the entities of the queue, and what they draw along, to better groups in `groups`; returns who moved."""
    degrees = {name: sum(near.values()) for name, near in links.items()}
    doubled = sum(degrees.values())
    held: dict[str, float] = defaultdict(float)
    for name, group in groups.items():
        held[group] += degrees[name]
    waiting = deque(sorted(queue))
    queued = set(waiting)
    moved: set[str] = set()
    # Each move raises modularity; the bound only guards against sums that differ in their last digits.
    left = 10 * len(groups)
    while waiting and left:
        left -= 1
        name = waiting.popleft()
        queued.discard(name)
        best = _best_group(name, links, groups, degrees[name], held, doubled)
        if best == groups[name]:
            continue
        held[groups[name]] -= degrees[name]
        held[best] += degrees[name]
        groups[name] = best
        moved.add(name)
        for other in sorted(links[name]):
            if groups[other] != best and other not in queued:
                waiting.append(other)
                queued.add(other)
    return moved


def _best_group(
    name: str, links: Links, groups: Mapping[str, str], degree: float, held: Mapping[str, float], doubled: float
) -> str:
    mine = groups[name]
    drawn: dict[str, float] = {mine: 0.0}
    for other, weight in links[name].items():
        drawn[groups[other]] = drawn.get(groups[other], 0.0) + weight
    gains = {
        group: weight - RESOLUTION * degree * (held[group] - (degree if group == mine else 0.0)) / doubled
        for group, weight in drawn.items()
    }
    best = max(gains, key=lambda group: (round(gains[group], 9), group))
    clearly = _CLEARLY * degree if drawn[mine] else 1e-9
    return best if gains[best] > gains[mine] + clearly else mine


def _parted(links: Links, groups: Mapping[str, str], changed: set[str]) -> dict[str, str]:
    """The groups, those of `changed` that do not hang together divided into their parts."""
    parted = dict(groups)
    seen: set[str] = set()
    for name in sorted(groups):
        group = groups[name]
        if group not in changed or name in seen:
            continue
        part, border = {name}, [name]
        while border:
            for other in links[border.pop()]:
                if groups.get(other) == group and other not in part:
                    part.add(other)
                    border.append(other)
        seen |= part
        for member in part:
            parted[member] = f"{group}\0{name}"
    return parted
