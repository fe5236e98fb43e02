"""Where the nodes of a picture stand: forces after Fruchterman and Reingold (1991), without chance.

Nodes begin on a spiral, those of a group together; then related ones draw each other near, all push each other away,
and each is drawn a little to the middle of its group. The same graph always gives the same picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

_ROUNDS = 240
_GOLDEN_ANGLE = 2.399963229728653
_TO_GROUP, _TO_MIDDLE = 0.25, 0.04
# How far a place goes towards the one that it would have if all stood at equal distances.
_EVENLY = 0.6


def layout(count: int, ties: Sequence[tuple[int, int, float]], groups: Sequence[int]) -> list[tuple[float, float]]:
    """A place for each of `count` nodes in the square from 0 to 1; a tie is two nodes and its weight.

    `groups` has the number of each node's group; a negative one is none.
    """
    import numpy as np

    if count == 0:
        return []
    places = _spiral(count, groups)
    if count > 1:
        apart = 1 / np.sqrt(count)
        pull = _pull(count, ties)
        members = [np.flatnonzero(np.array(groups) == group) for group in sorted({g for g in groups if g >= 0})]
        for heat in np.linspace(0.12, 0.004, _ROUNDS):
            places = places + _moved(places, pull, members, apart, float(heat))
    low, high = places.min(axis=0), places.max(axis=0)
    spread = np.where(high - low > 1e-9, high - low, 1.0)
    scaled = np.where(high - low > 1e-9, (places - low) / spread, 0.5)
    scaled = (1 - _EVENLY) * scaled + _EVENLY * _evened(scaled)
    return [(round(float(x), 4), round(float(y), 4)) for x, y in scaled]


def _evened(scaled: Points) -> Points:
    """Each coordinate by its rank, so that a few nodes far out do not press all others into a knot."""
    import numpy as np

    if len(scaled) < 2:
        return scaled
    ranks: Points = scaled.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") / (len(scaled) - 1)
    return np.where(np.ptp(scaled, axis=0) > 1e-9, ranks, scaled)


def _spiral(count: int, groups: Sequence[int]) -> Points:
    import numpy as np

    order = sorted(range(count), key=lambda node: (groups[node], node))
    turns = np.arange(count, dtype=float)
    radius = 0.5 * np.sqrt((turns + 0.5) / count)
    points = np.stack([radius * np.cos(turns * _GOLDEN_ANGLE), radius * np.sin(turns * _GOLDEN_ANGLE)], axis=1)
    placed = np.empty((count, 2))
    # By angle, so that a group begins as a sector.
    around = np.argsort(np.arctan2(points[:, 1], points[:, 0]), kind="stable")
    placed[order] = points[around]
    return placed


def _pull(count: int, ties: Sequence[tuple[int, int, float]]) -> Points:
    import numpy as np

    pull = np.zeros((count, count))
    heaviest = max((weight for _, _, weight in ties), default=0.0) or 1.0
    for one, other, weight in ties:
        pull[one, other] = pull[other, one] = 0.4 + 0.6 * min(max(weight, 0.0) / heaviest, 1.0)
    return pull


def _moved(places: Points, pull: Points, members: Sequence[NDArray[np.intp]], apart: float, heat: float) -> Points:
    """How far each node moves in one round, `heat` at most."""
    import numpy as np

    between = places[:, None, :] - places[None, :, :]
    distance = np.maximum(np.sqrt((between**2).sum(axis=2)), 1e-3)
    force = apart**2 / distance**2 - pull * distance / apart
    np.fill_diagonal(force, 0.0)
    shift: Points = (between * force[:, :, None]).sum(axis=1) - _TO_MIDDLE * places / apart
    for group in members:
        shift[group] += _TO_GROUP * (places[group].mean(axis=0) - places[group]) / apart
    length = np.maximum(np.sqrt((shift**2).sum(axis=1, keepdims=True)), 1e-9)
    moved: Points = shift / length * np.minimum(length, heat)
    return moved
