"""What is said of a value that pydantic refuses: one line with its name, the value and what is allowed instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ALLOWED = {
    "bool_parsing": "give true or false",
    "bool_type": "give true or false",
    "finite_number": "give a number",
    "float_parsing": "give a number",
    "float_type": "give a number",
    "greater_than": "give more than {gt}",
    "greater_than_equal": "give at least {ge}",
    "int_from_float": "give a whole number",
    "int_parsing": "give a whole number",
    "int_parsing_size": "give a smaller number",
    "int_type": "give a whole number",
    "less_than": "give less than {lt}",
    "less_than_equal": "give at most {le}",
    "literal_error": "give {expected}",
    "missing": "it is missing",
    "string_too_long": "give at most {max_length} characters",
    "string_too_short": "give at least {min_length} characters",
    "string_type": "give a text",
}
_SHOWN = 80


def refusal(name: str, error: Mapping[str, Any], *, secret: bool = False) -> str:
    """`DRIFT_MAX_CALLS is '0': give more than 0`, of one error of a ValidationError; a secret's value is left out."""
    shown = repr(error["input"])
    value = "" if secret else f" is {shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + '…'}"
    return f"{name}{value}: {allowed(error)}"


def allowed(error: Mapping[str, Any]) -> str:
    """What may stand there instead; of a check of ours, what it says."""
    words = _ALLOWED.get(error["type"])
    if words is None:
        return str(error["msg"]).removeprefix("Value error, ").rstrip(".")
    return words.format(**{name: _number(bound) for name, bound in error.get("ctx", {}).items()})


def _number(bound: object) -> str:
    return str(int(bound)) if isinstance(bound, float) and bound.is_integer() else str(bound)
