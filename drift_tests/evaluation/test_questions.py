import json
from pathlib import Path

import pytest

from drift_assets.demo import corpus_folder
from drift_assets.errors import SettingsError
from drift_assets.evaluation.questions import read_questions

LINE = {"id": "q1", "question": "Who lit the lamp?", "kind": "single"}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return path


def test_questions_are_read_in_order_and_further_fields_left_alone(tmp_path: Path) -> None:
    full = {**LINE, "id": "q2", "must_mention": [["reeve", "keeper"]], "evidence": ["Reeve lit it."], "extra": 1}

    first, second = read_questions(written(tmp_path, LINE, "", full, ""))

    assert (first.id, first.must_mention, first.evidence) == ("q1", (), ())
    assert (second.id, second.must_mention, second.evidence) == ("q2", (("reeve", "keeper"),), ("Reeve lit it.",))


def test_a_question_is_answerable_unless_its_kind_says_otherwise(tmp_path: Path) -> None:
    questions = read_questions(written(tmp_path, LINE, {**LINE, "id": "q2", "kind": "unanswerable"}))

    assert [question.answerable for question in questions] == [True, False]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([LINE, {"id": "q2", "kind": "single"}], "line 2 of .* question: question: it is missing"),
        ([LINE, "{"], "line 2 of .* is no question"),
        ([LINE, "", LINE], "line 3 of .* has the id 'q1' of an earlier line"),
        ([""], "holds no question"),
    ],
)
def test_a_wrong_file_names_its_line(tmp_path: Path, lines: list[object], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        read_questions(written(tmp_path, *lines))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot read the questions in .*absent"):
        read_questions(tmp_path / "absent.jsonl")


@pytest.mark.parametrize(
    "path",
    [corpus_folder().parent / "questions.jsonl", Path(__file__).parents[2] / "benchmarks" / "alice.jsonl"],
    ids=["demo", "alice"],
)
def test_the_files_that_come_with_the_project_can_be_scored(path: Path) -> None:
    questions = read_questions(path)

    assert {question.kind for question in questions} == {"single", "multi", "global", "unanswerable"}
    for question in questions:
        assert bool(question.evidence) == bool(question.must_mention) == question.answerable
        assert all(quote == " ".join(quote.split()) for quote in question.evidence)
        assert all(part == part.lower() for group in question.must_mention for part in group)
