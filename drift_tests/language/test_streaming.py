"""An answer is heard while it is written, as it will then stand, and nothing of it when it is void."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator

import pytest

from drift_assets.errors import CallTooLong, CallUnavailable
from drift_assets.language.calls import Limiter, Patience
from drift_assets.language.openai import OpenAILanguageModel
from drift_assets.language.service import open_client
from drift_assets.language.streaming import aloud, field_so_far, heard_by, hearing
from drift_assets.language.tasks import FinalAnswer, IntermediateAnswer, Reduce
from drift_assets.language.usage import Meter
from drift_tests.openai_server import Server, openai_server

QUICK = Patience(attempts=3, timeout=2, first=0.001, longest=0.01)
TASK = Reduce(
    question="Who keeps the lamp?",
    answers=(IntermediateAnswer(question="Who?", answer="Ada keeps the lamp [1].", score=80),),
    response_type="one sentence",
)
TEXT = 'Ada, “the keeper”,\nsaid: "I keep it" \\ 😀 [1].'
apis = pytest.mark.parametrize("api", ["responses", "chat"])


@pytest.fixture
def server() -> Iterator[Server]:
    with openai_server(stall=5) as running:
        running.answer("reduce", lambda request: {"answer": TEXT, "found": True})
        yield running


def perform(server: Server, meter: Meter, *, patience: Patience = QUICK, **settings: str) -> tuple[object, list[str]]:
    """The output or the error of the task, and what was heard of it."""
    heard: list[str] = []

    async def main() -> FinalAnswer:
        chosen = server.settings(**settings)
        async with open_client(chosen) as client:
            model = OpenAILanguageModel(chosen, client=client, meter=meter, limiter=Limiter(1), patience=patience)
            with heard_by(heard.append), aloud("answer"):
                return await model.perform(TASK)

    try:
        return asyncio.run(main()), heard
    except (CallTooLong, CallUnavailable) as error:
        return error, heard


@pytest.mark.parametrize("ascii", [True, False])
def test_the_text_of_a_field_grows_as_its_json_does(ascii: bool) -> None:
    made = {"found": True, "inner": {"answer": "no"}, "said": 'a "quoted" {', "answer": TEXT, "after": "x"}
    raw = json.dumps(made, ensure_ascii=ascii)
    seen = [field_so_far(raw[:length], "answer") for length in range(len(raw) + 1)]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(seen))
    assert seen[-1] == TEXT
    assert len(set(seen)) > 20


@pytest.mark.parametrize(
    "raw", ["", "Sure, here", '<think>{"answer": "no"', '{"found": tr', '{"answer"', '{"answer": null', '["answer"']
)
def test_before_the_field_begins_there_is_nothing_to_hear(raw: str) -> None:
    assert field_so_far(raw, "answer") == ""


def test_words_and_thoughts_before_the_object_are_not_heard() -> None:
    assert field_so_far('<think>{"answer": "no"}</think>Here:\n```json\n{"answer": "yes', "answer") == "yes"


def test_nobody_hears_what_is_not_said_aloud_or_has_no_listener() -> None:
    with aloud("answer"):
        assert hearing() is None
    with heard_by(print):
        assert hearing() is None
    assert hearing() is None


@apis
def test_an_answer_is_heard_piece_by_piece_and_counted_as_one_that_comes_whole(server: Server, api: str) -> None:
    server.pace = 0.06
    streamed, whole = Meter(), Meter()
    output, heard = perform(server, streamed, api=api)
    assert output == FinalAnswer(answer=TEXT, found=True)
    assert heard[0] == ""
    assert len(set(heard)) > 3
    assert all(TEXT.startswith(text) for text in heard)
    assert server.requests[0].body["stream"] is True

    async def unheard() -> FinalAnswer:
        settings = server.settings(api=api)
        async with open_client(settings) as client:
            model = OpenAILanguageModel(settings, client=client, meter=whole, limiter=Limiter(1))
            return await model.perform(TASK)

    assert asyncio.run(unheard()) == output
    assert "stream" not in server.requests[1].body
    for name in ("language_calls", "input_tokens", "cached_tokens", "output_tokens"):
        assert getattr(streamed.usage, name) == getattr(whole.usage, name)


@apis
@pytest.mark.parametrize("fault", ["stream-reset", "stream-error", "stream-stall", "500", "failed", "reset"])
def test_a_stream_that_breaks_off_is_void_and_begun_anew(server: Server, api: str, fault: str) -> None:
    server.fail(1, fault)
    output, heard = perform(server, Meter(), api=api, patience=Patience(attempts=2, timeout=0.5, first=0.001))
    assert output == FinalAnswer(answer=TEXT, found=True)
    assert len(server.requests) == 2
    assert heard.count("") >= 2
    assert all(TEXT.startswith(text) for text in heard)


@apis
@pytest.mark.parametrize("fault", ["stream-refused", "stream-ignored", "stream-ends"])
def test_a_service_that_does_not_stream_is_asked_for_one_piece(server: Server, api: str, fault: str) -> None:
    server.fail_all(fault)
    meter = Meter()
    output, heard = perform(server, meter, api=api)
    assert output == FinalAnswer(answer=TEXT, found=True)
    assert ["stream" in request.body for request in server.requests] == [True, False]
    assert meter.usage.language_calls == 2
    assert heard[0] == ""


@apis
@pytest.mark.parametrize("fault", ["prose", "missing-keys", "fenced", "broken-json"])
def test_an_answer_of_another_form_is_read_as_one_that_comes_whole(server: Server, api: str, fault: str) -> None:
    server.fail(1, fault)
    output, heard = perform(server, Meter(), api=api)
    assert output == FinalAnswer(answer=TEXT, found=True)
    assert all(TEXT.startswith(text) for text in heard)


@apis
def test_a_truncated_stream_is_no_answer(server: Server, api: str) -> None:
    server.fail_all("truncated")
    output, _ = perform(server, Meter(), api=api)
    assert isinstance(output, CallTooLong)
    assert len(server.requests) == 1


@apis
def test_where_the_service_breaks_every_stream_the_failure_is_told(server: Server, api: str) -> None:
    server.fail_all("stream-reset")
    output, _ = perform(server, Meter(), api=api)
    assert isinstance(output, CallUnavailable)
    assert len(server.requests) == QUICK.attempts
