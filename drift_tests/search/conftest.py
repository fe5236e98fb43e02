"""The small index that the tests of a module search; no test changes it."""

from __future__ import annotations

import pytest

from drift_assets.graph.address import Address
from drift_tests.search.archive import INDEX


@pytest.fixture(scope="module")
def archive(neo4j_server: Address) -> Address:
    """A database with the small index; searches of other tests may stand beside it."""
    INDEX.write(neo4j_server)
    return neo4j_server
