"""Questions are asked by the job itself, scored, kept, and not asked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drift_assets.evaluation.questions import Question
from drift_assets.evaluation.run import evaluate
from drift_assets.graph.address import Address
from drift_assets.settings import Settings, load_settings
from drift_tests.database import SmallIndex, query

# The dimensions of MiniLM; where the vectors point does not matter here.
_SIZE = 384
INDEX = SmallIndex(
    dimensions=_SIZE,
    embedding="minilm:all-MiniLM-L6-v2",
    entities={"REEVE": ("Reeve keeps the light.", [1.0] * _SIZE)},
    chunks={"c1": ("tower.txt", "Reeve lit the lamp of the tower at dusk in 1882.", ["REEVE"], [1.0] * _SIZE)},
    communities={"light": (0, 8.0, "The light and those who keep it.", None, ["REEVE"], [1.0] * _SIZE)},
)
LIT = Question(
    id="q1",
    question="When was the lamp of the tower lit?",
    kind="single",
    must_mention=(("dusk",), ("1882",)),
    evidence=("Reeve lit the lamp of the tower at dusk",),
)
MELTS = Question(id="q2", question="At what temperature does tungsten melt?", kind="unanswerable")


@pytest.fixture
def settings(
    neo4j_server: Address, clean_address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    """A home on the shared server, which holds the small index."""
    for name in ("uri", "username", "password", "database"):
        monkeypatch.setenv(f"NEO4J_{name.upper()}", getattr(neo4j_server, name))
    monkeypatch.setenv("DRIFT_HOME", str(tmp_path / ".drift"))
    INDEX.write(neo4j_server)
    return load_settings()


def test_answers_are_scored_by_method_and_not_asked_again(settings: Settings, tmp_path: Path) -> None:
    output, told = tmp_path / "answers" / "few.json", list[str]()

    rows = evaluate(
        [LIT, MELTS], {"vector": {"method": "vector", "evidence_tokens": 500}}, settings, output, told.append
    )

    first, second = rows["vector"]["q1"], rows["vector"]["q2"]
    assert first["evidence_recall"] == first["strict_match"] == first["citation_validity"] == first["groundedness"] == 1
    assert (second["abstained"], second["evidence_recall"]) == (1.0, None)
    assert 0 < first["evidence_tokens"] <= 500
    assert told == ["1/2 q1 vector: complete", "2/2 q2 vector: not_found"]
    assert len(json.loads(output.read_text("utf-8"))) == 2

    again = evaluate([LIT], {"vector": {"method": "vector", "evidence_tokens": 500}}, settings, output, told.append)

    assert again["vector"]["q1"]["search_id"] == first["search_id"]


def test_a_search_that_fails_is_told_scored_as_nothing_and_asked_again(
    settings: Settings, neo4j_server: Address, tmp_path: Path
) -> None:
    query(neo4j_server, "MATCH (i:__Index__) SET i.embedding_model = 'other:model'")
    output, told = tmp_path / "few.json", list[str]()

    rows = evaluate([LIT], {"vector": {"method": "vector"}}, settings, output, told.append)

    assert rows["vector"]["q1"]["evidence_recall"] == 0
    assert "the index was embedded with other:model" in told[0]

    query(neo4j_server, "MATCH (i:__Index__) SET i.embedding_model = 'minilm:all-MiniLM-L6-v2'")
    rows = evaluate([LIT], {"vector": {"method": "vector"}}, settings, output, told.append)

    assert rows["vector"]["q1"]["status"] == "complete"
