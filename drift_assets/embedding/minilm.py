"""all-MiniLM-L6-v2 on the CPU: no key, no network, 384 dimensions.

The model reads 256 word pieces at most, so that longer texts are embedded window by window and averaged. Pooling is
the mean over the tokens, as the model was trained (https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drift_assets.embedding.model import Vector
from drift_assets.language.usage import Meter, Usage
from drift_assets.local.models import minilm_files
from drift_assets.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 254
# Larger batches are no faster on a CPU and take more memory.
_BATCH_TOKENS = 1024
_RUN_TOKENS, _RUN_COSTS = 256, 12
_WORKERS = 2
# Batches side by side, each on one thread: the model's own threads hardly share so small a batch.
_workers = ThreadPoolExecutor(max_workers=_WORKERS, thread_name_prefix="minilm")
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Window:
    """Up to WINDOW word pieces of the text at `index`."""

    index: int
    pieces: list[int]


class MiniLMEmbedder:
    """Embeds on the CPU in a thread; each batch counts as one embedding call that costs nothing."""

    def __init__(self, settings: Settings, meter: Meter) -> None:
        self._folder = settings.minilm_folder
        self._meter = meter

    @property
    def name(self) -> str:
        """`minilm:all-MiniLM-L6-v2`, or the name of the user's own model."""
        return f"minilm:{minilm_files(self._folder).name}"

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector per text, in order; a text's vector is the same up to rounding whatever stands beside it.

        Raises LimitReached, and what `minilm_files` raises.
        """
        import numpy as np

        if not texts:
            return []
        loop = asyncio.get_running_loop()
        encoder = await loop.run_in_executor(_workers, _loaded, self._folder)
        windows = await loop.run_in_executor(_workers, encoder.windows, list(texts))
        batches = list(_batches(windows))
        free = asyncio.Semaphore(_WORKERS)

        async def encode(batch: list[_Window]) -> NDArray[np.float32]:
            async with free:
                self._begin(batch)
                started = time.monotonic()
                vectors = await loop.run_in_executor(_workers, encoder.encode, [window.pieces for window in batch])
                self._meter.add(Usage(call_seconds=time.monotonic() - started))
                return vectors

        sums: list[Any] = [0.0] * len(texts)
        for batch, vectors in zip(batches, await asyncio.gather(*map(encode, batches)), strict=True):
            for window, vector in zip(batch, vectors, strict=True):
                sums[window.index] = sums[window.index] + vector * max(len(window.pieces), 1)
        return [(total / np.linalg.norm(total)).tolist() for total in sums]

    def _begin(self, batch: list[_Window]) -> None:
        tokens = sum(len(window.pieces) for window in batch)
        self._meter.begin(Usage(embedding_calls=1, embedding_tokens=tokens))


def _batches(windows: list[_Window]) -> Iterator[list[_Window]]:
    """Windows of like length together, ordered by it."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda window: (len(window.pieces), window.index)):
        if batch and (len(batch) + 1) * (len(window.pieces) + 2) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def alike(windows: Iterable[list[int]]) -> Iterator[list[list[int]]]:
    """Runs of windows of almost one length: padding costs as much as text, a further run as much as a few tokens."""
    run: list[list[int]] = []
    for window in windows:
        if run and (len(run) * (len(window) - len(run[-1])) > _RUN_COSTS or len(run) * (len(window) + 2) > _RUN_TOKENS):
            yield run
            run = []
        run.append(window)
    yield run


class _Encoder:
    """A loaded model with its tokenizer."""

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._start: int = self._tokenizer.encode("").ids[0]
        self._end: int = self._tokenizer.encode("").ids[-1]

    def windows(self, texts: list[str]) -> list[_Window]:
        """The word pieces of each text, cut into windows of even length; an empty text has one empty window."""
        found = []
        for index, encoding in enumerate(self._tokenizer.encode_batch(texts, add_special_tokens=False)):
            pieces = encoding.ids
            count = max(-(-len(pieces) // WINDOW), 1)
            edges = [len(pieces) * part // count for part in range(count + 1)]
            found += [_Window(index, pieces[edges[part] : edges[part + 1]]) for part in range(count)]
        return found

    def encode(self, windows: list[list[int]]) -> NDArray[np.float32]:
        """One unit vector per window; the windows are ordered by length."""
        import numpy as np

        return np.concatenate([self._together(run) for run in alike(windows)])

    def _together(self, windows: list[list[int]]) -> NDArray[np.float32]:
        import numpy as np

        width = max(map(len, windows)) + 2
        ids = np.zeros((len(windows), width), np.int64)
        mask = np.zeros_like(ids)
        for row, pieces in enumerate(windows):
            ids[row, : len(pieces) + 2] = [self._start, *pieces, self._end]
            mask[row, : len(pieces) + 2] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, given)[0]
        sums = np.einsum("bwd,bw->bd", hidden, mask.astype(hidden.dtype))
        vectors: NDArray[np.float32] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors


@lru_cache(maxsize=1)
def _encoder(folder: Path | None) -> _Encoder:
    files = minilm_files(folder)
    return _Encoder(files.weights, files.tokenizer)


def _loaded(folder: Path | None) -> _Encoder:
    """The encoder, loaded by the first thread that asks while the others wait."""
    with _loading:
        return _encoder(folder)


def begin(settings: Settings) -> None:
    """The model begins to load, so that the first call need not wait for it; returns at once."""
    _workers.submit(_loaded, settings.minilm_folder)
