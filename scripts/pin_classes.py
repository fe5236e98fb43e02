"""Writes drift_assets/local/classes.txt.gz: the classes that Neo4j loads while the demo is indexed and searched.

    .venv/bin/python scripts/pin_classes.py

For a new version of Neo4j or of Java; run it after scripts/pin_neo4j.py.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from drift_assets.local.archive import listed_classes
from drift_assets.local.jars import bring_jars, cache_folder, class_path
from drift_assets.local.jvm import EmbeddedNeo4j
from drift_assets.local.server import to_stderr
from drift_assets.settings import load_settings

LIST_FILE = Path(__file__).parent.parent / "drift_assets" / "local" / "classes.txt.gz"
PASSWORD = "thrown away with its database"


def main() -> None:
    jars = cache_folder(load_settings())
    bring_jars(jars, to_stderr)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        listing = folder / "classes.txt"
        neo4j = EmbeddedNeo4j(folder / "database", class_path(jars), 0, [f"-XX:DumpLoadedClassList={listing}"])
        neo4j.set_password(PASSWORD)
        uri = f"bolt://127.0.0.1:{neo4j.port()}"
        own = {"DRIFT_HOME": str(folder / "home"), "NEO4J_URI": uri, "NEO4J_PASSWORD": PASSWORD}
        subprocess.run([Path(sys.executable).with_name("drift"), "demo"], env={**os.environ, **own}, check=True)
        neo4j.shutdown()
        lines = listed_classes(listing.read_text(encoding="utf-8").splitlines())
    LIST_FILE.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    sys.stdout.write(f"{len(lines)} lines in {LIST_FILE}\n")


if __name__ == "__main__":
    main()
