"""The settings choose the embedding; its name is known without loading it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from drift_assets.embedding.choose import embedding_name, open_embedder
from drift_assets.errors import SettingsError
from drift_assets.language.calls import Limiter
from drift_assets.language.usage import Meter
from drift_assets.local.models import minilm_files
from drift_assets.settings import Settings, load_settings


def name_when_opened(settings: Settings) -> str:
    async def main() -> str:
        async with open_embedder(settings, Meter(), Limiter(1)) as embedder:
            return embedder.name

    return asyncio.run(main())


@pytest.mark.parametrize("embedding", ["openai", "minilm"])
def test_the_name_is_that_of_the_opened_embedder(embedding: str) -> None:
    settings = load_settings(embedding=embedding, openai_api_key="k", embedding_model="m")
    assert embedding_name(settings) == name_when_opened(settings)


def test_shortened_vectors_have_a_name_of_their_own() -> None:
    settings = load_settings(embedding="openai", openai_api_key="k", embedding_model="m", embedding_dimensions=256)
    assert embedding_name(settings) == name_when_opened(settings) == "openai:m@256"


def test_weights_of_ones_own_have_a_name_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"other weights")
    (folder / "tokenizer.json").write_bytes(minilm_files().tokenizer.read_bytes())
    settings = load_settings(minilm_folder=folder)
    assert embedding_name(settings) == name_when_opened(settings) != embedding_name(load_settings())


def test_a_key_chooses_openai_and_none_the_offline_model() -> None:
    assert embedding_name(load_settings(openai_api_key="k")) == "openai:text-embedding-3-small"
    assert embedding_name(load_settings()) == "minilm:all-MiniLM-L6-v2"


def test_openai_without_key_says_what_to_set() -> None:
    with pytest.raises(SettingsError, match=r"OPENAI_API_KEY .*DRIFT_EMBEDDING=minilm"):
        name_when_opened(load_settings(embedding="openai"))
