"""Where the names of a picture stand: above, below or beside their circles, where they cover least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEIGHT, SIGN, GAP = 11.0, 5.6, 3.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its edges."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: Box) -> float:
        """The area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0.0


def label_places(
    places: Sequence[tuple[int, int]], radii: Sequence[float], labels: Sequence[str], side: int
) -> list[tuple[int, int]]:
    """For each label the middle of its foot, in a square of `side`; the first labels choose first.

    Of four places the one is taken that covers least of the circles, the labels before and what lies outside.
    """
    circles = [Box(x - r, y - r, x + r, y + r) for (x, y), r in zip(places, radii, strict=True)]
    taken: list[Box] = []
    found = []
    for (x, y), radius, label in zip(places, radii, labels, strict=True):
        half = max(len(label) * SIGN / 2, 1.0)
        feet = (
            (float(x), y - radius - GAP),
            (float(x), y + radius + GAP + HEIGHT - 2),
            (x + radius + GAP + half, y + HEIGHT / 2 - 2),
            (x - radius - GAP - half, y + HEIGHT / 2 - 2),
        )
        boxes = [Box(foot - half, base - HEIGHT, foot + half, base + 2) for foot, base in feet]
        best = min(range(len(boxes)), key=lambda n: (_covered(boxes[n], taken, circles, side), n))
        taken.append(boxes[best])
        found.append((round(feet[best][0]), round(feet[best][1])))
    return found


def _covered(box: Box, taken: Sequence[Box], circles: Sequence[Box], side: int) -> float:
    """The area covered, in whole pixels so that near ties keep their order; what is outside counts most."""
    outside = (box.right - box.left) * (box.bottom - box.top) - box.shared(Box(0, 0, side, side))
    return round(sum(map(box.shared, taken)) + 0.5 * sum(map(box.shared, circles)) + 10 * outside)
