import pytest

from drift_assets.evaluation.questions import Question
from drift_assets.evaluation.scoring import (
    Reading,
    Scores,
    answer_match,
    citation_validity,
    evidence_recall,
    failed,
    score,
)

QUESTION = Question(
    id="q1",
    question="Who lit the lamp, and when?",
    kind="multi",
    must_mention=(("reeve",), ("dusk", "evening")),
    evidence=("Reeve lit the lamp", "at dusk"),
)
UNANSWERABLE = Question(id="q2", question="Who was Reeve's mother?", kind="unanswerable")


def reading(answer: str, status: str = "complete") -> Reading:
    return Reading(
        status=status,
        answer=answer,
        read=["Yesterday Reeve lit the lamp."],
        traced=["Yesterday Reeve lit the lamp.", "It was at dusk."],
        valid={1, 2},
    )


def test_an_answer_gets_all_figures() -> None:
    scores = score(QUESTION, reading("Reeve did [1], it is said [3]."))

    assert scores == Scores(
        evidence_recall=0.5,
        traced_recall=1.0,
        strict_match=0.0,
        partial_match=0.5,
        citation_validity=0.5,
        abstained=0.0,
    )


def test_all_groups_met_is_a_strict_match() -> None:
    assert score(QUESTION, reading("Reeve, in the evening [2].")).strict_match == 1.0


def test_a_search_that_finds_nothing_abstains() -> None:
    scores = score(QUESTION, reading("Nothing is said.", "not_found"))

    assert (scores.abstained, scores.citation_validity) == (1.0, None)
    assert score(QUESTION, reading("Reeve did.")).citation_validity == 0.0


@pytest.mark.parametrize(("status", "abstained"), [("not_found", 1.0), ("complete", 0.0), ("partial", 0.0)])
def test_an_unanswerable_question_is_scored_by_abstention_alone(status: str, abstained: float) -> None:
    assert score(UNANSWERABLE, reading("Ann [1].", status)) == Scores(None, None, None, None, None, abstained)


def test_a_failed_search_has_found_nothing_and_does_not_abstain() -> None:
    assert failed(QUESTION) == Scores(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert failed(UNANSWERABLE) == Scores(None, None, None, None, None, 0.0)


@pytest.mark.parametrize(
    ("quotes", "texts", "share"),
    [
        (["a b"], ["x a b y"], 1.0),
        (["a  b"], ["a b"], 1.0),
        (["a b"], ["a", "b"], 0.0),
        (["A b"], ["a b"], 0.0),
        (["a", "b", "c", "d"], ["a", "c d"], 0.75),
        (["a"], [], 0.0),
        ([], ["a"], None),
    ],
)
def test_evidence_recall(quotes: list[str], texts: list[str], share: float | None) -> None:
    assert evidence_recall(quotes, texts) == share


@pytest.mark.parametrize(
    ("answer", "groups", "share"),
    [
        ("She is growing.", [["grow"]], 1.0),
        ("In years to come.", [["ears"]], 0.0),
        ("Three\ninches HIGH", [["three inch"]], 1.0),
        ("A (pine-apple) tart", [["pineapple", "pine-apple"]], 1.0),
        ("It cost 1300 pounds.", [["300"]], 0.0),
        ("Told there [3].", [["3"]], 0.0),
        ("One and two.", [["one"], ["two"], ["three"], ["four", "five"]], 0.5),
        ("", [["one"]], 0.0),
        ("One.", [], None),
    ],
)
def test_answer_match(answer: str, groups: list[list[str]], share: float | None) -> None:
    assert answer_match(answer, groups) == share


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("It was Reeve.", 0.0),
        ("Reeve [1].", 1.0),
        ("Reeve [1, 2][2].", 1.0),
        ("Reeve [1], Ann [7].", 0.5),
        ("[9]", 0.0),
    ],
)
def test_citation_validity(answer: str, share: float) -> None:
    assert citation_validity(answer, {1, 2}) == share
