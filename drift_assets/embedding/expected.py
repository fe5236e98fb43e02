"""What vectors must be like before they are stored."""

from __future__ import annotations

import math
from dataclasses import dataclass

from drift_assets.embedding.model import Vector

NORM_TOLERANCE = 1e-2


@dataclass(slots=True)
class Expected:
    """What vectors must be like, since the index takes wrong ones in silence; the first good one sets the dimension."""

    dimensions: int | None
    # Texts whose vectors were not of that dimension, or not vectors at all.
    disputed: int = 0

    def flaw(self, vector: Vector) -> str | None:
        """Why the vector cannot be stored, or None."""
        # Written so that a norm that is no number is a flaw too.
        if not abs(math.hypot(*vector) - 1.0) <= NORM_TOLERANCE:
            return "the embedding brought a vector that is not of norm 1"
        if self.dimensions is None:
            self.dimensions = len(vector)
        if len(vector) != self.dimensions:
            self.disputed += 1
            return (
                f"the embedding brought a vector of {len(vector)} dimensions, the index has {self.dimensions}: "
                "is DRIFT_EMBEDDING_MODEL still the model that it was?"
            )
        return None
