"""The settings choose the language model; its name and version are known without loading it."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from drift_assets.errors import SettingsError
from drift_assets.language.calls import Limiter
from drift_assets.language.choose import open_language, task_origin, task_version
from drift_assets.language.usage import Meter
from drift_assets.settings import Settings, load_settings
from drift_tests.language.samples import SAMPLES
from drift_tests.openai_server import openai_server

KINDS = [type(task) for task in SAMPLES]


def names_when_opened(settings: Settings) -> list[tuple[str, str]]:
    async def main() -> list[tuple[str, str]]:
        async with open_language(settings, Meter(), Limiter(1)) as model:
            return [(model.origin(kind), model.version(kind)) for kind in KINDS]

    return asyncio.run(main())


@pytest.mark.parametrize("language", ["openai", "extractive"])
def test_names_and_versions_are_those_of_the_opened_model(language: str) -> None:
    settings = load_settings(language=language, embedding="minilm", openai_base_url="http://127.0.0.1:9/v1")
    assert names_when_opened(settings) == [
        (task_origin(settings, kind), task_version(settings, kind)) for kind in KINDS
    ]


def test_a_key_chooses_openai_and_none_the_offline_model() -> None:
    assert task_origin(load_settings(openai_api_key="k"), KINDS[0]) == "openai:gpt-5-mini"
    assert task_origin(load_settings(), KINDS[0]) == "extractive"


def test_openai_without_key_and_address_says_what_to_set() -> None:
    with pytest.raises(SettingsError, match=r"OPENAI_API_KEY .*OPENAI_BASE_URL .*DRIFT_LANGUAGE=extractive"):
        names_when_opened(load_settings(language="openai"))


def test_a_local_service_needs_no_key() -> None:
    async def main() -> None:
        async with open_language(server.settings(openai_api_key=None), Meter(), Limiter(1)) as model:
            await model.perform(SAMPLES[1])

    with openai_server() as server:
        asyncio.run(main())
        assert server.requests[0].headers["authorization"] == "Bearer no-key-needed"


def test_names_and_versions_load_no_heavy_library() -> None:
    code = (
        "import sys; from drift_assets.language.choose import task_origin, task_version;"
        "from drift_assets.embedding.choose import embedding_name;"
        "from drift_assets.language.tasks import Extract; from drift_assets.settings import load_settings;"
        "[(task_origin(s, Extract), task_version(s, Extract), embedding_name(s))"
        " for s in (load_settings(language=name, embedding=vectors)"
        " for name, vectors in (('openai', 'openai'), ('extractive', 'minilm')))];"
        "heavy = {'openai', 'spacy', 'numpy', 'genai_prices', 'json_repair', 'bpe_openai', 'onnxruntime'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
