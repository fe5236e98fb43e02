"""The OpenAI-compatible service: its client, and the one place where the client's errors become ours.

Errors are told apart by class, status and code, never by their text, which differs between services and versions.
"""

from __future__ import annotations

import email.utils
import re
import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from drift_assets.errors import CallError, CallTooLong, CallUnavailable, ItemFailed, RunStopped, SettingsError
from drift_assets.settings import Settings
from drift_assets.tokens import count_tokens

if TYPE_CHECKING:
    from ssl import SSLContext

    from openai import APIStatusError, AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"
# A host that is up takes a connection at once, whatever it then needs for its answer.
CONNECT_SECONDS = 15.0
# A local service asks for no key, but the client insists on one.
NO_KEY = "no-key-needed"

TOO_LONG = {
    "context_length_exceeded",
    "string_above_max_length",
    "array_above_max_length",
    "request_too_large",
    "max_tokens_exceeded",
    "exceed_context_size_error",
}
QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
UNKNOWN_MODEL = {"model_not_found", "model_not_available", "DeploymentNotFound"}
FILTERED = {"content_filter", "content_policy_violation", "invalid_prompt", "image_content_policy_violation"}
UNSUPPORTED = {"unsupported_parameter", "unsupported_value", "unknown_parameter", "invalid_json_schema"}
BUSY = {"server_error", "rate_limit_exceeded", "vector_store_timeout", "overloaded_error"}

# The client's classes that carry no status; each name is looked up along the class's ancestors.
BY_CLASS: dict[str, type[CallError]] = {
    "APIConnectionError": CallUnavailable,
    "APIResponseValidationError": CallUnavailable,
    "WebSocketConnectionClosedError": CallUnavailable,
    "WebSocketQueueFullError": CallUnavailable,
    "LengthFinishReasonError": CallTooLong,
    "ContentFilterFinishReasonError": ItemFailed,
    "InvalidWebhookSignatureError": ItemFailed,
    "SubjectTokenProviderError": RunStopped,
}


class RequestRejected(ItemFailed):
    """The service refuses the request with a 400 or 422 that says nothing more precise."""


def open_client(settings: Settings) -> AsyncOpenAI:
    """The client, with its own retries off; close it by `async with`.

    Raises SettingsError when there is neither a key nor an address, or the address is none.
    """
    url, key = _address(settings), key_of(settings)
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

    # A proxy set for the outside world does not reach this machine's own loopback.
    http = DefaultAsyncHttpxClient(trust_env=not is_loopback(url), verify=_certificates())
    timeout = Timeout(settings.call_timeout, connect=min(CONNECT_SECONDS, settings.call_timeout))
    return AsyncOpenAI(api_key=key, base_url=url, timeout=timeout, max_retries=0, http_client=http)


@lru_cache(maxsize=1)
def _certificates() -> SSLContext:
    """Those that the client trusts anyway, read once and not by each client."""
    from openai import DefaultAsyncHttpxClient

    # httpx or its successor, whichever this version of the client is built on.
    http = import_module(DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])
    context: SSLContext = http.create_ssl_context()
    return context


def begin() -> None:
    """The client begins to be imported, which takes most of a second; returns at once."""
    threading.Thread(target=_import_client, daemon=True, name="begin-client").start()


def _import_client() -> None:
    import openai.resources.embeddings
    import openai.resources.responses.responses  # noqa: F401
    from openai.types import CreateEmbeddingResponse
    from openai.types.responses import Response

    # The first answer would otherwise wait until these are built.
    Response.model_rebuild()
    CreateEmbeddingResponse.model_rebuild()
    _certificates()
    count_tokens("")


def _address(settings: Settings) -> str:
    url = (settings.openai_base_url or OPENAI_URL).strip()
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise SettingsError("OPENAI_BASE_URL is no address; it looks like http://localhost:11434/v1")
    return url


def key_of(settings: Settings) -> str:
    """The key to send, NO_KEY for a service without one. Raises SettingsError where there must be one."""
    if settings.openai_api_key is not None:
        key = settings.openai_api_key.get_secret_value().strip()
        if not (key.isascii() and key.isprintable()):
            raise SettingsError("OPENAI_API_KEY holds characters that no key has; copy it again")
        return key
    if settings.openai_base_url is None:
        raise SettingsError(
            "OPENAI_API_KEY is not set: set it, or OPENAI_BASE_URL for a service without a key, "
            "or DRIFT_LANGUAGE=extractive and DRIFT_EMBEDDING=minilm to work offline"
        )
    return NO_KEY


def is_loopback(url: str | None) -> bool:
    """Whether `url` names this machine; no service there has a price."""
    host = (urlsplit(url or "").hostname or "").lower()
    return host in ("localhost", "::1", "host.docker.internal") or host.startswith("127.")


def translate(error: Exception, *, model: str, key: str | None = None) -> CallError:
    """The CallError that says what `error` of the client or its transport means for the work, and what to do.

    `key` is kept out of the message, and so is the text of refused keys, which services echo in part.
    """
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        body = getattr(error, "body", None)
        fields = body if isinstance(body, Mapping) else {}
        return _by_code(
            status,
            {str(fields[name]) for name in ("code", "type") if fields.get(name)},
            model=model,
            says=scrubbed(str(fields.get("message") or ""), key),
            param=str(fields.get("param") or ""),
            retry_after=_retry_after(error),
        )
    for ancestor in type(error).__mro__:
        if kind := BY_CLASS.get(ancestor.__name__):
            return kind(f"{model}: {_plain(error)}")
    if isinstance(error, ValueError | TypeError | AttributeError):
        return CallUnavailable(f"{model}: the service's answer is not of the protocol; is OPENAI_BASE_URL right?")
    return ItemFailed(f"{model}: {type(error).__name__}")


def refuses_streams(error: APIStatusError) -> bool:
    """Whether the service may take the request when it is not to be streamed: it names streams, or nothing at all."""
    body = error.body if isinstance(error.body, Mapping) else {}
    if str(body.get("param") or "").startswith("stream"):
        return True
    return isinstance(translate(error, model=""), RequestRejected)


def failed_answer(code: str, *, model: str) -> CallError:
    """The CallError of an answer that came with status 200 but reports its own failure by `code`, name or number."""
    status = int(code) if code.isdigit() else 503 if code in BUSY or not code else 400
    return _by_code(status, {code}, model=model, says="")


def _by_code(
    status: int,
    codes: set[str],
    *,
    model: str,
    says: str,
    param: str = "",
    retry_after: float | None = None,
) -> CallError:
    """What a status and its codes mean; the codes are the finer sign and go first."""
    detail = f"{model}: {says or ', '.join(sorted(codes)) or 'no reason given'}"
    if stop := _stop(status, codes, model, param, detail):
        return stop
    if codes & TOO_LONG or status == 413:
        return CallTooLong(f"the input is too long for {detail}")
    if status in (408, 409, 425, 429) or status >= 500:
        return CallUnavailable(f"the service is busy or failing ({status}), {detail}", retry_after)
    if codes & FILTERED:
        return ItemFailed(f"the service's content filter refused the input of {detail}")
    return RequestRejected(f"the service refused the request ({status}), {detail}")


def _stop(status: int, codes: set[str], model: str, param: str, detail: str) -> RunStopped | None:
    """The RunStopped of what no further call can mend, or None."""
    if codes & QUOTA or status == 402:
        return RunStopped("the quota of this OPENAI_API_KEY is used up: add credit at the service, then run again")
    if status == 401:
        return RunStopped("the service refuses the key (401): check OPENAI_API_KEY and OPENAI_BASE_URL")
    if codes & UNKNOWN_MODEL or status == 404:
        return RunStopped(
            f"the service knows no model {model} ({status}): "
            "check DRIFT_MODEL, DRIFT_EMBEDDING_MODEL and OPENAI_BASE_URL"
        )
    if status == 403:
        why = ", ".join(sorted(codes)) or "no reason given"
        return RunStopped(f"this key may not do that (403, {why}): check the key's rights at the service")
    # The form of the answer is asked for in several ways, and the next one may do.
    if codes & UNSUPPORTED and not param.startswith("response_format"):
        return RunStopped(f"the service does not support {param or 'a parameter'} for {detail}; {_way_out(param)}")
    return None


def _way_out(param: str) -> str:
    if "reasoning" in param:
        return "set DRIFT_EFFORT=none or another value"
    if param.startswith("text"):
        return "set DRIFT_API=chat or another DRIFT_MODEL"
    return "set another DRIFT_MODEL or DRIFT_API"


def _retry_after(error: Exception) -> float | None:
    """Seconds that the server asks to wait: `retry-after-ms`, or Retry-After as seconds or date (RFC 9110, 10.2.3)."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = str(headers.get(name) or "").strip()
        if re.fullmatch(r"\d+(\.\d+)?", value):
            return float(value) * unit
    date = email.utils.parsedate_tz(str(headers.get("retry-after") or ""))
    return max(0.0, email.utils.mktime_tz(date) - time.time()) if date else None


def scrubbed(text: str, key: str | None) -> str:
    """`text` in one line of at most 300 characters, without the key or anything that looks like one."""
    if key:
        text = text.replace(key, "***")
    text = re.sub(r"\b(sk|pk|key|Bearer)[-_ ][\w*.-]{6,}", "***", text)
    return " ".join(text.split())[:300]


def _plain(error: Exception) -> str:
    """What went wrong in words without addresses, which may hold credentials."""
    if type(error).__name__ == "APITimeoutError":
        return "no answer in time"
    if type(error).__name__ == "APIConnectionError":
        cause: Any = error.__cause__
        return f"no connection ({type(cause).__name__ if cause else 'broken off'}); is OPENAI_BASE_URL right?"
    return type(error).__name__
