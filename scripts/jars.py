"""Writes drift_assets/local/jars.txt for the version of Neo4j in drift_assets/local/jars.py; needs the network.

The hashes are those of what the repository serves now: compare the difference with the version that you meant to pin.
"""

from __future__ import annotations

import hashlib
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jgo.maven import Artifact, MavenContext, PythonResolver

from drift_assets.local import jars


def line(artifact: Artifact) -> str:
    """`group:artifact:version[:classifier] sha256`, for a jar that this downloads."""
    group, name, version, classifier, _ = artifact.key
    coordinate = ":".join([group, name, version, *([classifier] if classifier else [])])
    return f"{coordinate} {hashlib.sha256(artifact.resolve().read_bytes()).hexdigest()}\n"


def main() -> None:
    """Replace the list by what Maven resolves for `org.neo4j:neo4j`."""
    with tempfile.TemporaryDirectory() as folder:
        context = MavenContext(repo_cache=Path(folder))
        wanted = context.create_dependency(f"org.neo4j:neo4j:{jars.NEO4J_VERSION}")
        inputs, others = PythonResolver().resolve([wanted])
        artifacts = [found.artifact for found in (*inputs, *others) if found.type == "jar"]
        with ThreadPoolExecutor(8) as pool:
            lines = sorted(pool.map(line, artifacts))
    Path(jars.__file__).with_name("jars.txt").write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    main()
