"""A small corpus of our own writing, with questions: what `drift demo` indexes and asks.

Twelve documents from the archive of Port Merrin, a harbour town that never was, and of its Fog Organ. Facts are
spread over letters, minutes, a log, a report and a memoir, so that many answers need more than one of them.
All of it is fiction. The files are package data and are installed as plain files beside this module.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

Kind = Literal["single", "multi", "global", "unanswerable"]

DEMO_QUESTIONS: tuple[str, str] = (
    "Why did the Grandfather Pipe fall into the sea, who was to blame, and who paid for the second Grandfather Pipe?",
    "What happened to Captain Walter Drummond's gold medal, from the day he received it to its place in the museum?",
)


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question about the demo corpus, and how to judge an answer to it.

    kind: `single` needs one passage, `multi` several documents, `global` an overview of the whole corpus;
        `unanswerable`: the corpus does not say.
    answer: a short reference in free wording, for a person or a judging model to compare with.
    must_mention: every group must be met; an alternative meets its group when it occurs in the lower-cased
        answer where a word starts. Empty when unanswerable.
    evidence: verbatim quotes with white space reduced to single spaces. Empty when unanswerable.
    documents: names of the files that hold the evidence, sorted.
    """

    id: str
    question: str
    kind: Kind
    answer: str
    must_mention: tuple[tuple[str, ...], ...]
    evidence: tuple[str, ...]
    documents: tuple[str, ...]


def corpus_folder() -> Path:
    """The folder that holds the documents."""
    return Path(str(files(__name__))) / "corpus"


def questions() -> list[DemoQuestion]:
    """All questions, in the order of `questions.jsonl`."""
    text = (corpus_folder().parent / "questions.jsonl").read_text(encoding="utf-8")
    return [_question(line) for line in text.splitlines()]


def _question(line: str) -> DemoQuestion:
    row = json.loads(line)
    return DemoQuestion(
        id=row["id"],
        question=row["question"],
        kind=row["kind"],
        answer=row["answer"],
        must_mention=tuple(tuple(group) for group in row["must_mention"]),
        evidence=tuple(row["evidence"]),
        documents=tuple(row["documents"]),
    )
