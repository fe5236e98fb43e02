"""Two processes of `drift index` on one database, and one that was killed."""

import time

from drift_tests.cli.conftest import Drift
from drift_tests.cli.test_interrupt import variables
from drift_tests.openai_server import openai_server


def test_a_second_index_is_refused_while_the_first_runs_and_not_when_it_is_killed(drift: Drift) -> None:
    with openai_server() as server:
        server.latency = 30.0
        first = drift.start("index", "corpus", **variables(server))
        while not server.requests:
            assert first.poll() is None, first.communicate()
            time.sleep(0.05)

        refused = drift.run("index", "corpus", **variables(server))
        running = drift.json("status", **variables(server))["indexing"]
        first.kill()
        first.communicate()
        server.latency = 0.0
        done = drift.run("index", "corpus", **variables(server))

    assert refused.returncode == 1
    assert f"run {running} is indexing database neo4j" in refused.stderr.splitlines()[-1]
    assert done.returncode == 0, done.stderr
    assert "sign of life" not in done.stderr
    assert drift.json("status")["indexing"] is None
