"""Writes drift_assets/graph/foreseen.json: the queries that an index run sends to Neo4j, with what they are sent.

    .venv/bin/python -m scripts.pin_queries

When a query of the index was changed or added; a test says so.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drift_assets.cli.index import index_folder
from drift_assets.demo import corpus_folder
from drift_assets.graph.foreseen import likeness
from drift_assets.local import server
from drift_assets.settings import load_settings
from drift_tests.graph.sent import Sent, sent_by_stage
from drift_tests.openai_server import openai_server

FILE = Path(__file__).parent.parent / "drift_assets" / "graph" / "foreseen.json"


def main() -> None:
    with tempfile.TemporaryDirectory() as home, openai_server() as service, sent_by_stage() as sent:
        own = {"DRIFT_HOME": home, "OPENAI_BASE_URL": service.url, "OPENAI_API_KEY": "a-key-that-costs-nothing"}
        os.environ |= own | {"DRIFT_LANGUAGE": "openai", "DRIFT_EMBEDDING": "openai"}
        settings = load_settings()
        try:
            index_folder(settings, {"folder": str(corpus_folder())}, debug=False)
        finally:
            server.stop(settings)
    FILE.write_text(written(sent), encoding="utf-8")
    sys.stdout.write(f"{sum(map(len, sent.values()))} queries in {FILE}\n")


def written(sent: Sent) -> str:
    """The file's text: a line for each query."""
    stages = []
    for stage, queries in sent.items():
        lines = [json.dumps([text, _likenesses(given)], ensure_ascii=False) for text, given in queries.items()]
        stages.append(f'"{stage}": [\n' + ",\n".join(lines) + "\n]")
    return "{" + ",\n".join(stages) + "}\n"


def _likenesses(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: likeness(value) for name, value in given.items()}


if __name__ == "__main__":
    main()
