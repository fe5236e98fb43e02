"""The OpenAI language model, by the official client, against a real server on loopback."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from drift_assets.errors import CallError, CallTooLong, CallUnavailable, ItemFailed, LimitReached, RunStopped
from drift_assets.language.apis import Ask, Reply, Tokens
from drift_assets.language.calls import Limiter, Patience
from drift_assets.language.openai import OpenAILanguageModel, model_version, task_model, usage_of
from drift_assets.language.prompts import load_template
from drift_assets.language.service import open_client
from drift_assets.language.tasks import (
    Answer,
    Extract,
    Hyde,
    Output,
    Prime,
    Reduce,
    Report,
    ScoredAnswer,
    Summarise,
    Summary,
    Task,
)
from drift_assets.language.usage import Limits, Meter
from drift_assets.settings import load_settings
from drift_tests.language.samples import SAMPLES
from drift_tests.openai_server import Server, openai_server

QUICK = Patience(attempts=3, timeout=2, first=0.001, longest=0.01)
SUMMARISE = Summarise(subject="ADA", descriptions=("She keeps the lamp.",))
HYDE = Hyde(question="Who keeps the lamp?", template="T")
PRIME = next(task for task in SAMPLES if isinstance(task, Prime))
EXTRACT = next(task for task in SAMPLES if isinstance(task, Extract))

apis = pytest.mark.parametrize("api", ["responses", "chat"])


@dataclass
class Bench:
    """A server, and the model that talks to it."""

    server: Server
    meter: Meter

    def perform(self, *tasks: Task[Any], patience: Patience = QUICK, slots: int = 8, **settings: Any) -> list[Any]:
        """The output or error of each task, all performed at once by one model."""

        async def main() -> list[Any]:
            chosen = self.server.settings(**settings)
            async with open_client(chosen) as client:
                model = OpenAILanguageModel(
                    chosen, client=client, meter=self.meter, limiter=Limiter(slots), patience=patience
                )
                return await asyncio.gather(*map(model.perform, tasks), return_exceptions=True)

        return asyncio.run(main())

    def error(self, task: Task[Any], **settings: Any) -> CallError:
        """The error that the task ends with."""
        (error,) = self.perform(task, **settings)
        assert isinstance(error, CallError), error
        return error


@pytest.fixture
def bench() -> Iterator[Bench]:
    with openai_server(stall=5) as server:
        yield Bench(server, Meter())


@apis
@pytest.mark.parametrize("task", SAMPLES, ids=lambda task: task.name())
def test_every_task_is_performed_by_one_call(bench: Bench, api: str, task: Task[Any]) -> None:
    (output,) = bench.perform(task, api=api)
    assert type(output) is task.output
    assert bench.meter.usage.language_calls == len(bench.server.requests) == 1
    assert bench.server.requests[0].instructions == load_template(type(task)).instructions


def test_the_part_that_never_changes_stands_first_and_is_the_same_in_every_call(bench: Bench) -> None:
    other = Extract(text="Another passage.", types=("SHIP",))
    bench.perform(EXTRACT, other)
    first, second = bench.server.requests
    assert first.instructions == second.instructions
    assert first.input != second.input


def test_the_types_of_entities_are_bound_by_the_schema_that_is_sent(bench: Bench) -> None:
    bench.perform(EXTRACT)
    schema = bench.server.requests[0].body["text"]["format"]["schema"]
    assert schema["properties"]["entities"]["items"]["properties"]["type"]["enum"] == ["PERSON", "LOCATION", ""]


def test_each_role_has_the_model_that_the_settings_give_it(bench: Bench) -> None:
    bench.perform(*SAMPLES, model="m", index_model="i", search_model="s")
    asked = {request.task: request.body["model"] for request in bench.server.requests}
    assert asked == dict.fromkeys(("extract", "glean", "resolve", "summarise", "report"), "i") | dict.fromkeys(
        ("rephrase", "hyde", "prime", "answer", "refine", "reduce", "support", "judge"), "s"
    )


# Wait ------------------------------------------------------------------------------------------------------------


@apis
@pytest.mark.parametrize(
    "fault",
    ["429", "429-ms", "408", "409", "500", "503", "reset", "cut-off", "web-page", "broken-body", "failed"],
)
def test_what_fails_for_the_time_being_is_asked_again_alike(bench: Bench, api: str, fault: str) -> None:
    bench.server.fail(1, fault)
    (output,) = bench.perform(SUMMARISE, api=api)
    assert isinstance(output, Summary)
    first, second = bench.server.requests
    assert first.body == second.body
    assert bench.meter.usage.language_calls == 2


@apis
def test_a_call_that_stalls_is_given_up_and_tried_again(bench: Bench, api: str) -> None:
    bench.server.fail(1, "stall")
    (output,) = bench.perform(SUMMARISE, api=api, patience=Patience(attempts=2, timeout=0.2, first=0.001))
    assert isinstance(output, Summary)
    assert len(bench.server.requests) == 2


@pytest.mark.parametrize("fault", ["429-seconds", "429-date"])
def test_retry_after_holds_back_all_callers_for_as_long_as_it_says(bench: Bench, fault: str) -> None:
    bench.server.fail(1, fault)
    outputs = bench.perform(SUMMARISE, HYDE, slots=1)
    assert all(isinstance(output, Output) for output in outputs)
    times = [request.at for request in bench.server.requests]
    assert len(times) == 3
    assert times[1] - times[0] > 0.9


def test_the_last_failure_is_told_when_the_tries_are_used_up(bench: Bench) -> None:
    bench.server.fail_all("503")
    error = bench.error(SUMMARISE)
    assert isinstance(error, CallUnavailable)
    assert "503" in str(error)
    assert len(bench.server.requests) == QUICK.attempts


def test_a_server_that_is_not_there_is_named_by_its_setting(bench: Bench) -> None:
    error = bench.error(SUMMARISE, openai_base_url="http://127.0.0.1:9/v1")
    assert isinstance(error, CallUnavailable)
    assert "OPENAI_BASE_URL" in str(error)


# Split, fail this item, stop the run -----------------------------------------------------------------------------


@apis
@pytest.mark.parametrize("fault", ["truncated", "400-too-long", "413"])
def test_what_is_too_long_is_never_asked_again_alike(bench: Bench, api: str, fault: str) -> None:
    bench.server.fail_all(fault)
    assert isinstance(bench.error(SUMMARISE, api=api), CallTooLong)
    assert len(bench.server.requests) == 1


@apis
@pytest.mark.parametrize("fault", ["refusal", "filtered", "400-filtered"])
def test_a_refusal_fails_its_item_at_once(bench: Bench, api: str, fault: str) -> None:
    bench.server.fail_all(fault)
    assert isinstance(bench.error(SUMMARISE, api=api), ItemFailed)
    assert len(bench.server.requests) == 1


@pytest.mark.parametrize("fault", ["400", "422"])
def test_a_request_that_the_service_rejects_fails_its_item(bench: Bench, fault: str) -> None:
    bench.server.fail_all(fault)
    assert isinstance(bench.error(SUMMARISE), ItemFailed)
    assert len(bench.server.requests) == 1


@apis
@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        ("401", "OPENAI_API_KEY"),
        ("403", "the key's rights"),
        ("404", "DRIFT_MODEL"),
        ("insufficient_quota", "add credit"),
        ("400-effort", "DRIFT_EFFORT"),
    ],
)
def test_what_no_call_can_mend_stops_the_run_and_says_what_to_do(
    bench: Bench, api: str, fault: str, remedy: str
) -> None:
    bench.server.fail_all(fault)
    error = bench.error(SUMMARISE, api=api)
    assert isinstance(error, RunStopped)
    assert remedy in str(error)
    assert len(bench.server.requests) == 1


@pytest.mark.parametrize("fault", ["401", "400", "500"])
def test_no_traceback_holds_the_key(bench: Bench, fault: str) -> None:
    bench.server.fail_all(fault)
    shown = "".join(traceback.format_exception(bench.error(SUMMARISE)))
    assert "test-key" not in shown
    assert "0123456789" not in shown


# What the model says ---------------------------------------------------------------------------------------------


@apis
@pytest.mark.parametrize("fault", ["prose", "empty", "missing-keys"])
def test_an_invalid_answer_is_asked_for_once_more_with_what_was_wrong(bench: Bench, api: str, fault: str) -> None:
    bench.server.fail(1, fault)
    (output,) = bench.perform(PRIME, api=api)
    assert isinstance(output, ScoredAnswer)
    first, second = bench.server.requests
    assert second.turns[0] == first.input
    assert "That answer cannot be used: " in second.turns[-1]
    assert len(second.turns) == 3
    assert second.turns[1]
    usage = bench.meter.usage
    assert (usage.language_calls, usage.asked_again, usage.repaired) == (2, 1, 0)


@apis
def test_an_answer_that_stays_invalid_fails_its_item_after_two_calls(bench: Bench, api: str) -> None:
    bench.server.fail_all("missing-keys")
    error = bench.error(PRIME, api=api)
    assert isinstance(error, ItemFailed)
    assert "answer: Field required" in str(error)
    assert len(bench.server.requests) == 2
    assert bench.meter.usage.input_tokens > 0
    assert (bench.meter.usage.asked_again, bench.meter.usage.unparsed) == (1, 1)


def test_the_first_answers_that_are_of_another_form_are_told_with_what_they_are_about(bench: Bench) -> None:
    for number, fault in enumerate(["broken-json", "missing-keys", "missing-keys"], start=1):
        bench.server.fail(number, fault)
    bench.perform(SUMMARISE, slots=1)
    assert isinstance(bench.error(EXTRACT.model_copy(update={"text": "Ada  keeps\nthe lamp. " * 9})), ItemFailed)
    text = "Ada keeps the lamp. Ada keeps the lamp. Ada keeps the lamp. Ada keeps the lamp. "
    repaired, again, up = bench.meter.flawed
    assert repaired == "summarise of ADA: repaired"
    assert again.startswith(f"extract of {text}…: asked again, since entities: Field required")
    assert up.startswith(f"extract of {text}…: given up, since entities: Field required")
    for _ in range(20):
        bench.meter.flaw("repaired", "another")
    assert len(bench.meter.flawed) == 10
    assert bench.meter.usage.repaired == 21


@apis
@pytest.mark.parametrize(("fault", "repaired"), [("broken-json", 1), ("fenced", 0)])
def test_an_answer_that_can_be_repaired_costs_no_second_call(bench: Bench, api: str, fault: str, repaired: int) -> None:
    (whole,) = bench.perform(PRIME, api=api)
    bench.server.fail(1, fault)
    assert bench.perform(PRIME, api=api) == [whole]
    assert len(bench.server.requests) == 2
    assert bench.meter.usage.repaired == repaired


@pytest.mark.parametrize(("fault", "score"), [("score-percent", 85), ("score-850", 100), ("score-null", 0)])
def test_an_odd_score_is_read_for_what_it_means(bench: Bench, fault: str, score: float) -> None:
    bench.server.fail(1, fault)
    (output,) = bench.perform(PRIME)
    assert output.score == score


# Chat services without schemas -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "forms"),
    [("json-only", ["json_schema", "json_object"]), ("no-schema", ["json_schema", "json_object", None])],
)
def test_chat_takes_the_first_form_that_the_service_knows_and_keeps_it(
    bench: Bench, fault: str, forms: list[str | None]
) -> None:
    bench.server.fail_all(fault)

    async def main() -> list[Output]:
        settings = bench.server.settings(api="chat")
        async with open_client(settings) as client:
            model = OpenAILanguageModel(settings, client=client, meter=bench.meter, limiter=Limiter(1), patience=QUICK)
            return [await model.perform(SUMMARISE), await model.perform(HYDE)]

    assert all(isinstance(output, Output) for output in asyncio.run(main()))
    asked = [(request.body.get("response_format") or {}).get("type") for request in bench.server.requests]
    assert asked == [*forms, forms[-1]]
    assert bench.meter.usage.language_calls == len(asked)


def test_a_request_rejected_in_every_form_fails_its_item_and_settles_no_form(bench: Bench) -> None:
    bench.server.fail_all("400", on="summarise")
    failed, output = bench.perform(SUMMARISE, HYDE, api="chat", slots=1)
    assert isinstance(failed, ItemFailed)
    assert isinstance(output, Output)


# Usage and limits ------------------------------------------------------------------------------------------------


@apis
def test_every_answers_tokens_are_counted_also_of_those_that_bring_no_result(bench: Bench, api: str) -> None:
    bench.perform(PRIME, api=api)
    one = bench.meter.usage.input_tokens
    assert 0 < bench.meter.usage.cached_tokens < one
    bench.server.fail_all("refusal")
    bench.perform(PRIME, api=api)
    assert bench.meter.usage.input_tokens == 2 * one


@apis
def test_where_the_service_counts_nothing_our_own_count_stands_in(bench: Bench, api: str) -> None:
    bench.server.fail_all("no-usage")
    bench.perform(SUMMARISE, api=api)
    usage = bench.meter.usage
    assert usage.input_tokens > 200
    assert usage.output_tokens > 0
    assert usage.cost_usd is None


def test_the_cost_of_a_local_service_is_unknown_not_nothing(bench: Bench) -> None:
    bench.perform(SUMMARISE)
    assert bench.meter.usage.cost_usd is None


def test_the_cost_of_an_answer_is_that_of_its_tokens() -> None:
    ask = Ask("gpt-5-mini", "Rules.", ("Hi",), "hyde", {}, "low", 99)
    usage = usage_of(ask, Reply("x", "whole", "", Tokens(1000, 400, 50)), base_url=None)
    assert usage.cost_usd is not None
    assert usage.cost_usd > 0
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.calls) == (1000, 400, 50, 0)
    assert usage_of(ask, Reply("x", "whole", "", None), base_url=None).cost_usd is None


def test_a_limit_on_calls_stops_before_the_call(bench: Bench) -> None:
    bench.meter.limits = Limits(calls=2)
    results = bench.perform(*[SUMMARISE] * 5)
    assert len(bench.server.requests) == 2
    assert sum(isinstance(result, LimitReached) for result in results) == 3


def test_calls_never_exceed_the_limit_at_once_and_use_it_up(bench: Bench) -> None:
    bench.server.latency = 0.05
    bench.perform(*[SUMMARISE] * 12, slots=4)
    assert bench.server.most_at_once == 4


# Names -----------------------------------------------------------------------------------------------------------


def test_origin_and_version_name_the_model_of_the_role() -> None:
    settings = load_settings(openai_api_key="k", index_model="i", search_model="s")
    model = OpenAILanguageModel(settings, client=open_client(settings), meter=Meter(), limiter=Limiter(1))
    assert [model.origin(kind) for kind in (Extract, Answer)] == ["openai:i", "openai:s"]
    assert model.version(Report) == model_version(settings, Report)
    assert task_model(load_settings(), Reduce) == "gpt-5-mini"


@pytest.mark.parametrize(
    "change", [{"model": "other"}, {"index_model": "other"}, {"effort": "high"}], ids=lambda change: next(iter(change))
)
def test_the_version_changes_with_what_changes_the_output(change: dict[str, str]) -> None:
    assert model_version(load_settings(), Extract) != model_version(load_settings(**change), Extract)


@pytest.mark.parametrize(
    "change",
    [
        {"search_model": "other"},
        {"api": "chat"},
        {"openai_base_url": "http://localhost/v1"},
        {"openai_api_key": "k"},
        {"concurrency": 2},
        {"call_timeout": 9},
        {"max_output_tokens": 999},
        {"embedding_model": "other"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_version_does_not_change_with_what_does_not(change: dict[str, Any]) -> None:
    assert model_version(load_settings(), Extract) == model_version(load_settings(**change), Extract)


def test_tasks_have_versions_of_their_own() -> None:
    assert len({model_version(load_settings(), type(task)) for task in SAMPLES}) == len(SAMPLES)
