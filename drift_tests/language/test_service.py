"""The client's errors become ours in one place, by class, status and code."""

from __future__ import annotations

import email.utils
import inspect
import pickle
import time
from typing import Any

import httpx2
import openai
import pytest
from openai import _exceptions as client_errors

from drift_assets.errors import CallError, CallTooLong, CallUnavailable, ItemFailed, RunStopped, SettingsError
from drift_assets.language.service import (
    BY_CLASS,
    RequestRejected,
    failed_answer,
    is_loopback,
    open_client,
    scrubbed,
    translate,
)
from drift_assets.settings import load_settings

KEY = "sk-proj-abcdefghijklmnop1234"


def status_error(status: int, *, headers: dict[str, str] | None = None, **body: Any) -> openai.APIStatusError:
    """The error that the official client makes of such a response."""
    request = httpx2.Request("POST", "http://127.0.0.1:9/v1/responses")
    response = httpx2.Response(status, json={"error": body}, headers=headers, request=request)
    return openai.OpenAI(api_key=KEY)._make_status_error_from_response(response)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (408, {}, CallUnavailable),
        (409, {}, CallUnavailable),
        (429, {"code": "rate_limit_exceeded"}, CallUnavailable),
        (500, {"type": "server_error"}, CallUnavailable),
        (502, {}, CallUnavailable),
        (503, {}, CallUnavailable),
        (529, {"type": "overloaded_error"}, CallUnavailable),
        (400, {"code": "context_length_exceeded"}, CallTooLong),
        (400, {"code": "string_above_max_length"}, CallTooLong),
        (400, {"code": 400, "type": "exceed_context_size_error"}, CallTooLong),
        (413, {}, CallTooLong),
        (400, {"code": "content_filter"}, ItemFailed),
        (400, {"code": "invalid_prompt"}, ItemFailed),
        (400, {}, RequestRejected),
        (422, {}, RequestRejected),
        (400, {"code": "unsupported_parameter", "param": "response_format"}, RequestRejected),
        (400, {"code": "unsupported_value", "param": "reasoning.effort"}, RunStopped),
        (401, {"code": "invalid_api_key"}, RunStopped),
        (402, {}, RunStopped),
        (403, {"code": "unsupported_country_region_territory"}, RunStopped),
        (404, {"code": "model_not_found"}, RunStopped),
        (400, {"code": "model_not_found"}, RunStopped),
        (429, {"code": "insufficient_quota"}, RunStopped),
        (429, {"type": "insufficient_quota"}, RunStopped),
    ],
)
def test_status_and_code_decide(status: int, body: dict[str, Any], kind: type[CallError]) -> None:
    assert type(translate(status_error(status, message="m", **body), model="gpt")) is kind


def test_the_text_of_an_error_decides_nothing() -> None:
    tempting = status_error(400, message="rate limit, context_length_exceeded, insufficient_quota, 429")
    assert type(translate(tempting, model="gpt")) is RequestRejected


def client_error_classes() -> list[type[Exception]]:
    found = [value for _, value in inspect.getmembers(client_errors, inspect.isclass) if issubclass(value, Exception)]
    assert len(found) > 15
    return found


@pytest.mark.parametrize("kind", client_error_classes(), ids=lambda kind: kind.__name__)
def test_every_error_class_of_the_client_has_a_counterpart(kind: type[Exception]) -> None:
    abstract = {"OpenAIError", "APIError", "APIStatusError"}
    by_status = issubclass(kind, client_errors.APIStatusError)
    named = any(ancestor.__name__ in BY_CLASS for ancestor in kind.__mro__)
    assert by_status or named or kind.__name__ in abstract
    error = kind.__new__(kind)
    assert isinstance(translate(error, model="gpt"), CallError)


@pytest.mark.parametrize("error", [ValueError("no JSON"), TypeError(), AttributeError()])
def test_an_answer_outside_the_protocol_is_waited_for_and_points_to_the_address(error: Exception) -> None:
    translated = translate(error, model="gpt")
    assert isinstance(translated, CallUnavailable)
    assert "OPENAI_BASE_URL" in str(translated)


@pytest.mark.parametrize(
    ("status", "code", "says"),
    [
        (401, "invalid_api_key", "check OPENAI_API_KEY"),
        (403, "forbidden", "check the key's rights"),
        (404, "model_not_found", "knows no model gpt .*check DRIFT_MODEL"),
        (429, "insufficient_quota", "add credit"),
    ],
)
def test_what_stops_the_run_says_what_to_do_in_one_line(status: int, code: str, says: str) -> None:
    error = translate(status_error(status, code=code, message="a\nb"), model="gpt")
    with pytest.raises(RunStopped, match=says):
        raise error
    assert "\n" not in str(error)


def test_an_unsupported_parameter_names_the_setting_that_leads_out() -> None:
    for param, setting in [("reasoning.effort", "DRIFT_EFFORT"), ("text.format", "DRIFT_API"), ("x", "DRIFT_MODEL")]:
        error = translate(status_error(400, code="unsupported_value", param=param, message="no"), model="gpt")
        assert setting in str(error)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 500])
def test_no_key_and_no_part_of_one_enters_a_message(status: int) -> None:
    echo = f"Incorrect key {KEY}, that is sk-proj-********1234 or Bearer {KEY}"
    error = translate(status_error(status, message=echo), model="gpt", key=KEY)
    for part in (KEY, "1234", "abcdef"):
        assert part not in repr(error)


def test_a_key_of_any_form_is_scrubbed_where_it_is_known() -> None:
    assert scrubbed("the key hunter2 is wrong", "hunter2") == "the key *** is wrong"
    assert scrubbed("a\n b" + "c" * 500, None) == "a b" + "c" * 297


def test_the_servers_wish_to_wait_is_read_in_all_its_forms() -> None:
    date = email.utils.formatdate(time.time() + 60, usegmt=True)
    for headers, low, high in [
        ({"Retry-After": "12"}, 12, 12),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5, 1.5),
        ({"Retry-After": date}, 57, 61),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0),
    ]:
        error = translate(status_error(429, headers=headers), model="gpt")
        assert isinstance(error, CallUnavailable)
        assert error.retry_after is not None
        assert low <= error.retry_after <= high
    for headers in ({}, {"Retry-After": "soon"}, {"Retry-After": "-5"}):
        error = translate(status_error(503, headers=headers), model="gpt")
        assert isinstance(error, CallUnavailable)
        assert error.retry_after is None


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("server_error", CallUnavailable),
        ("rate_limit_exceeded", CallUnavailable),
        ("", CallUnavailable),
        ("502", CallUnavailable),
        ("402", RunStopped),
        ("context_length_exceeded", CallTooLong),
        ("bio_policy", ItemFailed),
        ("invalid_prompt", ItemFailed),
    ],
)
def test_a_failure_inside_a_good_answer_is_told_apart_by_its_code(code: str, kind: type[CallError]) -> None:
    assert isinstance(failed_answer(code, model="gpt"), kind)


def test_a_rejected_request_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(RequestRejected("no")))
    assert type(error) is RequestRejected
    assert str(error) == "no"


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({}, "OPENAI_API_KEY is not set"),
        ({"openai_base_url": "localhost:11434/v1"}, "OPENAI_BASE_URL is no address"),
        ({"openai_api_key": "sk-ключ"}, "OPENAI_API_KEY holds characters"),
    ],
)
def test_a_client_that_cannot_work_is_not_opened(chosen: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        open_client(load_settings(**chosen))


def test_the_client_leaves_retries_to_us_and_takes_address_and_time_from_the_settings() -> None:
    client = open_client(load_settings(openai_base_url="http://127.0.0.1:9/v1", call_timeout=7))
    assert client.max_retries == 0
    assert str(client.base_url) == "http://127.0.0.1:9/v1/"
    assert client.api_key == "no-key-needed"
    assert client.timeout.read == 7  # type: ignore[union-attr]
    assert str(open_client(load_settings(openai_api_key=" k \n")).base_url) == "https://api.openai.com/v1/"


def test_a_base_url_of_the_clients_own_variable_is_not_read_past_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(openai_api_key="k")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.example/v1")
    assert "elsewhere" not in str(open_client(settings).base_url)


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.2/v1", True),
        ("http://[::1]:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://localhost.example.com/v1", False),
        (None, False),
    ],
)
def test_loopback_is_known_by_its_host(url: str | None, loopback: bool) -> None:
    assert is_loopback(url) is loopback
