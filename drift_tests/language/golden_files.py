"""What is sent to a service, kept as golden files; `python -m drift_tests.language.golden_files` renews them."""

from __future__ import annotations

import json
from pathlib import Path

from drift_assets.language.prompts import render
from drift_assets.language.schemas import task_schema
from drift_assets.language.tasks import Extract, Glean
from drift_tests.language.samples import SAMPLES

FOLDER = Path(__file__).parent / "golden"


def expected() -> dict[str, str]:
    """Text of each golden file by its name: the input part of a prompt, and the schema of its answer."""
    files = {}
    for task in SAMPLES:
        name = type(task).name()
        schema = task_schema(type(task), task.types if isinstance(task, Extract | Glean) else ())
        files[f"{name}.txt"] = render(task).input + "\n"
        files[f"{name}.json"] = json.dumps(schema, indent=1) + "\n"
    return files


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in expected().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
