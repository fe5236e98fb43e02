"""Twice the documents, about twice the calls: neither reading them nor adding to them grows faster than they do."""

from pathlib import Path

import pytest

from drift_assets.progress import Silent
from drift_assets.runs.job import run_job
from drift_assets.settings import load_settings
from drift_tests.openai_server import Server, openai_server

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

DOCUMENTS = 6
DEEDS = ("met", "wrote to", "paid", "warned", "followed", "praised", "left", "forgave")


def write_documents(folder: Path, first: int) -> None:
    """Documents about people and places that no other one names."""
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[first : first + DOCUMENTS]:
        sentences = [
            f"Adam {letter}older {deed} Berta {letter}elling at Castle {letter}arrow in the year {n}."
            for n, deed in enumerate(DEEDS)
        ]
        (folder / f"{letter}.txt").write_text("\n\n".join(sentences), "utf-8")


def index(folder: Path, server: Server) -> tuple[int, int]:
    """Language and embedding calls of an index run."""
    server.forget()
    run_job("index", {"folder": str(folder)}, settings=load_settings(), display=Silent()).raise_for_failure()
    embeddings = sum(request.task == "embeddings" for request in server.requests)
    return len(server.requests) - embeddings, embeddings


def test_twice_the_documents_need_twice_the_calls(
    neo4j_variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    with openai_server() as server:
        variables = {
            "DRIFT_HOME": str(tmp_path / ".drift"),
            "DRIFT_CHUNK_TOKENS": "64",
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "test-key-0123456789",
        }
        for name, value in {**neo4j_variables, **variables}.items():
            monkeypatch.setenv(name, value)
        write_documents(folder, 0)
        first = index(folder, server)
        write_documents(folder, DOCUMENTS)
        second = index(folder, server)

    assert first[0] >= 3 * DOCUMENTS
    assert second[0] == pytest.approx(first[0], rel=0.2)
    assert second[1] <= first[1] + 1
