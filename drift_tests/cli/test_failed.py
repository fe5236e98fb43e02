"""`drift status --failed`, `drift skip` and `drift retry` on an index in which a chunk was refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from drift_tests.cli.conftest import Drift
from drift_tests.openai_server import Server, openai_server


@pytest.fixture(scope="module")
def service() -> Iterator[Server]:
    with openai_server() as server:
        yield server


@pytest.fixture(scope="module")
def refused(drift: Drift, service: Server) -> Drift:
    """The commands, after an index run in which the service refused to extract one of the documents."""
    drift.variables |= {
        "DRIFT_LANGUAGE": "openai",
        "DRIFT_EMBEDDING": "openai",
        "OPENAI_API_KEY": "not-a-real-key",
        "OPENAI_BASE_URL": service.url,
    }
    service.fail(1, "refusal", on="extract")
    done = drift.run("index", "corpus")
    assert done.returncode == 1
    assert "1 item failed" in done.stderr
    return drift


def test_failed_items_are_listed_skipped_and_tried_again(refused: Drift, service: Server) -> None:
    [item] = refused.json("status", "--failed")["failed"]
    assert (item["stage"], item["lasting"], item["skipped"]) == ("entities", True, False)
    assert "drift retry" in refused.run("status", "--failed").stdout

    tolerated = refused.run("index", "corpus", DRIFT_TOLERANCE="1")
    assert tolerated.returncode == 0, tolerated.stderr
    assert "warning: 1 item failed" in tolerated.stderr
    assert "0 calls" in tolerated.stdout

    assert refused.run("skip", item["item"]).returncode == 0
    assert refused.run("index", "corpus").returncode == 0
    assert refused.json("status", "--failed")["failed"][0]["skipped"] is True

    assert "1 item again" in refused.run("retry", item["item"]).stdout
    before = len(service.of("extract"))
    assert refused.run("index", "corpus").returncode == 0
    assert len(service.of("extract")) == before + 1
    assert refused.run("status", "--failed").stdout == "No item has failed.\n"


@pytest.mark.parametrize("command", ["skip", "retry"])
def test_an_item_that_has_not_failed_is_named(refused: Drift, command: str) -> None:
    done = refused.run(command, "nothing.txt")
    assert done.returncode == 1
    assert "'nothing.txt': `drift status --failed` lists them" in done.stderr
