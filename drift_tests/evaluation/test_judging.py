"""Two methods are compared pairwise, both orders, by the official client against a server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drift_assets.errors import RunStopped, SettingsError
from drift_assets.evaluation.figures import to_json, to_markdown
from drift_assets.evaluation.judging import Share, check_judge, judge, pairs_of
from drift_assets.settings import load_settings
from drift_tests.openai_server import Server, openai_server


def row(id: str, answer: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "kind": "single", "question": f"Question {id}?", "answer": answer, **more}


ROWS = {
    "drift": {"q1": row("q1", "A long answer [1]."), "q2": row("q2", "Short [2]."), "q3": row("q3", "", error="x")},
    "vector": {"q1": row("q1", "Short."), "q2": row("q2", "A long answer indeed."), "q3": row("q3", "Yes.")},
    "local": {"q1": row("q1", "A long answer [7].")},
}


@pytest.fixture
def server() -> Iterator[Server]:
    with openai_server() as running:
        yield running


def judged(server: Server, kept: Path, told: list[str] | None = None) -> dict[tuple[str, str], Share]:
    settings = server.settings(call_attempts=1)
    found = judge(ROWS, settings, kept, (told if told is not None else []).append)
    return {(share.than, share.criterion): share for share in found}


def test_each_pair_is_judged_in_both_orders_and_a_bias_for_one_place_counts_for_nobody(
    server: Server, tmp_path: Path
) -> None:
    server.answer(
        "judge",
        lambda request: {"reason": "", "comprehensiveness": "first", "diversity": "neither", "directness": "second"},
    )
    found = judged(server, tmp_path / "kept.json")
    assert {share.share for share in found.values()} == {0.5}
    assert len(server.of("judge")) == 2 * 2 + 1, "equal answers are the same in both orders"


def test_the_better_answer_wins_its_criterion_whatever_its_place(server: Server, tmp_path: Path) -> None:
    found = judged(server, tmp_path / "kept.json")
    # The server holds the longer answer for the fuller one: drift's to q1, vector's to q2.
    share = found["vector", "comprehensiveness"]
    assert (share.questions, share.share, share.low, share.high) == (2, 0.5, 0.0, 1.0)
    assert found["vector", "diversity"].share == 0.5
    assert (found["local", "directness"].questions, found["local", "directness"].share) == (1, 0.5)


def test_the_judge_sees_no_citations_and_no_method(server: Server, tmp_path: Path) -> None:
    judged(server, tmp_path / "kept.json")
    for request in server.of("judge"):
        assert "[" not in request.input
        assert "drift" not in request.input
        assert "Question q" in request.input


def test_what_was_judged_is_not_paid_again_and_what_failed_is_tried_again(server: Server, tmp_path: Path) -> None:
    kept, told = tmp_path / "kept.json", list[str]()
    server.fail(1, "refusal", on="judge")
    found = judged(server, kept, told)
    assert "not judged" in told[0]
    assert sum(share.questions for share in found.values() if share.criterion == "directness") == 2
    server.forget()
    assert sum(share.questions for share in judged(server, kept).values() if share.criterion == "directness") == 3
    assert len(server.of("judge")) == 1
    server.forget()
    judged(server, kept)
    assert server.of("judge") == []


def test_a_key_that_is_refused_stops_the_judging(server: Server, tmp_path: Path) -> None:
    server.fail_all("401")
    with pytest.raises(RunStopped):
        judged(server, tmp_path / "kept.json")


def test_judging_needs_a_model_and_two_methods(server: Server) -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        check_judge(["drift", "vector"], load_settings(language="extractive"))
    with pytest.raises(SettingsError, match="drift,vector"):
        check_judge(["drift"], server.settings())


def test_pairs_are_of_questions_that_both_answered() -> None:
    assert [(pair.than, pair.id) for pair in pairs_of(ROWS)] == [("vector", "q1"), ("vector", "q2"), ("local", "q1")]
    assert pairs_of(ROWS)[0].answer == "A long answer."


def test_shares_stand_in_the_table_and_in_the_json() -> None:
    rows = {"drift": {"q1": {"kind": "single", "evidence_recall": 1.0}}}
    share = Share("drift", "vector", "directness", 14, 0.625, 0.4, 0.8)
    assert "| directness | drift against vector | 14 | 0.62 | 0.40 | 0.80 |" in to_markdown(rows, [share])
    assert to_json(rows, [share])["judged"][0]["share"] == 0.625
    assert "judges" not in to_markdown(rows)
