"""The version names the rules and the spaCy model, and is cheap to get."""

from __future__ import annotations

import subprocess
import sys

from drift_assets.language.extractive.version import VERSION, extractive_version


def test_the_version_holds_both() -> None:
    assert extractive_version().startswith(f"{VERSION}/")
    assert "en-core-web-sm" in extractive_version()


def test_asking_for_it_loads_no_heavy_library() -> None:
    code = "import sys; from drift_assets.language.extractive import version as v; v.extractive_version();"
    code += "print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"spacy", "numpy", "onnxruntime", "dagster"} & set(loaded)
