"""`drift index` stopped by a signal while a call is under way, and started again."""

import signal
import time

from drift_assets.runs.instance import open_instance
from drift_tests.cli.conftest import Drift
from drift_tests.openai_server import Server, openai_server


def variables(server: Server) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "test-key-0123456789",
        "OPENAI_BASE_URL": server.url,
        "DRIFT_LANGUAGE": "openai",
        "DRIFT_EMBEDDING": "openai",
        "DRIFT_CONCURRENCY": "1",
    }


def test_an_interrupted_index_keeps_what_is_done_and_goes_on(drift: Drift) -> None:
    with openai_server() as server:
        server.latency = 0.5
        index = drift.start("index", "corpus", "--json", **variables(server))
        while len(server.requests) < 2:
            assert index.poll() is None, index.communicate()
            time.sleep(0.05)
        index.send_signal(signal.SIGTERM)
        output, errors = index.communicate(timeout=60)
        assert (index.returncode, output) == (130, "")
        assert errors.splitlines()[-1] == "interrupted; run `drift index` again: it goes on from there"
        with open_instance(drift.settings) as instance:
            assert instance.get_runs(limit=1)[0].status.value == "CANCELED"

        server.latency = 0.0
        done = [request.input for request in server.requests[:1]]
        server.requests.clear()
        assert drift.json("index", "corpus", **variables(server))["failed"] == 0
        assert done[0] not in [request.input for request in server.requests if request.task == "extract"]
