"""Long texts cut into windows, requests cut to limits, and vectors put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from drift_assets.embedding.model import Vector


def halves(text: str) -> tuple[str, str]:
    """`text` cut near its middle, at white space where there is some; together they are `text`, none is empty."""
    middle = len(text) // 2
    for distance in range(len(text) // 4):
        for cut in (middle - distance, middle + distance):
            if text[cut].isspace():
                return text[:cut], text[cut:]
    return text[:middle], text[middle:]


def windows(text: str, limit: int, count: Callable[[str], int]) -> list[str]:
    """`text` in pieces of at most `limit` tokens by `count`, halved until they fit."""
    # Every token holds at least one byte, so a short text needs no count.
    if len(text) < 2 or len(text.encode()) <= limit or count(text) <= limit:
        return [text]
    first, second = halves(text)
    return windows(first, limit, count) + windows(second, limit, count)


def batches(sizes: Sequence[int], most: int, limit: int) -> Iterator[tuple[int, int]]:
    """Spans (start, end) over `sizes`, each of at most `most` items that together have at most `limit` tokens.

    An item above the limit stands alone.
    """
    start, total = 0, 0
    for index, size in enumerate(sizes):
        if index > start and (index - start >= most or total + size > limit):
            yield start, index
            start, total = index, 0
        total += size
    if start < len(sizes):
        yield start, len(sizes)


def averaged(vectors: Sequence[Vector], weights: Sequence[int]) -> Vector:
    """The unit vector in the direction of the weighted mean of unit vectors; the first one where they cancel out."""
    if len(vectors) == 1:
        return vectors[0]
    import numpy as np

    mean = np.average(np.asarray(vectors), axis=0, weights=np.maximum(weights, 1))
    norm = float(np.linalg.norm(mean))
    return [float(value) for value in mean / norm] if norm > 1e-9 else vectors[0]
