"""A server on loopback that speaks the OpenAI protocol: Responses, Chat Completions, Embeddings.

The official client talks to it over real HTTP. It gives the same answer to the same request, counts how many requests
it holds at once, keeps what it was sent, and fails as it is told. `python -m drift_tests.openai_server --help` runs it
alone; `GET /stats` then shows its counts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from drift_assets.interrupts import raise_on_signals
from drift_assets.settings import Settings, load_settings
from drift_tests import openai_answers as answers
from drift_tests import openai_faults as faults

PATHS = ("/v1/responses", "/v1/chat/completions", "/v1/embeddings")


@dataclass(frozen=True)
class Request:
    """One request as it arrived; `task` is the name of the schema, `embeddings`, or empty where there is neither."""

    number: int
    path: str
    task: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    at: float

    @property
    def instructions(self) -> str:
        """The part of the prompt that stands first."""
        return str(self.body.get("instructions") or self._messages[0]["content"])

    @property
    def turns(self) -> list[str]:
        """The contents of the turns after the instructions, the user's and the model's."""
        return [str(message["content"]) for message in self._messages if message["role"] != "system"]

    @property
    def input(self) -> str:
        """The user's first turn: the part of the prompt that changes."""
        return self.turns[0]

    @property
    def texts(self) -> list[str]:
        """The texts to embed."""
        texts = self.body["input"]
        return [texts] if isinstance(texts, str) else list(texts)

    @property
    def _messages(self) -> list[dict[str, Any]]:
        messages = self.body.get("messages") or self.body["input"]
        return [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)


@dataclass
class Server:
    """What a test sees and sets; thread-safe."""

    url: str = ""
    latency: float = 0.0
    shuffle: int | None = None
    dimension: int = 64
    stall: float = 20.0
    pace: float = 0.0
    requests: list[Request] = field(default_factory=list)
    most_at_once: int = 0
    _at_once: int = 0
    _faults: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    _always: dict[str, str] = field(default_factory=dict)
    _seen: Counter[str] = field(default_factory=Counter)
    _queues: dict[str, deque[Any]] = field(default_factory=lambda: defaultdict(deque))
    _makers: dict[str, Callable[[Request], Any]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closing: threading.Event = field(default_factory=threading.Event)

    def fail(self, number: int, kind: str, *, on: str = "") -> None:
        """Fail the `number`-th request from now on, counted from 1, by `kind` (see openai_faults.FAULTS).

        `on` counts only the requests of one task, or `embeddings`.
        """
        faults.check(kind)
        with self._lock:
            self._faults[on][self._seen[on] + number] = kind

    def fail_all(self, kind: str | None, *, on: str = "") -> None:
        """Fail every request by `kind` until told otherwise by None."""
        if kind is None:
            self._always.pop(on, None)
        else:
            faults.check(kind)
            self._always[on] = kind

    def script(self, task: str, *outputs: Any) -> None:
        """Give these outputs to the next requests of `task`, in turn: objects, or raw text of an answer."""
        with self._lock:
            self._queues[task].extend(outputs)

    def answer(self, task: str, maker: Callable[[Request], Any]) -> None:
        """Make the outputs of `task` by `maker` from now on."""
        self._makers[task] = maker

    def of(self, task: str) -> list[Request]:
        """The requests of one task, or `embeddings`, in the order of arrival."""
        with self._lock:
            return [request for request in self.requests if request.task == task]

    def forget(self) -> None:
        """Drop what was recorded, and the faults and scripts not yet used."""
        with self._lock:
            self.requests.clear()
            self.most_at_once = self._at_once
            for used in (self._faults, self._always, self._seen, self._queues, self._makers):
                used.clear()

    def stats(self) -> dict[str, Any]:
        """Counts for another process."""
        with self._lock:
            since = time.time() - time.monotonic()
            return {
                "requests": len(self.requests),
                "most_at_once": self.most_at_once,
                "by_task": dict(Counter(request.task for request in self.requests)),
                "first_at": since + self.requests[0].at if self.requests else None,
            }

    def settings(self, **overrides: Any) -> Settings:
        """Settings that use this server for language and embedding."""
        chosen = {
            "openai_base_url": self.url,
            "openai_api_key": "test-key-0123456789",
            "language": "openai",
            "embedding": "openai",
        }
        return load_settings(**(chosen | overrides))

    # For the handler.

    def enter(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> tuple[Request, str | None]:
        """Record a request; returns it with the fault that it must meet."""
        task = "embeddings" if path.endswith("/embeddings") else answers.task_name(body)
        with self._lock:
            request = Request(len(self.requests) + 1, path, task, body, headers, time.monotonic())
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            fault = None
            for key in ("", task):
                self._seen[key] += 1
                fault = self._faults[key].pop(self._seen[key], None) or self._always.get(key) or fault
        return request, fault

    def leave(self) -> None:
        """The request is answered."""
        with self._lock:
            self._at_once -= 1

    def seconds(self, body: Mapping[str, Any]) -> float:
        """The latency of a request: fixed, or drawn from 0 to twice it by the request's content and the seed."""
        if self.shuffle is None:
            return self.latency
        content = json.dumps(body, sort_keys=True)
        return self.latency * 2 * random.Random(f"{self.shuffle}{content}").random()

    def wait(self, request: Request) -> None:
        """Take the latency."""
        if seconds := self.seconds(request.body):
            self._closing.wait(seconds)

    def pace_out(self) -> None:
        """Take the time of one piece of a stream."""
        if self.pace:
            self._closing.wait(self.pace)

    def hang(self) -> None:
        """Say nothing for `stall` seconds, or until the server closes."""
        self._closing.wait(self.stall)

    def output(self, request: Request) -> str:
        """The text of the model's answer."""
        with self._lock:
            queue = self._queues[request.task]
            made = queue.popleft() if queue else None
        if made is None:
            maker = self._makers.get(request.task, answers.default_output)
            made = maker(request)
        return made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)

    def close(self) -> None:
        """Release all that hang or wait."""
        self._closing.set()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            if self.path == "/stats":
                self._send(200, server.stats())
            else:
                self._send(404, {"error": {"message": "no such path", "code": None, "type": "invalid_request_error"}})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.path not in PATHS:
                self._send(404, {"error": {"message": "no such path", "code": None, "type": "invalid_request_error"}})
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            request, fault = server.enter(self.path, json.loads(raw), headers)
            try:
                server.wait(request)
                faults.reply(self, server, request, fault)
            finally:
                server.leave()

        def _send(self, status: int, body: Any) -> None:
            faults.send(self, status, body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that gave up is part of the tests; all else must be seen.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def openai_server(
    *,
    latency: float = 0.0,
    shuffle: int | None = None,
    dimension: int = 64,
    stall: float = 20.0,
    port: int = 0,
) -> Iterator[Server]:
    """A running server; `latency` in seconds, `shuffle` the seed that spreads it, `dimension` of its vectors."""
    server = Server(latency=latency, shuffle=shuffle, dimension=dimension, stall=stall)
    http = _Http(("127.0.0.1", port), _handler(server))
    server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        http.shutdown()
        http.server_close()
        thread.join()


def vector_of(text: str, dimension: int) -> list[float]:
    """The hashed bag of words of `text`: texts with words in common have similar vectors. Not of norm 1."""
    vector = [0.0] * dimension
    for word in answers.words(text) or [""]:
        digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
        vector[int.from_bytes(digest[:4], "big") % dimension] += 1.0 if digest[4] % 2 else -1.0
    return vector if any(vector) else [1.0] + [0.0] * (dimension - 1)


def main() -> None:
    """Serve until interrupted; the first line on standard output is the address."""
    parser = argparse.ArgumentParser(description="A local server that speaks the OpenAI protocol.")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that each request takes")
    parser.add_argument("--shuffle", type=int, default=None, help="seed that spreads the latency from 0 to twice it")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds that each piece of a stream takes")
    parser.add_argument("--dimension", type=int, default=1536, help="length of the vectors")
    options = parser.parse_args()
    # Also where whoever started it has signals ignored, as a shell does for what it starts in the background.
    raise_on_signals()
    with openai_server(
        latency=options.latency, shuffle=options.shuffle, dimension=options.dimension, port=options.port
    ) as server:
        server.pace = options.pace
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
