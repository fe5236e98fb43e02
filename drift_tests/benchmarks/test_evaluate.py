import json
from pathlib import Path

import pytest

from benchmarks.evaluate import main

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)

QUESTIONS = [
    {
        "id": "q1",
        "question": "When did the Fog Organ sound for the first time?",
        "kind": "single",
        "must_mention": [["6 may 1882"]],
        "evidence": ["On Saturday, 6 May 1882, at noon precisely, the Fog Organ sounded for the first time"],
    },
    {"id": "q2", "question": "At what temperature does tungsten melt?", "kind": "unanswerable"},
]


def test_questions_are_asked_scored_and_not_asked_again(
    neo4j_variables: dict[str, str],
    document: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in {**neo4j_variables, "DRIFT_HOME": str(tmp_path / ".drift")}.items():
        monkeypatch.setenv(name, value)
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, QUESTIONS)), "utf-8")
    output = tmp_path / "results" / "few.json"

    main([str(file), "--folder", str(document), "--output", str(output)])

    answers = json.loads(output.read_text("utf-8"))["answers"]
    first, second = answers["q1"], answers["q2"]
    assert first["evidence_recall"] == first["traced_recall"] == first["strict_match"] == 1.0
    assert first["citation_validity"] == 1.0
    assert (second["abstained"], second["evidence_recall"]) == (1.0, None)
    table = output.with_suffix(".md").read_text("utf-8")
    assert "2 questions, extractive, minilm:all-MiniLM-L6-v2" in table
    assert "| single | 1 | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 | 0.00 |" in table
    assert table in capsys.readouterr().out

    main([str(file), "--output", str(output)])

    assert {row["search_id"] for row in json.loads(output.read_text("utf-8"))["answers"].values()} == {
        first["search_id"],
        second["search_id"],
    }
