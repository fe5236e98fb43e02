"""Which settings make which stage's results stale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from drift_assets.assets.versions import STAGES, data_version
from drift_assets.language.prompts import read_prompt
from drift_assets.settings import Settings, load_settings

KEY = {"openai_api_key": "test-key-0123456789"}


def settings(**overrides: Any) -> Settings:
    return load_settings(**(KEY | overrides))


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({"chunk_tokens": 100}, {"chunks"}),
        ({"types": ("SHIP",)}, {"entities"}),
        ({"index_model": "another"}, {"entities", "summaries", "reports"}),
        ({"model": "another"}, {"entities", "summaries", "reports"}),
        ({"effort": "high"}, {"entities", "summaries", "reports"}),
        ({"language": "extractive"}, {"entities", "summaries", "reports"}),
        ({"gleanings": 1}, {"entities"}),
        ({"context_tokens": 1000}, {"summaries", "reports"}),
        ({"max_community_size": 20}, {"communities"}),
        ({"cluster_seed": 7}, {"communities"}),
        # Names are compared by vectors too.
        ({"embedding_model": "another"}, {"entities", "embeddings"}),
        ({"embedding": "minilm"}, {"entities", "embeddings"}),
        ({"resolve": False}, {"entities"}),
        ({"min_rating": 5.0}, {"embeddings"}),
        ({"search_model": "another"}, set()),
        ({"api": "chat"}, set()),
        ({"openai_base_url": "http://localhost:1/v1"}, set()),
        ({"openai_api_key": "another-key-0123456789"}, set()),
        ({"concurrency": 3, "call_timeout": 5.0, "call_attempts": 2}, set()),
        ({"max_calls": 5, "max_cost_usd": 1.0, "max_tokens": 9}, set()),
        ({"corpus": "elsewhere", "home": "elsewhere"}, set()),
        ({"schedule": "0 4 * * *"}, set()),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else "",
)
def test_a_setting_makes_exactly_its_own_stages_stale(change: dict[str, Any], stale: set[str]) -> None:
    before, after = settings(), settings(**change)
    assert {name for name, version in STAGES.items() if version(before) != version(after)} == stale


def test_versions_of_different_stages_differ() -> None:
    assert len({version(settings()) for version in STAGES.values()}) == len(STAGES)


def test_the_data_of_a_stage_change_with_the_corpus_its_failures_and_the_versions_up_to_it() -> None:
    base = data_version("summaries", settings(), "corpus", 0)
    assert data_version("summaries", settings(), "corpus", 0) == base
    assert data_version("summaries", settings(max_community_size=20, min_rating=5.0), "corpus", 0) == base
    changed = {
        data_version("summaries", settings(), "another", 0),
        data_version("summaries", settings(), "corpus", 1),
        data_version("summaries", settings(types=("SHIP",)), "corpus", 0),
        data_version("summaries", settings(chunk_tokens=100), "corpus", 0),
        data_version("entities", settings(), "corpus", 0),
    }
    assert len(changed | {base}) == 6


def test_a_prompt_of_the_users_own_makes_exactly_its_own_stage_stale(tmp_path: Path) -> None:
    for kind, stale in (
        ("extract", {"entities"}),
        ("summarise", {"summaries"}),
        ("report", {"reports"}),
        ("hyde", set()),
    ):
        folder = tmp_path / kind
        folder.mkdir()
        (folder / f"{kind}.md").write_text("Be brief.\n" + read_prompt(kind), "utf-8")
        before, after = settings(), settings(prompts=folder)
        assert {name for name, version in STAGES.items() if version(before) != version(after)} == stale


def test_descriptions_of_types_make_the_entities_stale_and_not_those_of_rules(tmp_path: Path) -> None:
    plain, described = tmp_path / "plain.yaml", tmp_path / "described.yaml"
    plain.write_text("- SHIP\n", "utf-8")
    described.write_text("SHIP: what floats\n", "utf-8")

    def version(stage: str, file: Path, **overrides: Any) -> str:
        return STAGES[stage](settings(types_file=file, **overrides))

    assert version("entities", plain) == STAGES["entities"](settings(types=("SHIP",)))
    assert version("entities", plain) != version("entities", described)
    assert version("summaries", plain) == version("summaries", described)
    assert version("entities", plain, language="extractive") == version("entities", described, language="extractive")
    assert STAGES["entities"](settings(language="extractive")) == STAGES["entities"](
        settings(language="extractive", gleanings=2)
    )
