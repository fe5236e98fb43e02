"""Five `drift ask` at once: each answers as it does alone."""

import json
from typing import Any

import pytest

from drift_tests.cli.conftest import Drift

QUESTIONS = (
    "Who paid for the bridge of Merrin?",
    "When did Clara Whitcombe build the bridge?",
    "Whom did Amos Grant blame for the fall of the bridge?",
    "Into which river did the bridge fall?",
    "At what temperature does tungsten melt?",
)


def told(answer: Any) -> tuple[str, str, list[str]]:
    return answer["status"], answer["answer"], sorted(question["text"] for question in answer["questions"])


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_five_searches_in_five_processes_do_not_disturb_each_other(drift: Drift) -> None:
    drift.json("index", "corpus")
    alone = [told(drift.json("ask", question)) for question in QUESTIONS]

    processes = [drift.start("ask", question, "--json") for question in QUESTIONS]
    outputs = [process.communicate(timeout=400) for process in processes]

    assert [process.returncode for process in processes] == [0] * 5, [errors for _, errors in outputs]
    answers = [json.loads(output) for output, _ in outputs]
    assert [answer["question"] for answer in answers] == list(QUESTIONS)
    assert [told(answer) for answer in answers] == alone
    assert len({answer["search_id"] for answer in answers}) == 5
    assert {answer["status"] for answer in answers} == {"complete", "not_found"}
