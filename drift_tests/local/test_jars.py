"""Jars are brought from a Maven repository on loopback, and only as pinned."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from drift_assets.errors import ServerError
from drift_assets.local.jars import Jar, bring_jars, cache_folder, pinned_jars
from drift_assets.settings import load_settings

CONTENT = {f"org.example:part{number}:1.0": f"the content of part {number}".encode() * 500 for number in range(5)}
JARS = tuple(Jar(name, hashlib.sha256(content).hexdigest()) for name, content in CONTENT.items())
FIRST = JARS[0]


@dataclass
class Repository:
    """A Maven repository that may answer the jars in `wrong` otherwise, for a number of times."""

    address: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    wrong: dict[str, tuple[str, int]] = field(default_factory=dict)
    release: threading.Event = field(default_factory=threading.Event)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        found = {f"/{jar.path}": CONTENT[jar.coordinate] for jar in JARS}.get(handler.path)
        if found is None:
            return handler.send_error(404)
        self.requests.append(handler.path)
        kind, times = self.wrong.get(handler.path, ("", 0))
        self.wrong[handler.path] = (kind, times - 1)
        if times <= 0:
            kind = ""
        if kind == "error":
            return handler.send_error(500)
        if kind == "busy":
            handler.send_response(429)
            handler.send_header("Retry-After", "1")
            return handler.end_headers()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(found)))
        handler.end_headers()
        if kind == "cut":
            found = found[:1000]
        if kind == "changed":
            found = b"x" + found[1:]
        if kind == "stall":
            handler.wfile.write(found[:1000])
            self.release.wait(30)
            return None
        handler.wfile.write(found)
        return None


@pytest.fixture
def repository() -> Iterator[Repository]:
    scripted = Repository()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            scripted.answer(self)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, args=[0.01], daemon=True).start()
        scripted.address = {"local": f"http://127.0.0.1:{http.server_port}"}
        yield scripted
        scripted.release.set()
        http.shutdown()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "a cache" / "jars"


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def ignore(line: str) -> None:
    """Say nothing."""


def test_the_pinned_jars_are_one_version_of_neo4j_and_all_it_needs() -> None:
    jars = pinned_jars()

    assert len(jars) == len({jar.path for jar in jars}) == 216
    assert any(jar.coordinate == "org.neo4j:neo4j:5.26.30" for jar in jars)
    assert all(len(jar.sha256) == 64 and int(jar.sha256, 16) for jar in jars)


def test_a_jar_lies_where_maven_puts_it() -> None:
    assert str(Jar("io.netty:epoll:4.1:linux-x86_64", "").path) == "io/netty/epoll/4.1/epoll-4.1-linux-x86_64.jar"


def test_the_cache_is_the_users_unless_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DRIFT_NEO4J_CACHE", raising=False)
    own = cache_folder(load_settings())

    assert own.is_absolute()
    assert own.parts[-2:] == ("drift-assets", "neo4j-5.26.30")
    assert cache_folder(load_settings(neo4j_cache=tmp_path)) == tmp_path / "neo4j-5.26.30"


def test_missing_jars_are_brought(folder: Path, repository: Repository) -> None:
    said: list[str] = []
    bring_jars(folder, said.append, JARS, repository.address)

    assert files_below(folder) == sorted(str(jar.path) for jar in JARS)
    assert said == [f"downloading Neo4j 5.26.30 (5 files, about 3 MB, once) into {folder}"]


def test_a_complete_cache_needs_no_network_and_is_not_written(folder: Path, repository: Repository) -> None:
    bring_jars(folder, ignore, JARS, repository.address)
    repository.requests.clear()
    beside = files_below(folder.parent)
    os.unlink(folder.parent / "jars.lock")
    bring_jars(folder, ignore, JARS, {})

    assert repository.requests == []
    assert files_below(folder.parent) == [name for name in beside if name != "jars.lock"]


def test_a_damaged_jar_is_brought_anew_and_only_that(folder: Path, repository: Repository) -> None:
    bring_jars(folder, ignore, JARS, repository.address)
    (folder / FIRST.path).write_bytes(CONTENT[FIRST.coordinate][:-1])
    repository.requests.clear()
    said: list[str] = []
    bring_jars(folder, said.append, JARS, repository.address)

    assert repository.requests == [f"/{FIRST.path}"]
    assert FIRST.is_at(folder / FIRST.path)
    assert said[0] == "1 of the downloaded files of Neo4j are damaged and are brought anew"


@pytest.mark.parametrize("kind", ["error", "cut", "changed"])
def test_what_goes_wrong_once_is_tried_again(folder: Path, repository: Repository, kind: str) -> None:
    repository.wrong[f"/{FIRST.path}"] = (kind, 1)
    bring_jars(folder, ignore, JARS, repository.address)

    assert all(jar.is_at(folder / jar.path) for jar in JARS)


@pytest.mark.parametrize(("kind", "reason"), [("error", "500"), ("changed", "SHA-256")])
def test_what_stays_wrong_is_said_and_never_kept(folder: Path, repository: Repository, kind: str, reason: str) -> None:
    repository.wrong[f"/{FIRST.path}"] = (kind, 100)

    with pytest.raises(ServerError, match=reason) as caught:
        bring_jars(folder, ignore, JARS, repository.address)

    assert str(FIRST.path) not in files_below(folder)
    assert not (folder.parent / "jars.part").exists()
    assert "NEO4J_URI" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_busy_repository_is_asked_again_when_it_wishes(folder: Path, repository: Repository) -> None:
    repository.wrong[f"/{FIRST.path}"] = ("busy", 1)
    before = time.monotonic()
    bring_jars(folder, ignore, JARS, repository.address)

    assert time.monotonic() - before >= 1
    assert FIRST.is_at(folder / FIRST.path)


def test_a_jar_that_no_repository_has_is_named(folder: Path, repository: Repository) -> None:
    unknown = Jar("org.example:unknown:1.0", "00")

    with pytest.raises(ServerError, match=r"has org\.example:unknown:1\.0"):
        bring_jars(folder, ignore, [unknown], repository.address)


def test_a_repository_that_lacks_a_jar_is_passed_over(folder: Path, repository: Repository) -> None:
    [address] = repository.address.values()
    bring_jars(folder, ignore, JARS, {"without": f"{address}/empty/", "with": address})

    assert all(jar.is_at(folder / jar.path) for jar in JARS)


def test_no_network_is_one_line(folder: Path) -> None:
    with pytest.raises(ServerError, match="check the network"):
        bring_jars(folder, ignore, JARS, {"closed": "http://127.0.0.1:9"})


def test_a_download_that_is_killed_leaves_no_half_jar_and_is_completed(folder: Path, repository: Repository) -> None:
    repository.wrong[f"/{FIRST.path}"] = ("stall", 1)
    code = (
        "import sys; from pathlib import Path; from drift_assets.local.jars import Jar, bring_jars\n"
        "jars = [Jar(*line.split('=')) for line in sys.argv[3:]]\n"
        "bring_jars(Path(sys.argv[1]), print, jars, {'local': sys.argv[2]})"
    )
    arguments = [str(folder), repository.address["local"], *(f"{jar.coordinate}={jar.sha256}" for jar in JARS)]
    child = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL)
    part = folder.parent / "jars.part" / FIRST.path
    while not (part.exists() and all((folder / jar.path).exists() for jar in JARS[1:])):
        assert child.poll() is None
    child.kill()
    child.wait()

    assert not (folder / FIRST.path).exists()
    repository.requests.clear()
    bring_jars(folder, ignore, JARS, repository.address)
    assert repository.requests == [f"/{FIRST.path}"]
    assert all(jar.is_at(folder / jar.path) for jar in JARS)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, repository: Repository) -> None:
    (tmp_path / "cache").write_text("")

    with pytest.raises(ServerError, match=r"cannot write in .*cache/jars.*DRIFT_NEO4J_CACHE"):
        bring_jars(tmp_path / "cache" / "jars", ignore, JARS, repository.address)
