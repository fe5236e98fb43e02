"""The task of judging two answers to one question, as an evaluation asks for it."""

from __future__ import annotations

from typing import Literal

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
