"""The two forms of the OpenAI protocol: one request to the Responses API or to Chat Completions, one reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from drift_assets.language.events import whole_completion, whole_response
from drift_assets.language.streaming import Listener
from drift_assets.language.wire import as_dict, content_of, items, part, whole_number

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Ending = Literal["whole", "cut", "filtered", "refused", "failed"]
# How the form of the answer is asked for; the weaker ones are for services that know no schemas.
Form = Literal["json_schema", "json_object", "text"]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request; `turns` alternate user and assistant, the user first and last."""

    model: str
    instructions: str
    turns: tuple[str, ...]
    name: str
    schema: Mapping[str, Any]
    effort: str
    max_output_tokens: int
    form: Form = "json_schema"

    def messages(self) -> list[dict[str, str]]:
        """The turns as the protocol has them."""
        return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(self.turns)]


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the service counted; `input` includes `cached`."""

    input: int
    cached: int
    output: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the text, how it ended, a failure's code, and tokens where the service counted them."""

    text: str
    ending: Ending
    code: str
    tokens: Tokens | None


async def ask_responses(client: AsyncOpenAI, ask: Ask, hear: Listener | None = None) -> Reply:
    """One request to the Responses API; nothing is stored at the service. Raises the client's errors.

    With `hear` the answer is streamed; raises NotStreamed when the service did not stream a whole one.
    """
    create: Any = client.responses.create
    form = {"type": "json_schema", "name": ask.name, "schema": dict(ask.schema), "strict": True}
    extra: dict[str, Any] = {} if ask.effort == "none" else {"reasoning": {"effort": ask.effort}}
    answered = await create(
        model=ask.model,
        instructions=ask.instructions,
        input=ask.messages(),
        text={"format": form},
        max_output_tokens=ask.max_output_tokens,
        store=False,
        **extra,
        **({} if hear is None else {"stream": True}),
    )
    answer = as_dict(answered) if hear is None else await whole_response(answered, hear)
    return _of_response(answer)


async def ask_chat(client: AsyncOpenAI, ask: Ask, hear: Listener | None = None) -> Reply:
    """One request to Chat Completions, as compatible services know it. As `ask_responses`."""
    create: Any = client.chat.completions.create
    extra: dict[str, Any] = {} if ask.effort == "none" else {"reasoning_effort": ask.effort}
    if ask.form == "json_schema":
        schema = {"name": ask.name, "schema": dict(ask.schema), "strict": True}
        extra["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif ask.form == "json_object":
        extra["response_format"] = {"type": "json_object"}
    if hear is not None:
        extra |= {"stream": True, "stream_options": {"include_usage": True}}
    answered = await create(
        model=ask.model,
        messages=[{"role": "system", "content": ask.instructions}, *ask.messages()],
        max_completion_tokens=ask.max_output_tokens,
        **extra,
    )
    answer = as_dict(answered) if hear is None else await whole_completion(answered, hear)
    return _of_completion(answer)


def _of_response(answer: dict[str, Any]) -> Reply:
    parts = [one for item in items(answer, "output") for one in items(item, "content")]
    text = "".join(str(one.get("text") or "") for one in parts if one.get("type") == "output_text")
    refused = any(one.get("type") == "refusal" for one in parts)
    status = answer.get("status") or "completed"
    reason = part(answer, "incomplete_details").get("reason")
    code = str(part(answer, "error").get("code") or "")
    ending: Ending
    if status == "incomplete":
        ending = "filtered" if reason == "content_filter" else "cut"
    elif status != "completed":
        ending = "failed"
    else:
        ending = "refused" if refused else "whole"
    usage = part(answer, "usage")
    return Reply(text, ending, code, _tokens(usage, "input_tokens", "output_tokens", "input_tokens_details"))


def _of_completion(answer: dict[str, Any]) -> Reply:
    choice = next(iter(items(answer, "choices")), {})
    message = part(choice, "message")
    endings: dict[Any, Ending] = {"length": "cut", "content_filter": "filtered"}
    ending = endings.get(choice.get("finish_reason"), "refused" if message.get("refusal") else "whole")
    # Some services report an upstream failure in an answer of status 200 without choices.
    code = str(part(answer, "error").get("code") or "")
    usage = part(answer, "usage")
    tokens = _tokens(usage, "prompt_tokens", "completion_tokens", "prompt_tokens_details")
    return Reply(content_of(message), ending if choice else "failed", code, tokens)


def _tokens(usage: dict[str, Any], given: str, made: str, details: str) -> Tokens | None:
    read = whole_number(usage.get(given))
    if read == 0:
        return None
    cached = min(read, whole_number(part(usage, details).get("cached_tokens")))
    return Tokens(read, cached, whole_number(usage.get(made)))
