"""Writes constraints.txt: the newest versions, with wheels, that pyproject.toml allows together.

    .venv/bin/python scripts/pin_packages.py

Nothing is installed. Then run `make test` with the oldest and the newest Python that pyproject.toml allows.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PINS = ROOT / "constraints.txt"
HEAD = "# What `make demo`, `make test` and the Docker image install, exactly; scripts/pin_packages.py renews it.\n"


def newest() -> dict[str, str]:
    """Version by name of every package that pip would install into an empty environment of this Python."""
    options = ["--dry-run", "--ignore-installed", "--quiet", "--only-binary=:all:", "--report=-"]
    command = [sys.executable, "-m", "pip", "install", *options, f"{ROOT}[dev]"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found = [item["metadata"] for item in report["install"]]
    return {re.sub(r"[-_.]+", "-", package["name"]).lower(): package["version"] for package in found}


def main() -> None:
    pins = newest()
    del pins["drift-assets"]
    PINS.write_text(HEAD + "".join(f"{name}=={pins[name]}\n" for name in sorted(pins)), encoding="utf-8")


if __name__ == "__main__":
    main()
