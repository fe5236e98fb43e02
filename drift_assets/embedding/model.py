"""What an embedding is: anything that turns texts into vectors of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

Vector = list[float]


class Embedder(Protocol):
    """Turns texts into unit vectors; every call is counted on the meter that it was opened with."""

    @property
    def name(self) -> str:
        """`openai:<model>` or `minilm:<model>`; index and search must use the same."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text in order, each of the same dimension and of norm 1.

        Requests are cut to the service's limits inside. Raises what `LanguageModel.perform` raises.
        """
        ...
