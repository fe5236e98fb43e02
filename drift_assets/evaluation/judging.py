"""Answers of two methods compared pairwise by a language model, in both orders, with bootstrap intervals.

A model prefers the answer that it reads first (https://arxiv.org/abs/2305.17926), so each pair is judged twice with the
order swapped, and a method wins a criterion by half where the two judgements differ.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from drift_assets.errors import SettingsError
from drift_assets.evaluation.differences import interval
from drift_assets.evaluation.store import kept, write
from drift_assets.fingerprint import fingerprint
from drift_assets.interrupts import run
from drift_assets.language.calls import Limiter
from drift_assets.language.choose import open_language, task_origin, task_version
from drift_assets.language.judging import CRITERIA, Judge, Judgement
from drift_assets.language.model import LanguageModel
from drift_assets.language.usage import Limits, Meter
from drift_assets.search.asking import BRANCH_FAILURES
from drift_assets.search.citations import keep_citations
from drift_assets.settings import Settings

_WORTH = {"first": 1.0, "neither": 0.5, "second": 0.0}
Rows = Mapping[str, Mapping[str, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Share:
    """The share of the `questions` that `method` wins against `than` by a criterion, ties by half: 0.5 is even.

    `low` and `high` are the ends of the 95 % interval from resampled questions.
    """

    method: str
    than: str
    criterion: str
    questions: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Pair:
    """The answers of the first method and of another to one question."""

    than: str
    id: str
    question: str
    answer: str
    other: str


def check_judge(methods: Sequence[str] | Mapping[str, object], settings: Settings) -> None:
    """Raises SettingsError where there is no language model to judge, or nothing to compare."""
    if task_origin(settings, Judge) == "extractive":
        raise SettingsError(
            "--judge needs a language model: set OPENAI_API_KEY, or OPENAI_BASE_URL and DRIFT_LANGUAGE=openai"
        )
    if len(methods) < 2:
        raise SettingsError("--judge compares methods: name two, such as --method drift,vector")


def judge(
    rows: Rows, settings: Settings, output: Path, tell: Callable[[str], None], limits: Limits | None = None
) -> list[Share]:
    """The first method judged against each of the others; what `output` holds already is not asked again.

    A pair whose judgement fails is told and left out. Raises SettingsError without a language model, RunStopped and
    LimitReached.
    """
    check_judge(rows, settings)
    return run(_judge(rows, settings, output, tell, limits or Limits()))


async def _judge(
    rows: Rows, settings: Settings, output: Path, tell: Callable[[str], None], limits: Limits
) -> list[Share]:
    pairs, stored, meter = pairs_of(rows), kept(output), Meter(limits)
    version = [task_origin(settings, Judge), task_version(settings, Judge)]

    def key(task: Judge) -> str:
        return fingerprint("judgement", [version, task.model_dump(mode="json")])

    tasks = list(dict.fromkeys(task for pair in pairs for task in both_orders(pair)))
    due = [task for task in tasks if key(task) not in stored]
    async with open_language(settings, meter, Limiter(settings.concurrency)) as language:

        async def ask(task: Judge) -> None:
            made = await _judgement(language, task, tell)
            if made is not None:
                stored[key(task)] = made.model_dump(mode="json")
                write(output, stored)

        try:
            async with asyncio.TaskGroup() as group:
                for task in due:
                    group.create_task(ask(task))
        except BaseExceptionGroup as failures:
            # What one call meets stops them all, and is told alone.
            raise failures.exceptions[0] from None
    used = meter.usage
    tell(f"judged {len(pairs)} pairs in both orders: {used.calls} calls, {used.tokens:,} tokens")
    return shares(pairs, {task: stored[key(task)] for task in tasks if key(task) in stored}, next(iter(rows)))


async def _judgement(language: LanguageModel, task: Judge, tell: Callable[[str], None]) -> Judgement | None:
    try:
        return await language.perform(task)
    except BRANCH_FAILURES as error:
        tell(f"not judged, {json.dumps(task.question, ensure_ascii=False)}: {error}")
        return None


def pairs_of(rows: Rows) -> list[Pair]:
    """What is compared: each question that both methods answered, without its citations, or said not to be told."""
    first, *others = rows
    return [
        Pair(other, id, str(mine["question"]), _plain(mine["answer"]), _plain(rows[other][id]["answer"]))
        for other in others
        for id, mine in rows[first].items()
        if id in rows[other] and "error" not in mine and "error" not in rows[other][id]
    ]


def _plain(answer: Any) -> str:
    return keep_citations(str(answer), ())[0]


def both_orders(pair: Pair) -> tuple[Judge, Judge]:
    """The pair as it is judged: as it is, and swapped."""
    return (
        Judge(question=pair.question, first=pair.answer, second=pair.other),
        Judge(question=pair.question, first=pair.other, second=pair.answer),
    )


def shares(pairs: Sequence[Pair], judged: Mapping[Judge, Mapping[str, Any]], method: str) -> list[Share]:
    """For each other method and criterion the share that `method` wins, over the pairs judged in both orders."""
    found = []
    for other in dict.fromkeys(pair.than for pair in pairs):
        both = [both_orders(pair) for pair in pairs if pair.than == other]
        whole = [(judged[one], judged[two]) for one, two in both if one in judged and two in judged]
        for criterion in CRITERIA if whole else ():
            won = [(_WORTH[one[criterion]] + 1 - _WORTH[two[criterion]]) / 2 for one, two in whole]
            low, high = interval(won)
            found.append(Share(method, other, criterion, len(won), fmean(won), low, high))
    return found
