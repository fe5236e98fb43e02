"""An index of a small corpus, made with the local OpenAI server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drift_assets.graph.address import Address
from drift_tests.assets.bench import Bench
from drift_tests.database import VECTOR_INDEXES, driver, run
from drift_tests.openai_server import Server, openai_server

DIMENSION = 16


@pytest.fixture(scope="session")
def service() -> Iterator[Server]:
    """One server for all tests."""
    with openai_server(dimension=DIMENSION) as server:
        yield server


@pytest.fixture
def openai(service: Server) -> Server:
    """The server as if it were new."""
    service.forget()
    service.latency, service.shuffle, service.dimension = 0.0, None, DIMENSION
    return service


@pytest.fixture
def bench(neo4j_server: Address, openai: Server, tmp_path: Path) -> Bench:
    """An empty corpus folder, an empty database, a service that is up.

    Vector indexes that fit are kept from the test before: Neo4j plans every query anew when an index comes or goes.
    """
    with driver(neo4j_server) as opened:
        run(opened, neo4j_server, "MATCH (n) DETACH DELETE n")
        rows = run(
            opened,
            neo4j_server,
            "SHOW VECTOR INDEXES YIELD name, options RETURN name, options.indexConfig['vector.dimensions'] AS size",
        )
        for row in rows:
            if row["name"] not in VECTOR_INDEXES or row["size"] != DIMENSION:
                run(opened, neo4j_server, f"DROP INDEX `{row['name']}`")
    folder = tmp_path / "corpus"
    folder.mkdir()
    return Bench(neo4j_server, openai, folder)
