"""A home on the shared Neo4j, emptied, and the least that can be indexed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.home import Home
from drift_assets.demo import corpus_folder
from drift_assets.graph.address import Address

DOCUMENT = "1882-gazette-first-sounding.md"


@pytest.fixture
def neo4j_variables(clean_address: Address) -> dict[str, str]:
    """The shared server as the environment names it."""
    return {
        "NEO4J_URI": clean_address.uri,
        "NEO4J_USERNAME": clean_address.username,
        "NEO4J_PASSWORD": clean_address.password,
        "NEO4J_DATABASE": clean_address.database,
    }


@pytest.fixture
def home(neo4j_variables: dict[str, str], tmp_path: Path) -> Home:
    """An empty DRIFT_HOME that uses it."""
    return Home(tmp_path / ".drift", neo4j_variables)


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A folder with one document of the demo."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    shutil.copy(corpus_folder() / DOCUMENT, folder)
    return folder
