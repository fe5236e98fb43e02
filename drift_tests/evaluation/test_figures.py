from typing import Any

from drift_assets.evaluation.figures import FIGURES, to_json, to_markdown


def row(kind: str, recall: float | None, **more: Any) -> dict[str, Any]:
    return {**dict.fromkeys(FIGURES), "kind": kind, "evidence_recall": recall, **more}


ROWS = {
    "drift": {"q1": row("multi", 1.0), "q2": row("unanswerable", None, abstained=1.0)},
    "vector": {"q1": row("multi", 0.5), "q2": row("unanswerable", None, abstained=0.0, error="no server")},
}


def test_json_holds_the_means_of_each_method_and_the_first_ones_differences() -> None:
    found = to_json(ROWS)

    assert found["methods"]["drift"]["multi"]["evidence_recall"] == 1.0
    assert found["methods"]["vector"]["unanswerable"]["abstained"] == 0.0
    assert found["methods"]["vector"]["unanswerable"]["evidence_recall"] is None
    assert [(d["method"], d["than"], d["kind"], d["figure"], d["difference"]) for d in found["differences"]] == [
        ("drift", "vector", "multi", "evidence_recall", 0.5),
        ("drift", "vector", "all", "evidence_recall", 0.5),
    ]
    assert found["failed"] == 1


def test_markdown_has_a_line_for_each_method_and_kind_and_says_what_failed() -> None:
    text = to_markdown(ROWS)

    assert "| drift | multi | 1 | 1.00 |" in text
    assert "| vector | unanswerable | 1 | – |" in text
    assert "| multi | evidence recall | drift less vector | 1 | 0.50 | 0.50 | 0.50 |" in text
    assert text.endswith("1 searches failed; they count as having found nothing.")


def test_one_method_has_no_differences() -> None:
    assert to_json({"drift": ROWS["drift"]})["differences"] == []
    assert "less" not in to_markdown({"drift": ROWS["drift"]})
