"""Communities of a weighted graph: seeded hierarchical Leiden, the same whatever the order of its input.

The method is that of Traag, Waltman and van Eck, "From Louvain to Leiden" (2019), applied again to each community
that is too large, in graspologic's compiled core. Its result depends on the order and direction of the edges, so they
are put into one order first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from drift_assets.fingerprint import fingerprint

RESOLUTION = 1.0
RANDOMNESS = 0.001

# Raised when the same graph would be clustered otherwise than before.
VERSION = 1

Edge = tuple[str, str, float]


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that belong together.

    `members` are sorted names; `level` counts from 0, the coarsest; `parent` is the id of the community one level up
    that holds all members, None at level 0. The id follows from level and members alone.
    """

    id: str
    level: int
    members: tuple[str, ...]
    parent: str | None


def communities(names: Sequence[str], edges: Sequence[Edge], *, max_size: int, seed: int) -> list[Community]:
    """The communities of a graph by level, then members; those of `max_size` members or more divided further.

    `names` are all entities, `edges` pairs with a positive weight; other edges, and those from an entity to itself,
    say nothing. Each name is in exactly one community without children. A name without edges is a community of its
    own at level 0. Raises ValueError when an edge names an entity that is not in `names`.
    """
    ordered = ordered_edges(edges)
    known = set(names)
    for source, target, _ in ordered:
        if source not in known or target not in known:
            raise ValueError(f"edge {source!r} to {target!r} has an end that is not among the names")
    linked = {name for source, target, _ in ordered for name in (source, target)}
    found = [community(0, (name,), None) for name in known - linked]
    if ordered:
        found += divide(ordered, max_size, seed, None)
    return sorted(found, key=lambda one: (one.level, one.members))


def ordered_edges(edges: Iterable[Edge]) -> list[Edge]:
    """Each pair once, the lesser name first, weights summed, sorted."""
    weights: dict[tuple[str, str], list[float]] = defaultdict(list)
    for source, target, weight in edges:
        if source != target and weight > 0 and math.isfinite(weight):
            weights[min(source, target), max(source, target)].append(weight)
    # fsum: a sum that does not depend on the order of its terms.
    return [(source, target, math.fsum(parts)) for (source, target), parts in sorted(weights.items())]


def divide(edges: list[Edge], max_size: int, seed: int, above: Community | None) -> list[Community]:
    """The communities of the ordered edges, below the community `above` that holds their ends, or from level 0 on."""
    from graspologic_native import hierarchical_leiden

    rows = hierarchical_leiden(
        edges=edges,
        starting_communities=None,
        resolution=RESOLUTION,
        randomness=RANDOMNESS,
        iterations=1,
        use_modularity=True,
        max_cluster_size=max_size,
        seed=seed,
    )
    members: dict[int, list[str]] = defaultdict(list)
    place: dict[int, tuple[int, int | None]] = {}
    for row in rows:
        members[row.cluster].append(row.node)
        place[row.cluster] = (row.level, row.parent_cluster)
    made: dict[int, Community] = {}
    for cluster in sorted(place, key=lambda key: place[key][0]):
        _, higher = place[cluster]
        parent = made[higher] if higher is not None else above
        group = tuple(sorted(members[cluster]))
        if parent is not None and parent.members == group:
            # Leiden found nothing to divide: the same members are one community, not two.
            made[cluster] = parent
        else:
            made[cluster] = community(parent.level + 1 if parent else 0, group, parent.id if parent else None)
    return [one for one in dict.fromkeys(made.values()) if one is not above]


def community(level: int, members: tuple[str, ...], parent: str | None) -> Community:
    """The community of these sorted members on this level."""
    return Community(fingerprint("community", level, members), level, members, parent)
