"""Streamed answers: the events of a request put together to what it would have brought in one piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drift_assets.language.streaming import Listener
from drift_assets.language.wire import as_dict, content_of, items, part

if TYPE_CHECKING:
    from openai import APIError

_ENDS = ("response.completed", "response.incomplete", "response.failed")


class NotStreamed(ValueError):
    """The service sent no stream, or one that ends before the answer has ended."""


async def whole_response(events: Any, hear: Listener) -> dict[str, Any]:
    """The response that the events end with; `hear` is given the text so far with each piece.

    Raises NotStreamed and the client's errors.
    """
    from openai import APIError

    text = ""
    try:
        async with events:
            async for event in events:
                told = as_dict(event)
                kind = told.get("type")
                if kind == "response.output_text.delta":
                    text += str(told.get("delta") or "")
                    hear(text)
                elif kind in _ENDS:
                    return _with_output(part(told, "response"), text)
                elif kind == "error":
                    return _failed(told)
    except APIError as error:
        return _failed(_fields(error))
    raise NotStreamed


async def whole_completion(events: Any, hear: Listener) -> dict[str, Any]:
    """The completion that the events amount to; as `whole_response`."""
    from openai import APIError

    text, refusal, reason = "", "", None
    usage: dict[str, Any] = {}
    try:
        async with events:
            async for event in events:
                told = as_dict(event)
                usage = part(told, "usage") or usage
                for choice in items(told, "choices")[:1]:
                    delta = part(choice, "delta")
                    refusal += str(delta.get("refusal") or "")
                    reason = choice.get("finish_reason") or reason
                    if piece := content_of(delta):
                        text += piece
                        hear(text)
    except APIError as error:
        return _failed(_fields(error))
    if reason is None:
        raise NotStreamed
    message = {"content": text, "refusal": refusal or None}
    return {"choices": [{"message": message, "finish_reason": reason}], "usage": usage}


def _with_output(response: dict[str, Any], text: str) -> dict[str, Any]:
    """Some services leave the output out of the last event, since it was sent before."""
    if items(response, "output") or not text:
        return response
    return {**response, "output": [{"content": [{"type": "output_text", "text": text}]}]}


def _failed(fields: dict[str, Any]) -> dict[str, Any]:
    """As a failure is told in one piece: in the answer's status, or by having no choices."""
    return {"status": "failed", "error": {"code": fields.get("code") or fields.get("type") or "server_error"}}


def _fields(error: APIError) -> dict[str, Any]:
    """What an error inside a stream says; one of the connection, or with a status, goes on as it is."""
    if type(error).__name__ != "APIError":
        raise error
    return dict(error.body) if isinstance(error.body, dict) else {}
