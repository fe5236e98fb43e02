"""The server on loopback that speaks the OpenAI protocol, in a process of its own, in place of a paid service."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Counts:
    """What the server has seen: requests, by task too, how many it held at once, at most, and when the first came."""

    requests: int
    most_at_once: int
    by_task: Mapping[str, int]
    first_at: float | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """A running server."""

    url: str

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a `drift` that uses it for language and embedding."""
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "a-key-that-costs-nothing"}

    def counts(self) -> Counts:
        """What it has seen up to now."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats") as answer:
            return Counts(**json.load(answer))


@contextmanager
def service(latency: float) -> Iterator[Service]:
    """A server that takes `latency` seconds for each request, however many it holds."""
    command = [sys.executable, "-m", "drift_tests.openai_server", "--port", "0", "--latency", str(latency)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            if not url:
                raise RuntimeError("the server that speaks the OpenAI protocol did not start")
            yield Service(url)
        finally:
            process.terminate()
