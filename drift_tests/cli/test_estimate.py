"""`drift estimate` and `drift index --dry-run`, which change nothing."""

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
