"""`drift estimate` and `drift index --dry-run`, which change nothing."""

from pathlib import Path

import pytest

from drift_assets.graph.address import Address
from drift_tests.cli.conftest import Drift
from drift_tests.database import query


def test_what_a_run_would_do_is_told_and_nothing_is_changed(drift: Drift, neo4j_server: Address) -> None:
    told = drift.json("estimate", "corpus")

    assert told["documents"] == {"new": 2, "changed": 0, "gone": 0, "skipped": 0}
    assert told["stages"]["entities"] == {
        "calls": told["texts"],
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_usd": 0,
        "exact": True,
    }
    assert told["cost_usd"] == 0
    shown = drift.run("index", "corpus", "--dry-run")
    assert shown.returncode == 0
    assert shown.stdout.splitlines()[:2] == [
        "Documents: 2 new, 0 changed, 0 gone, 0 skipped",
        f"entities: {told['texts']} calls, 0 tokens in, 0 out, 0.0000 USD",
    ]
    assert query(neo4j_server, "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]


def test_a_missing_folder_is_told(drift: Drift) -> None:
    refused = drift.run("estimate", "nowhere")

    assert refused.returncode == 1
    assert "nowhere does not exist" in refused.stderr


@pytest.mark.parametrize("command", ["estimate", "index --dry-run"])
def test_without_a_folder_that_of_the_index_is_taken(command: str, drift: Drift, neo4j_server: Address) -> None:
    query(neo4j_server, "MERGE (i:__Index__ {id: 'drift'}) SET i.corpus = $folder", folder=str(drift.folder / "corpus"))

    told = drift.json(*command.split())

    assert told["folder"] == str(drift.folder / "corpus")
    assert told["documents"]["new"] == 2


@pytest.mark.parametrize("command", ["estimate", "index --dry-run"])
@pytest.mark.parametrize("stored", ["an index without a folder", "nothing"])
def test_without_any_folder_one_line_says_what_to_give(
    command: str, stored: str, drift: Drift, neo4j_server: Address, tmp_path: Path
) -> None:
    query(neo4j_server, "MATCH (i:__Index__) REMOVE i.corpus")
    # A managed server that was never started is not brought for it.
    apart = {"NEO4J_URI": "", "DRIFT_HOME": str(tmp_path)} if stored == "nothing" else {}

    refused = drift.run(*command.split(), **apart)

    assert refused.returncode == 1
    assert refused.stderr == f"error: no corpus folder: name one (`drift {command} FOLDER`) or set DRIFT_CORPUS\n"
