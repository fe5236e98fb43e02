"""The jars of Neo4j in a cache, and never one used that has not the pinned SHA-256.

`jars.txt` pins every file by Maven coordinate and hash. All hashes are checked at every start, so it does not matter
how a jar went bad or how a download ended: what is not as pinned is brought anew. The cache is shared by all
DRIFT_HOMEs of a user.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath

from drift_assets.local.folder import locked, need_space, writing
from drift_assets.settings import Settings

NEO4J_VERSION = "5.26.30"
JAR_MB = 0.65
OTHER_DOWNLOAD_SECONDS = 3600.0
HASHING_THREADS = 4


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

    def is_at(self, file: Path) -> bool:
        """Whether that file is this jar, bit by bit."""
        try:
            with file.open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest() == self.sha256
        except OSError:
            return False


@cache
def pinned_jars() -> tuple[Jar, ...]:
    """The jars of this version of Neo4j, in the order of `jars.txt`."""
    text = files("drift_assets.local").joinpath("jars.txt").read_text(encoding="ascii")
    return tuple(Jar(*line.split()) for line in text.splitlines() if line)


def class_path(folder: Path) -> list[Path]:
    """The files of all jars below `folder`, in the order of the pins."""
    return [folder / jar.path for jar in pinned_jars()]


def cache_folder(settings: Settings) -> Path:
    """The folder of the jars: below DRIFT_NEO4J_CACHE, else below the user's cache folder."""
    import platformdirs

    cache = settings.neo4j_cache or platformdirs.user_cache_path("drift-assets", appauthor=False)
    return cache.expanduser().absolute() / f"neo4j-{NEO4J_VERSION}"


def bring_jars(
    folder: Path,
    say: Callable[[str], None],
    jars: Sequence[Jar] | None = None,
    repositories: Mapping[str, str] | None = None,
) -> None:
    """All jars are below `folder`, as pinned; those that were missing or damaged have been downloaded.

    `repositories` are Maven repositories, address by name; by default those of jgo's own settings file, then jgo's
    default. Raises ServerError when a jar cannot be brought or the folder cannot take it.
    """
    jars = pinned_jars() if jars is None else jars
    if not _unusable(folder, jars):
        return
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_name(f"{folder.name}.lock"), OTHER_DOWNLOAD_SECONDS, "another download of Neo4j", say):
        missing = _unusable(folder, jars)
        if missing:
            _bring(missing, folder, say, repositories)


def _bring(
    missing: Sequence[Jar], folder: Path, say: Callable[[str], None], repositories: Mapping[str, str] | None
) -> None:
    from drift_assets.local.download import download

    damaged = sum((folder / jar.path).exists() for jar in missing)
    if damaged:
        say(f"{damaged} of the downloaded files of Neo4j are damaged and are brought anew")
    size = max(1, round(JAR_MB * len(missing)))
    need_space(folder, 2 * size, "for the download of Neo4j (DRIFT_NEO4J_CACHE may name another folder)")
    say(f"downloading Neo4j {NEO4J_VERSION} ({len(missing)} files, about {size} MB, once) into {folder}")
    with writing(folder):
        download(missing, folder, say, repositories)


def _unusable(folder: Path, jars: Sequence[Jar]) -> list[Jar]:
    """The jars that are not below `folder` or not as pinned (0.2 s for all)."""
    if not folder.is_dir():
        return list(jars)
    with ThreadPoolExecutor(HASHING_THREADS) as pool:
        good = list(pool.map(lambda jar: jar.is_at(folder / jar.path), jars))
    return [jar for jar, is_good in zip(jars, good, strict=True) if not is_good]
