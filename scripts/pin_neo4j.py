"""Writes drift_assets/local/jars.txt: every jar that a Neo4j version needs, with its SHA-256.

    .venv/bin/python scripts/pin_neo4j.py 5.26.30

Resolves the version's dependencies with jgo, downloads all of them into a folder that is thrown away, and hashes them.
A new version also goes into NEO4J_VERSION in drift_assets/local/jars.py; then run the tests in drift_tests/local.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jgo.maven import Artifact, MavenContext

PIN_FILE = Path(__file__).parent.parent / "drift_assets" / "local" / "jars.txt"


def needed_jars(version: str, folder: Path) -> list[Artifact]:
    """Neo4j's own jar and all that it needs to run, native parts for every platform included."""
    context = MavenContext(repo_cache=folder)
    own = context.create_dependency(f"org.neo4j:neo4j:{version}")
    _, others = context.resolver.resolve([own])
    return [own.artifact, *(other.artifact for other in others if other.scope in ("compile", "runtime"))]


def pin_line(jar: Artifact) -> str:
    """`group:artifact:version[:classifier] sha256`."""
    coordinate = ":".join(filter(None, [jar.groupId, jar.artifactId, jar.version, jar.classifier]))
    return f"{coordinate} {hashlib.sha256(jar.resolve().read_bytes()).hexdigest()}\n"


def main() -> None:
    [version] = sys.argv[1:] or sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(8) as pool:
        lines = sorted(pool.map(pin_line, needed_jars(version, Path(folder))))
    PIN_FILE.write_text("".join(lines), encoding="ascii")
    sys.stdout.write(f"{len(lines)} jars pinned in {PIN_FILE}\n")


if __name__ == "__main__":
    main()
