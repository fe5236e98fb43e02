"""The demo corpus and its questions agree with each other."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from drift_assets.demo import DEMO_QUESTIONS, DemoQuestion, corpus_folder, questions

DOCUMENTS = sorted(corpus_folder().iterdir())
QUESTIONS = questions()
ANSWERABLE = [question for question in QUESTIONS if question.kind != "unanswerable"]
UNANSWERABLE = [question for question in QUESTIONS if question.kind == "unanswerable"]


def folded(name: str) -> str:
    return " ".join((corpus_folder() / name).read_text(encoding="utf-8").split())


def named(question: DemoQuestion) -> str:
    return question.id


def test_the_corpus_is_a_dozen_markdown_and_text_files() -> None:
    assert len(DOCUMENTS) == 12
    assert {path.suffix for path in DOCUMENTS} == {".md", ".txt"}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_has_a_title_and_400_to_900_words(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    first, second = text.splitlines()[:2]

    assert first.startswith("# ") == (path.suffix == ".md")
    assert first.strip()
    assert not second.strip()
    assert 400 <= len(text.split()) <= 900


def test_question_ids_and_texts_are_unique() -> None:
    assert [question.id for question in QUESTIONS] == [f"demo-{number:03d}" for number in range(1, 25)]
    assert len({question.question for question in QUESTIONS}) == len(QUESTIONS)


def test_the_kinds_are_mixed_as_stated() -> None:
    counts = Counter(question.kind for question in QUESTIONS)

    assert counts == {"single": 6, "multi": 6, "global": 4, "unanswerable": 8}


@pytest.mark.parametrize("question", ANSWERABLE, ids=named)
def test_each_quote_stands_in_a_named_document_and_no_document_is_named_in_vain(question: DemoQuestion) -> None:
    holders = [{name for name in question.documents if quote in folded(name)} for quote in question.evidence]

    assert holders
    assert all(holders)
    assert set.union(*holders) == set(question.documents)


@pytest.mark.parametrize("question", ANSWERABLE, ids=named)
def test_the_reference_answer_meets_its_own_groups(question: DemoQuestion) -> None:
    answer = question.answer.lower()

    assert question.must_mention
    for group in question.must_mention:
        assert group
        assert all(term and term == term.lower().strip() for term in group)
        assert any(re.search(rf"(?<!\w){re.escape(term)}", answer) for term in group)


@pytest.mark.parametrize("question", UNANSWERABLE, ids=named)
def test_an_unanswerable_question_has_no_evidence(question: DemoQuestion) -> None:
    assert not question.evidence
    assert not question.documents
    assert not question.must_mention


def test_half_of_the_unanswerable_questions_are_about_the_corpus_itself() -> None:
    corpus = " ".join(folded(path.name) for path in DOCUMENTS)
    names = [re.findall(r"[A-Z]\w+ [A-Z]\w+", question.question) for question in UNANSWERABLE]

    assert [any(name in corpus for name in found) for found in names].count(True) == 4


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.kind in ("multi", "global")], ids=named)
def test_a_question_beyond_one_fact_needs_several_documents(question: DemoQuestion) -> None:
    assert len(question.documents) >= 2


def test_the_demo_asks_two_questions_whose_answers_are_spread_over_documents() -> None:
    kinds = {question.question: question.kind for question in QUESTIONS}

    assert [kinds[text] for text in DEMO_QUESTIONS] == ["multi", "multi"]
