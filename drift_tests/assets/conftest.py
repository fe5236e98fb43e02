"""An index of a small corpus, made with the local OpenAI server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drift_assets.graph.address import Address
from drift_tests.assets.bench import Bench
from drift_tests.openai_server import Server, openai_server


@pytest.fixture(scope="session")
def service() -> Iterator[Server]:
    """One server for all tests."""
    with openai_server(dimension=16) as server:
        yield server


@pytest.fixture
def openai(service: Server) -> Server:
    """The server as if it were new."""
    service.forget()
    service.latency, service.shuffle, service.dimension = 0.0, None, 16
    return service


@pytest.fixture
def bench(clean_address: Address, openai: Server, tmp_path: Path) -> Bench:
    """An empty corpus folder, an empty database, a service that is up."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    return Bench(clean_address, openai, folder)
