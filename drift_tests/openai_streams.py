"""Answers of the local OpenAI server as a stream of events, whole or broken off in the middle."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drift_tests.openai_server import Server

# Characters in a piece.
PIECE = 7


def send(handler: BaseHTTPRequestHandler, server: Server, text: str, body: dict[str, Any], fault: str | None) -> None:
    """The answer `body`, whose text is sent in pieces first; a fault breaks it after half of them."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    broken = (fault or "").startswith("stream-")
    chat = body["object"] == "chat.completion"
    for number, piece in enumerate(pieces[: len(pieces) // 2] if broken else pieces):
        _event(handler, _delta(body, piece, chat=chat), number)
        server.pace_out()
    if broken:
        _break(handler, server, fault)
        return
    for event in _ends(body) if chat else [_end_of_response(body)]:
        _event(handler, event, len(pieces))
    if chat:
        _chunk(handler, b"data: [DONE]\n\n")
    _chunk(handler, b"")


def reset(handler: BaseHTTPRequestHandler) -> None:
    """The connection is reset: lingering for no time makes the close one."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def _break(handler: BaseHTTPRequestHandler, server: Server, fault: str | None) -> None:
    if fault == "stream-error":
        _event(handler, {"type": "error", "code": "server_error", "message": "scripted failure", "param": None}, 0)
    if fault == "stream-stall":
        server.hang()
    handler.close_connection = True
    if fault in ("stream-error", "stream-ends"):
        _chunk(handler, b"")
    else:
        reset(handler)


def _delta(body: dict[str, Any], piece: str, *, chat: bool) -> dict[str, Any]:
    if chat:
        return _part(body, [{"index": 0, "delta": {"content": piece}, "finish_reason": None, "logprobs": None}])
    place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    return {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}


def _part(body: dict[str, Any], choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {**{name: body[name] for name in ("id", "created", "model")}, "choices": choices} | {
        "object": "chat.completion.chunk"
    }


def _ends(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The end of a completion, then its usage in a part without choices."""
    for choice in body["choices"]:
        delta = {"refusal": choice["message"]["refusal"]}
        yield _part(body, [{"index": 0, "delta": delta, "finish_reason": choice["finish_reason"]}])
    if "usage" in body:
        yield {**_part(body, []), "usage": body["usage"]}


def _end_of_response(body: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"response.{body['status']}", "response": body}


def _event(handler: BaseHTTPRequestHandler, event: dict[str, Any], number: int) -> None:
    name = f"event: {event['type']}\n" if "type" in event else ""
    numbered = {**event, "sequence_number": number} if "type" in event else event
    _chunk(handler, f"{name}data: {json.dumps(numbered)}\n\n".encode())


def _chunk(handler: BaseHTTPRequestHandler, raw: bytes) -> None:
    handler.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
    handler.wfile.flush()
