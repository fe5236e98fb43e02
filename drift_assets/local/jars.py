"""The jars of Neo4j: brought once into a cache, and never used without the right SHA-256.

`jars.txt` pins every file by Maven coordinate and hash. A jar is downloaded beside the cache, checked, and moved in
as a whole, so that a killed download leaves nothing that could be taken for a jar, and the next one goes on from
where it ended. All hashes are checked again at every start; a jar that was damaged since is brought anew.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from drift_assets.errors import ServerError
from drift_assets.local.folder import locked, need_space, writing
from drift_assets.settings import Settings

if TYPE_CHECKING:
    from jgo.maven import MavenContext

NEO4J_VERSION = "5.26.30"
DOWNLOAD_MB = 135
THREADS = 8
ATTEMPTS = 3
LOCK_SECONDS = 900.0
TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Jar:
    """One pinned file: its coordinate `group:artifact:version[:classifier]` and its SHA-256 in hex."""

    coordinate: str
    sha256: str

    @property
    def path(self) -> PurePosixPath:
        """Its place below a repository folder, as Maven lays it out."""
        group, artifact, version, *classifier = self.coordinate.split(":")
        name = "-".join([artifact, version, *classifier]) + ".jar"
        return PurePosixPath(*group.split("."), artifact, version, name)


@cache
def pinned_jars() -> tuple[Jar, ...]:
    """The jars of this version of Neo4j, in the order of `jars.txt`."""
    text = files("drift_assets.local").joinpath("jars.txt").read_text(encoding="ascii")
    return tuple(Jar(*line.split()) for line in text.splitlines() if line)


def cache_folder(settings: Settings) -> Path:
    """The folder of verified jars: below DRIFT_NEO4J_CACHE, else below the user's cache folder."""
    import platformdirs

    cache = settings.neo4j_cache or platformdirs.user_cache_path("drift-assets", appauthor=False)
    return cache.expanduser().absolute() / f"neo4j-{NEO4J_VERSION}"


def bring_jars(
    folder: Path,
    say: Callable[[str], None],
    jars: tuple[Jar, ...] | None = None,
    repositories: Mapping[str, str] | None = None,
) -> None:
    """All jars are below `folder`, as pinned; those that were missing or damaged were downloaded.

    `repositories` are Maven repositories by name; by default those of jgo's own settings file, then jgo's default.
    Raises ServerError when a jar cannot be brought, is not the pinned one, or the folder cannot take it.
    """
    jars = pinned_jars() if jars is None else jars
    if _unusable(folder, jars):
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with locked(folder.with_name(f"{folder.name}.lock"), LOCK_SECONDS, "another download of Neo4j"):
            _complete(folder, jars, say, repositories)


def _complete(
    folder: Path, jars: tuple[Jar, ...], say: Callable[[str], None], repositories: Mapping[str, str] | None
) -> None:
    missing = _unusable(folder, jars)
    if not missing:
        return
    size = max(1, DOWNLOAD_MB * len(missing) // len(pinned_jars()))
    damaged = sum((folder / jar.path).exists() for jar in missing)
    if damaged:
        say(f"{damaged} of the downloaded files of Neo4j are damaged and are brought anew")
    need_space(folder.parent, 2 * size, "to download Neo4j (DRIFT_NEO4J_CACHE names another folder)")
    say(f"downloading Neo4j {NEO4J_VERSION} ({len(missing)} files, {size} MB, once) into {folder}")
    scratch = folder.with_name(f"{folder.name}.part")
    with writing(folder):
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        try:
            _download(missing, scratch, folder, say, repositories)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _download(
    missing: list[Jar],
    scratch: Path,
    folder: Path,
    say: Callable[[str], None],
    repositories: Mapping[str, str] | None,
) -> None:
    context = _context(scratch, repositories)
    with _workers() as pool:
        done = as_completed([pool.submit(_bring, context, jar, scratch, folder) for jar in missing])
        for number, future in enumerate(done, start=1):
            _result(future)
            if number % 50 == 0:
                say(f"  {number} of {len(missing)} files")


@contextmanager
def _workers() -> Iterator[ThreadPoolExecutor]:
    """Threads whose waiting work is dropped when the block is left early."""
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="jars")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[None]) -> None:
    import requests

    try:
        future.result()
    except (requests.RequestException, RuntimeError) as error:
        reason = str(error).splitlines()[0][:300] if str(error) else type(error).__name__
        raise ServerError(
            f"the download of Neo4j failed: {reason}; what is there is kept: check the network and run the command"
            " again, or set NEO4J_URI to a server of your own"
        ) from error


def _bring(context: MavenContext, jar: Jar, scratch: Path, folder: Path) -> None:
    """Download one jar, check it, move it into the cache."""
    import requests

    artifact = context.create_dependency(jar.coordinate).artifact
    part = scratch / jar.path
    for attempt in range(1, ATTEMPTS + 1):
        part.unlink(missing_ok=True)
        try:
            artifact.resolve()
        except (requests.RequestException, RuntimeError):
            if attempt == ATTEMPTS:
                raise
            time.sleep(0.5 * attempt)
            continue
        if _digest(part) == jar.sha256:
            target = folder / jar.path
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
            return
    raise ServerError(
        f"the download of Neo4j failed: {jar.coordinate} is not the pinned file (SHA-256 differs) and was thrown away;"
        " a proxy or mirror may have changed it: run the command again, or set NEO4J_URI to a server of your own"
    )


def _context(scratch: Path, repositories: Mapping[str, str] | None) -> MavenContext:
    from jgo.config import GlobalSettings
    from jgo.maven import MavenContext
    from jgo.maven._core import DEFAULT_REMOTE_REPOS

    if repositories is None:
        repositories = {**GlobalSettings.load().repositories, **DEFAULT_REMOTE_REPOS}
    return MavenContext(repo_cache=scratch, remote_repos=dict(repositories), timeout=TIMEOUT_SECONDS)


def _unusable(folder: Path, jars: tuple[Jar, ...]) -> list[Jar]:
    """The jars that are missing below `folder` or differ from what was pinned (0.2 s for all)."""
    if not folder.is_dir():
        return list(jars)
    with _workers() as pool:
        digests = list(pool.map(_digest, (folder / jar.path for jar in jars)))
    return [jar for jar, digest in zip(jars, digests, strict=True) if digest != jar.sha256]


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
