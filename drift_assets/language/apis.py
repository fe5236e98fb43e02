"""The two forms of the OpenAI protocol: one request to the Responses API or to Chat Completions, one reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

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


async def ask_responses(client: AsyncOpenAI, ask: Ask) -> Reply:
    """One request to the Responses API; nothing is stored at the service. Raises the client's errors."""
    create: Any = client.responses.create
    form = {"type": "json_schema", "name": ask.name, "schema": dict(ask.schema), "strict": True}
    extra = {} if ask.effort == "none" else {"reasoning": {"effort": ask.effort}}
    answer = as_dict(
        await create(
            model=ask.model,
            instructions=ask.instructions,
            input=ask.messages(),
            text={"format": form},
            max_output_tokens=ask.max_output_tokens,
            store=False,
            **extra,
        )
    )
    parts = [part for item in _list(answer, "output") for part in _list(item, "content")]
    text = "".join(str(part.get("text") or "") for part in parts if part.get("type") == "output_text")
    refused = any(part.get("type") == "refusal" for part in parts)
    status = answer.get("status") or "completed"
    reason = _dict(answer, "incomplete_details").get("reason")
    code = str(_dict(answer, "error").get("code") or "")
    ending: Ending
    if status == "incomplete":
        ending = "filtered" if reason == "content_filter" else "cut"
    elif status != "completed":
        ending = "failed"
    else:
        ending = "refused" if refused else "whole"
    usage = _dict(answer, "usage")
    return Reply(text, ending, code, _tokens(usage, "input_tokens", "output_tokens", "input_tokens_details"))


async def ask_chat(client: AsyncOpenAI, ask: Ask) -> Reply:
    """One request to Chat Completions, as compatible services know it. Raises the client's errors."""
    create: Any = client.chat.completions.create
    extra: dict[str, Any] = {} if ask.effort == "none" else {"reasoning_effort": ask.effort}
    if ask.form == "json_schema":
        schema = {"name": ask.name, "schema": dict(ask.schema), "strict": True}
        extra["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif ask.form == "json_object":
        extra["response_format"] = {"type": "json_object"}
    answer = as_dict(
        await create(
            model=ask.model,
            messages=[{"role": "system", "content": ask.instructions}, *ask.messages()],
            max_completion_tokens=ask.max_output_tokens,
            **extra,
        )
    )
    choice = next(iter(_list(answer, "choices")), {})
    message = _dict(choice, "message")
    endings: dict[Any, Ending] = {"length": "cut", "content_filter": "filtered"}
    ending = endings.get(choice.get("finish_reason"), "refused" if message.get("refusal") else "whole")
    # Some services report an upstream failure in an answer of status 200 without choices.
    code = str(_dict(answer, "error").get("code") or "")
    usage = _dict(answer, "usage")
    tokens = _tokens(usage, "prompt_tokens", "completion_tokens", "prompt_tokens_details")
    return Reply(_content(message), ending if choice else "failed", code, tokens)


def _content(message: dict[str, Any]) -> str:
    """The text of a message, whose content is a text or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in _list(message, "content") if part.get("type") == "text")


def as_dict(answer: Any) -> dict[str, Any]:
    """The client's answer as plain JSON. Raises ValueError for one that is no JSON object, such as a web page."""
    if not hasattr(answer, "to_dict"):
        raise ValueError("the answer is no JSON object")
    return dict(answer.to_dict(warnings=False))


def whole_number(value: Any) -> int:
    """`value` as a count: what is no number of at least 0 counts as 0."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0


def _tokens(usage: dict[str, Any], given: str, made: str, details: str) -> Tokens | None:
    read = whole_number(usage.get(given))
    if read == 0:
        return None
    cached = min(read, whole_number(_dict(usage, details).get("cached_tokens")))
    return Tokens(read, cached, whole_number(usage.get(made)))


def _dict(value: dict[str, Any], name: str) -> dict[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def _list(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    inner = value.get(name)
    return [item for item in inner if isinstance(item, dict)] if isinstance(inner, list) else []
