"""What a run waits for is begun while the run itself is being prepared."""

import subprocess
import sys
import time

from drift_assets.errors import GraphUnavailable
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.runs.ahead import begin_server, is_standing
from drift_assets.settings import Settings, load_settings


def elsewhere(address: Address) -> Settings:
    return load_settings(neo4j_uri=address.uri, neo4j_username=address.username, neo4j_password=address.password)


def test_a_server_of_the_users_own_is_there(neo4j_server: Address) -> None:
    assert is_standing(elsewhere(neo4j_server))
    assert begin_server(elsewhere(neo4j_server)).result(60) is None


def test_without_one_the_managed_server_has_to_be_started(settings: Settings) -> None:
    assert not is_standing(settings)


def test_queries_are_sent_for_which_nobody_waits(neo4j_server: Address) -> None:
    sent = []

    async def queries(graph: Graph) -> None:
        sent.append(graph.address.uri)
        raise GraphUnavailable("gone again")

    begin_server(elsewhere(neo4j_server), queries).result(60)
    end = time.monotonic() + 30
    while not sent and time.monotonic() < end:
        time.sleep(0.01)
    assert sent == [neo4j_server.uri]


def test_numpy_is_imported_before_any_thread_begins() -> None:
    program = (
        "import sys, threading; from drift_assets.runs.ahead import begin_server; "
        "from drift_assets.settings import load_settings; "
        "threading.Thread.start = lambda self: print('numpy' in sys.modules); "
        "begin_server(load_settings())"
    )
    seen = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert seen.stdout == "True\n"
