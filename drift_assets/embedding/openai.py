"""The embedding behind an OpenAI or compatible service."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from drift_assets.embedding.choose import embedding_name
from drift_assets.embedding.model import Vector
from drift_assets.embedding.windows import averaged, batches, halves, windows
from drift_assets.errors import CallTooLong, DriftError, WrongVectors
from drift_assets.language.calls import Limiter, Patience, call
from drift_assets.language.prices import price_usd
from drift_assets.language.service import translate
from drift_assets.language.usage import Meter, Usage
from drift_assets.language.wire import as_dict, whole_number
from drift_assets.settings import Settings
from drift_assets.tokens import count_tokens

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# https://platform.openai.com/docs/api-reference/embeddings/create
MAX_INPUTS = 2_048
MAX_REQUEST_TOKENS = 300_000
MAX_TEXT_TOKENS = 8_191
# A service that finds even this many characters too long says something else by it.
SHORTEST = 32


class OpenAIEmbedder:
    """Embeds by requests within the service's limits, all in flight together under the limiter.

    A text longer than the model takes is embedded by windows, whose vectors are averaged by their tokens. A service
    that takes less than OpenAI does gets halves until it accepts them.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        client: AsyncOpenAI,
        meter: Meter,
        limiter: Limiter,
        patience: Patience | None = None,
    ) -> None:
        self._settings = settings
        self._model = settings.embedding_model
        self._client = client
        self._meter = meter
        self._limiter = limiter
        self._patience = patience or Patience(attempts=settings.call_attempts, timeout=settings.call_timeout)
        self._dimension: int | None = settings.embedding_dimensions

    @property
    def name(self) -> str:
        """What `embedding_name` says."""
        return embedding_name(self._settings)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector per text, in order; raises what `Embedder.embed` says."""
        pieces = [windows(_sendable(text), MAX_TEXT_TOKENS, _count) for text in texts]
        flat = [piece for parts in pieces for piece in parts]
        sizes = [_count(piece) for piece in flat]
        found = iter(await self._all(flat, sizes))
        size = iter(sizes)
        return [averaged([next(found) for _ in parts], [next(size) for _ in parts]) for parts in pieces]

    async def _all(self, texts: list[str], sizes: list[int]) -> list[Vector]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._batch(texts[start:end]))
                    for start, end in batches(sizes, MAX_INPUTS, MAX_REQUEST_TOKENS)
                ]
        except* DriftError as failed:
            # One embed call reports one failure: the first batch's that failed.
            raise _first(failed) from None
        return [vector for task in tasks for vector in task.result()]

    async def _batch(self, texts: list[str]) -> list[Vector]:
        async def request() -> list[Vector]:
            return await self._request(texts)

        try:
            return await call(
                request,
                service=self._model,
                count=Usage(embedding_calls=1),
                limiter=self._limiter,
                meter=self._meter,
                patience=self._patience,
            )
        except CallTooLong:
            if len(texts) == 1 and len(texts[0]) < SHORTEST:
                raise
        if len(texts) > 1:
            middle = len(texts) // 2
            return await self._batch(texts[:middle]) + await self._batch(texts[middle:])
        parts = list(halves(texts[0]))
        return [averaged(await self._batch(parts), [_count(part) for part in parts])]

    async def _request(self, texts: list[str]) -> list[Vector]:
        from openai import OpenAIError, omit

        dimensions = self._settings.embedding_dimensions or omit
        try:
            answer = await self._client.embeddings.create(model=self._model, input=texts, dimensions=dimensions)
            usage = as_dict(answer.usage) if getattr(answer, "usage", None) else {}
        # The client trips over answers that are no embeddings, such as a web page, with these three.
        except (OpenAIError, ValueError, TypeError, AttributeError) as error:
            key = self._settings.openai_api_key
            raise translate(error, model=self._model, key=key.get_secret_value() if key else None) from None
        self._count_usage(texts, usage)
        return self._checked(getattr(answer, "data", None), len(texts))

    def _count_usage(self, texts: list[str], usage: dict[str, Any]) -> None:
        tokens = whole_number(usage.get("prompt_tokens"))
        cost = price_usd(self._model, base_url=self._settings.openai_base_url, input_tokens=tokens) if tokens else None
        # Our own count stands in where the service gives none, so that a limit on tokens still holds.
        self._meter.add(Usage(embedding_tokens=tokens or sum(map(_count, texts)), cost_usd=cost))

    def _checked(self, data: Any, wanted: int) -> list[Vector]:
        """The vectors in the order of their inputs, of norm 1; Neo4j's index would take wrong ones in silence."""
        import numpy as np

        items = data if isinstance(data, list) else []
        if len(items) != wanted:
            raise WrongVectors(f"{self._model} gave {len(items)} vectors for {wanted} texts")
        if all(isinstance(getattr(item, "index", None), int) for item in items):
            items = sorted(items, key=lambda item: item.index)
        try:
            rows = np.asarray([item.embedding for item in items], dtype=np.float64)
        except (TypeError, ValueError, AttributeError):
            raise WrongVectors(f"{self._model} gave vectors of different lengths, or no numbers") from None
        if rows.ndim != 2 or rows.shape[1] != (self._dimension or rows.shape[1]):
            raise WrongVectors(f"{self._model} gave vectors of {rows.shape[-1]} dimensions, not {self._dimension}")
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(rows).all() or not (norms > 0).all():
            raise WrongVectors(f"{self._model} gave a vector that is not finite or of length zero")
        self._dimension = int(rows.shape[1])
        unit: list[Vector] = (rows / norms).tolist()
        return unit


def _sendable(text: str) -> str:
    """The service refuses an empty text, and a lone surrogate cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8") if text.strip() else " "


def _count(text: str) -> int:
    return count_tokens(text, "cl100k_base")


def _first(failed: BaseExceptionGroup[DriftError]) -> DriftError:
    inner = failed.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
