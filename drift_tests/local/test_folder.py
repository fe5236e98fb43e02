"""The server's folder: what is private, what counts as running, what is said when it cannot be used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from drift_assets.errors import ServerError
from drift_assets.local.folder import (
    Running,
    ServerFolder,
    locked,
    need_space,
    read_running,
    write_private,
    write_running,
    writing,
)


@pytest.fixture
def folder(tmp_path: Path) -> ServerFolder:
    prepared = ServerFolder(tmp_path / "Hör mal" / "neo4j")
    prepared.prepare()
    return prepared


def running(pid: int, token: str = "3f5a") -> Running:
    return Running(pid, token, started=0.0, idle_minutes=15, version="5.26.30", port=7687)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_folder_and_password_are_for_the_owner_alone(folder: ServerFolder) -> None:
    assert [mode(folder.root.parent), mode(folder.root), mode(folder.password_file)] == [0o700, 0o700, 0o600]


def test_an_open_server_folder_is_closed_and_a_home_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "home" / "neo4j").mkdir(parents=True)
    (tmp_path / "home").chmod(0o755)
    (tmp_path / "home" / "neo4j").chmod(0o755)

    ServerFolder(tmp_path / "home" / "neo4j").prepare()

    assert [mode(tmp_path / "home"), mode(tmp_path / "home" / "neo4j")] == [0o755, 0o700]


def test_the_password_is_made_once_and_differs_between_folders(folder: ServerFolder, tmp_path: Path) -> None:
    before = folder.password()
    folder.prepare()
    other = ServerFolder(tmp_path / "other")
    other.prepare()

    assert folder.password() == before != other.password()
    assert len(before) >= 24


def test_a_lost_password_file_is_an_error_that_says_how_to_get_a_new_one(folder: ServerFolder) -> None:
    folder.password_file.unlink()

    with pytest.raises(ServerError, match="drift neo4j stop"):
        folder.password()


def test_without_a_state_file_nothing_runs(folder: ServerFolder) -> None:
    assert read_running(folder) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"pid": 1, "other": 2}'])
def test_a_state_file_that_cannot_be_understood_means_that_nothing_runs(folder: ServerFolder, text: str) -> None:
    folder.state.write_text(text)

    assert read_running(folder) is None


def test_a_process_that_has_ended_does_not_run(folder: ServerFolder) -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass", "--token=3f5a"])
    child.wait()
    write_running(folder, running(child.pid))

    assert read_running(folder) is None


def test_a_process_that_ended_and_was_not_waited_for_does_not_run(folder: ServerFolder) -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass", "--token=3f5a"])
    try:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        write_running(folder, running(child.pid))

        assert read_running(folder) is None
    finally:
        child.wait()


def test_another_process_with_the_same_id_is_not_the_server(folder: ServerFolder) -> None:
    write_running(folder, running(os.getpid()))

    assert read_running(folder) is None


def test_the_process_with_the_token_is_the_server(folder: ServerFolder) -> None:
    waits = "print(flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", waits, "--token=3f5a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        # Before its first line it may not be the program yet whose arguments are looked for.
        assert child.stdout is not None
        child.stdout.readline()
        write_running(folder, running(child.pid))

        assert read_running(folder) == running(child.pid)
    finally:
        child.communicate(b"\n")


def test_a_private_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("a longer text from before")
    write_private(file, "new")

    assert (file.read_text(), mode(file), os.listdir(tmp_path)) == ("new", 0o600, ["file"])


def test_a_file_in_the_way_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")

    with pytest.raises(ServerError, match=r"cannot write in .*home/neo4j: .*DRIFT_HOME"):
        ServerFolder(tmp_path / "home" / "neo4j").prepare()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(ServerError, match="Permission denied"):
        ServerFolder(tmp_path / "home" / "neo4j").prepare()


def test_the_systems_refusal_is_one_line_that_keeps_its_reason(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="No space left on device") as caught, writing(tmp_path):
        raise OSError(28, "No space left on device")

    assert "\n" not in str(caught.value)


def test_too_little_room_is_said_with_what_there_is_and_what_is_needed(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free // 1_000_000

    need_space(tmp_path, free // 2, "for a test")
    with pytest.raises(ServerError, match=rf"MB free and {free * 2} MB are needed for a test"):
        need_space(tmp_path, free * 2, "for a test")


def test_a_lock_that_stays_taken_names_its_holder(tmp_path: Path) -> None:
    said: list[str] = []
    with (
        locked(tmp_path / "lock", 0, "nobody"),
        pytest.raises(ServerError, match="another start holds"),
        locked(tmp_path / "lock", 0.1, "another start", said.append),
    ):
        pass

    assert said == ["waiting for another start …"]


def test_a_lock_is_free_again_afterwards(tmp_path: Path) -> None:
    said: list[str] = []
    with locked(tmp_path / "lock", 0, "nobody"):
        pass
    with locked(tmp_path / "lock", 0, "nobody", said.append):
        pass

    assert said == []


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from drift_assets.local.folder import locked\n"
        "with locked(Path(sys.argv[1]), 0, 'nobody'): print('held', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "lock")], stdout=subprocess.PIPE)
    assert child.stdout
    child.stdout.readline()
    child.kill()
    child.communicate()

    with locked(tmp_path / "lock", 1, "a killed process"):
        pass
