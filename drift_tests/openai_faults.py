"""How the local OpenAI server replies: well, or wrong in one of the ways that services go wrong."""

from __future__ import annotations

import base64
import email.utils
import json
import re
import struct
import time
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from drift_tests import openai_streams as streams

if TYPE_CHECKING:
    from drift_tests.openai_server import Request, Server

# Status, code, type, parameter, headers.
_ERRORS: dict[str, tuple[int, Any, str, str | None, dict[str, str]]] = {
    "429": (429, "rate_limit_exceeded", "requests", None, {}),
    "429-seconds": (429, "rate_limit_exceeded", "requests", None, {"Retry-After": "1"}),
    "429-ms": (429, "rate_limit_exceeded", "tokens", None, {"retry-after-ms": "200"}),
    "429-date": (429, "rate_limit_exceeded", "requests", None, {"Retry-After": "date"}),
    "insufficient_quota": (429, "insufficient_quota", "insufficient_quota", None, {}),
    "400": (400, None, "invalid_request_error", None, {}),
    "400-too-long": (400, "context_length_exceeded", "invalid_request_error", "input", {}),
    "400-filtered": (400, "content_filter", "invalid_request_error", "input", {}),
    "400-effort": (400, "unsupported_value", "invalid_request_error", "reasoning.effort", {}),
    "401": (401, "invalid_api_key", "invalid_request_error", None, {}),
    "403": (403, "unsupported_country_region_territory", "request_forbidden", None, {}),
    "404": (404, "model_not_found", "invalid_request_error", None, {}),
    "408": (408, None, "timeout", None, {}),
    "409": (409, None, "conflict", None, {}),
    "413": (413, None, "invalid_request_error", None, {}),
    "422": (422, None, "invalid_request_error", None, {}),
    "500": (500, None, "server_error", None, {}),
    "503": (503, None, "overloaded_error", None, {}),
    "stream-refused": (400, "unsupported_value", "invalid_request_error", "stream", {}),
}
_WIRE = ("stall", "reset", "cut-off", "web-page", "broken-body")
_ANSWERS = (
    "truncated",
    "refusal",
    "filtered",
    "failed",
    "empty",
    "prose",
    "fenced",
    "broken-json",
    "missing-keys",
    "odd-usage",
    "no-usage",
    "score-percent",
    "score-850",
    "score-null",
    "in-parts",
    "no-schema",
    "json-only",
)
# Of streamed answers alone; what is asked for in one piece is answered well.
_STREAMS = ("stream-refused", "stream-ignored", "stream-reset", "stream-ends", "stream-stall", "stream-error")
_VECTORS = ("wrong-dimension", "wrong-count", "not-finite", "zero", "shuffled")
FAULTS = tuple(dict.fromkeys([*_ERRORS, *_WIRE, *_ANSWERS, *_STREAMS, *_VECTORS]))
_SCORES = {"score-percent": "85%", "score-850": 850, "score-null": None}


def check(kind: str) -> None:
    """Refuse a fault that does not exist: a test must not pass because nothing was wrong."""
    if kind not in FAULTS:
        raise ValueError(f"no fault {kind!r}; there are {', '.join(FAULTS)}")


def reply(handler: BaseHTTPRequestHandler, server: Server, request: Request, fault: str | None) -> None:
    """Answer `request` on its connection, by `fault` if there is one."""
    if fault in ("no-schema", "json-only"):
        form = (request.body.get("response_format") or {}).get("type", "text")
        fault = "400" if form == "json_schema" or (form == "json_object" and fault == "no-schema") else None
    streamed = bool(request.body.get("stream"))
    if fault in _STREAMS and not streamed:
        fault = None
    if fault in _ERRORS:
        _send_error(handler, fault)
    elif fault in _WIRE:
        _break(handler, server, request, fault)
    elif request.task == "embeddings":
        send(handler, 200, _embeddings(server, request, fault))
    else:
        text = _spoilt(server.output(request), fault)
        body = _response(request, text, fault) if request.path.endswith("/responses") else _chat(request, text, fault)
        if fault == "no-usage":
            del body["usage"]
        if streamed and fault != "stream-ignored":
            streams.send(handler, server, text, body, fault)
        else:
            send(handler, 200, body)


def send(
    handler: BaseHTTPRequestHandler, status: int, body: Any, *, headers: dict[str, str] | None = None, cut: int = 0
) -> None:
    """One whole HTTP answer; `cut` bytes of its end are promised and never sent."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "text/html" if raw.startswith(b"<") else "application/json")
    handler.send_header("Content-Length", str(len(raw)))
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(raw[: len(raw) - cut])
    handler.wfile.flush()


def _send_error(handler: BaseHTTPRequestHandler, fault: str) -> None:
    status, code, kind, param, headers = _ERRORS[fault]
    message = f"scripted {fault}"
    if fault == "401":
        key = (handler.headers.get("authorization") or "").removeprefix("Bearer ")
        message = f"Incorrect API key provided: {key}. It begins with {key[:8]} and ends with {key[-4:]}."
    if headers.get("Retry-After") == "date":
        # Dates have whole seconds: this one lies one to two seconds ahead.
        headers = {"Retry-After": email.utils.formatdate(time.time() + 2, usegmt=True)}
    error = {"message": message, "type": kind, "param": param, "code": code}
    send(handler, status, {"error": error}, headers=headers)


def _break(handler: BaseHTTPRequestHandler, server: Server, request: Request, fault: str) -> None:
    handler.close_connection = True
    # Else the client's next call may go to the connection that is being closed.
    closing = {"Connection": "close"}
    if fault == "stall":
        server.hang()
    elif fault == "reset":
        streams.reset(handler)
    elif fault == "web-page":
        send(handler, 200, b"<html><body>Please log in.</body></html>", headers=closing)
    elif fault == "broken-body":
        send(handler, 200, b'{"id": "x", "object": ', headers=closing)
    else:
        text = "" if request.task == "embeddings" else server.output(request)
        send(handler, 200, _response(request, text, None), cut=20)


def _spoilt(text: str, fault: str | None) -> str:
    match fault:
        case "empty" | "refusal":
            return ""
        case "truncated" | "filtered":
            return text[: len(text) // 2]
        case "prose":
            return "I would rather talk about something else."
        case "fenced":
            return f"Here it is, as you asked:\n```json\n{text}\n```\nAnything else?"
        case "broken-json":
            return re.sub(r'"(\w+)":', r"\1:", text)[:-1] + ",}"
        case "missing-keys":
            value = json.loads(text)
            del value[next(iter(value))]
            return json.dumps(value)
        case "score-percent" | "score-850" | "score-null":
            return json.dumps(json.loads(text) | {"score": _SCORES[fault]})
    return text


def _count(text: str) -> int:
    return len(text) // 4 + 1


def _response(request: Request, text: str, fault: str | None) -> dict[str, Any]:
    status = {"truncated": "incomplete", "filtered": "incomplete", "failed": "failed"}.get(fault or "", "completed")
    reason = {"truncated": "max_output_tokens", "filtered": "content_filter"}.get(fault or "")
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    if fault == "refusal":
        part = {"type": "refusal", "refusal": "I cannot help with that."}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": status, "content": [part]}
    given, made = _count(request.instructions + "".join(request.turns)), _count(text)
    usage: dict[str, Any] = {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": given // 2},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + made,
    }
    if fault == "odd-usage":
        usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 99}, "output_tokens": "7"}
    return {
        "id": f"resp_{request.number}",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": request.body["model"],
        "status": status,
        "error": {"code": "server_error", "message": "scripted failure"} if fault == "failed" else None,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [{"id": "rs_1", "type": "reasoning", "summary": []}, message],
        "usage": usage,
    }


def _chat(request: Request, text: str, fault: str | None) -> dict[str, Any]:
    ends = {"truncated": "length", "filtered": "content_filter"}
    refusal = "I cannot help with that." if fault == "refusal" else None
    content: Any = None if refusal else text
    if fault == "in-parts":
        content = [{"type": "thinking", "text": "Hm."}, *({"type": "text", "text": char} for char in text)]
    message = {"role": "assistant", "content": content, "refusal": refusal}
    given, made = _count(request.instructions + "".join(request.turns)), _count(text)
    usage: dict[str, Any] = {
        "prompt_tokens": given,
        "prompt_tokens_details": {"cached_tokens": given // 2},
        "completion_tokens": made,
        "total_tokens": given + made,
    }
    if fault == "odd-usage":
        usage = {"prompt_tokens": 10, "prompt_tokens_details": None, "completion_tokens": -3}
    return {
        "id": f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request.body["model"],
        "choices": []
        if fault == "failed"
        else [{"index": 0, "message": message, "finish_reason": ends.get(fault or "", "stop"), "logprobs": None}],
        "usage": usage,
    }


def _embeddings(server: Server, request: Request, fault: str | None) -> dict[str, Any]:
    from drift_tests.openai_server import vector_of

    dimension = request.body.get("dimensions", server.dimension)
    vectors = [vector_of(text, dimension) for text in request.texts]
    if fault == "wrong-dimension":
        vectors = [vector[:-1] for vector in vectors]
    elif fault == "wrong-count":
        vectors = vectors[:-1] or [*vectors, *vectors]
    elif fault == "not-finite":
        vectors[-1][0] = float("nan")
    elif fault == "zero":
        vectors[-1] = [0.0] * dimension
    packed = request.body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _pack(vector) if packed else vector}
        for index, vector in enumerate(vectors)
    ]
    if fault == "shuffled":
        data.reverse()
    tokens = sum(_count(text) for text in request.texts)
    return {
        "object": "list",
        "model": request.body["model"],
        "data": data,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _pack(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
