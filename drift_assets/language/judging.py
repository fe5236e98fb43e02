"""Tasks that judge: of two answers which is better, and of an answer whether its sources say it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from drift_assets.language.tasks import Output, Task, Text

CRITERIA = ("comprehensiveness", "diversity", "directness")
Winner = Literal["first", "second", "neither"]


class Judgement(Output):
    """Which of two answers is better, by each criterion, and why in a few words."""

    reason: Text
    comprehensiveness: Winner
    diversity: Winner
    directness: Winner


class Judge(Task[Judgement]):
    """Compare two answers to the user's `question`; which is which is not told."""

    output = Judgement
    question: str
    first: str
    second: str


class Statement(BaseModel):
    """A sentence of an answer without its citations, and the texts that it cites; `number` is unique in its task."""

    model_config = ConfigDict(frozen=True)
    number: int = Field(ge=1)
    sentence: str
    sources: tuple[str, ...]


class SupportVerdict(Output):
    """Whether one statement is supported, and why in a few words."""

    number: int
    supported: bool
    reason: Text


class Supports(Output):
    """A verdict for each statement."""

    verdicts: list[SupportVerdict] = Field(max_length=200)


class Support(Task[Supports]):
    """Decide for each statement whether the texts that it cites say it."""

    output = Supports
    statements: tuple[Statement, ...]
