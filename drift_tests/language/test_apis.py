"""One request and one reply in either form of the protocol, as the server sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace

import pytest

from drift_assets.language.apis import Ask, Reply, Tokens, ask_chat, ask_responses, whole_number
from drift_assets.language.service import open_client
from drift_tests.openai_server import Server, openai_server

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
ASK = Ask(
    model="gpt-x",
    instructions="Rules.",
    turns=("First?",),
    name="summarise",
    schema=SCHEMA,
    effort="low",
    max_output_tokens=777,
)
Send = Callable[..., Awaitable[Reply]]
both = pytest.mark.parametrize("send", [ask_responses, ask_chat])


@pytest.fixture
def server() -> Iterator[Server]:
    with openai_server() as server:
        server.answer("summarise", lambda request: {"summary": "done"})
        yield server


def reply_to(server: Server, send: Send, ask: Ask = ASK) -> Reply:
    async def main() -> Reply:
        async with open_client(server.settings()) as client:
            return await send(client, ask)

    return asyncio.run(main())


def test_the_responses_api_gets_rules_first_a_strict_schema_and_nothing_to_store(server: Server) -> None:
    reply_to(server, ask_responses)
    assert server.requests[0].path == "/v1/responses"
    assert server.requests[0].body == {
        "model": "gpt-x",
        "instructions": "Rules.",
        "input": [{"role": "user", "content": "First?"}],
        "text": {"format": {"type": "json_schema", "name": "summarise", "schema": SCHEMA, "strict": True}},
        "reasoning": {"effort": "low"},
        "max_output_tokens": 777,
        "store": False,
    }


def test_chat_gets_the_same_as_messages(server: Server) -> None:
    reply_to(server, ask_chat)
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].body == {
        "model": "gpt-x",
        "messages": [{"role": "system", "content": "Rules."}, {"role": "user", "content": "First?"}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "summarise", "schema": SCHEMA, "strict": True},
        },
        "reasoning_effort": "low",
        "max_completion_tokens": 777,
    }


@both
def test_no_effort_sends_no_such_parameter(server: Server, send: Send) -> None:
    reply_to(server, send, replace(ASK, effort="none"))
    assert not {"reasoning", "reasoning_effort"} & set(server.requests[0].body)


@both
def test_further_turns_alternate_between_user_and_model(server: Server, send: Send) -> None:
    reply_to(server, send, replace(ASK, turns=("First?", "Bad.", "Again!")))
    assert server.requests[0].turns == ["First?", "Bad.", "Again!"]
    roles = [turn["role"] for turn in server.requests[0].body.get("messages") or server.requests[0].body["input"]]
    assert roles[-3:] == ["user", "assistant", "user"]


@both
@pytest.mark.parametrize(
    ("fault", "ending"), [("truncated", "cut"), ("filtered", "filtered"), ("refusal", "refused"), ("failed", "failed")]
)
def test_an_answer_that_is_not_whole_says_how_it_ended(server: Server, send: Send, fault: str, ending: str) -> None:
    server.fail(1, fault)
    reply = reply_to(server, send)
    assert reply.ending == ending
    assert reply.tokens is not None
    assert reply.text != '{"summary": "done"}' or fault == "failed"


@both
def test_a_whole_answer_comes_with_its_text_and_tokens(server: Server, send: Send) -> None:
    assert reply_to(server, send) == Reply('{"summary": "done"}', "whole", "", Tokens(input=4, cached=2, output=5))


@both
def test_odd_figures_are_taken_for_what_they_can_mean(server: Server, send: Send) -> None:
    server.fail(1, "odd-usage")
    server.fail(2, "no-usage")
    odd = reply_to(server, send).tokens
    assert odd is not None
    assert (odd.input, odd.output) == (10, 0)
    assert 0 <= odd.cached <= odd.input
    assert reply_to(server, send).tokens is None


def test_a_count_is_a_number_above_nothing() -> None:
    assert [whole_number(value) for value in (7, 7.9, 0, -1, None, "7", True, [])] == [7, 7, 0, 0, 0, 0, 0, 0]


def test_a_message_in_parts_is_put_together(server: Server) -> None:
    server.fail(1, "in-parts")
    assert reply_to(server, ask_chat).text == '{"summary": "done"}'
