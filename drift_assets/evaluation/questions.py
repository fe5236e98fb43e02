"""Questions with what is known of their answers, read from a JSONL file."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from drift_assets.errors import SettingsError
from drift_assets.refusals import allowed

UNANSWERABLE = "unanswerable"


class Question(BaseModel):
    """A question and how to judge an answer to it; fields beyond these are left alone.

    kind: free, and what figures are grouped by; `unanswerable` means that the documents do not say.
    answer: a short reference in free wording, for a person or a judging model.
    must_mention: groups of alternatives; an answer must meet every group, by any one of its alternatives.
    evidence: verbatim quotes of the documents, white space reduced to single blanks.
    """

    model_config = ConfigDict(frozen=True)

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    kind: str = Field(min_length=1)
    answer: str = ""
    must_mention: tuple[tuple[str, ...], ...] = ()
    evidence: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        """Whether the documents hold an answer."""
        return self.kind != UNANSWERABLE


def read_questions(path: Path) -> list[Question]:
    """The questions of a UTF-8 file with one JSON object a line, in its order; blank lines count as none.

    Raises SettingsError naming the file, and the line that is no question or repeats an id.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read the questions in {path}: {error}") from None
    found: dict[str, Question] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            question = Question.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            field = f"{first['loc'][0]}: " if first["loc"] else ""
            raise SettingsError(f"line {number} of {path} is no question: {field}{allowed(first)}") from None
        if question.id in found:
            raise SettingsError(
                f"line {number} of {path} has the id {question.id!r} of an earlier line; give it another"
            )
        found[question.id] = question
    if not found:
        raise SettingsError(f"{path} holds no question; each line is a JSON object with id, question and kind")
    return list(found.values())
