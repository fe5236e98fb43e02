"""From the text of an answer to a validated output."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from pydantic import ValidationError

from drift_assets.language.tasks import Output

OutputT = TypeVar("OutputT", bound=Output)

_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
# NUL and its like come out of escapes in JSON; no text of ours has a use for them.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class InvalidOutput(ValueError):
    """The text is no output of the wanted form; the message says why, in words that the model can act on."""


def read_output(text: str, kind: type[OutputT]) -> tuple[OutputT, bool]:
    """The output that `text` holds, and whether its JSON had to be repaired.

    Words around the object, a code fence and a <think> block are ignored. Raises InvalidOutput.
    """
    text = _THOUGHTS.sub("", text)
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        raise InvalidOutput("the answer is empty" if not text.strip() else "the answer holds no JSON object")
    text = text[start : end + 1] if end > start else text[start:]
    repaired = False
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        value, repaired = _repair(text), True
    try:
        return kind.model_validate(_clean(value)), repaired
    except ValidationError as error:
        raise InvalidOutput(_describe(error)) from None


def _repair(text: str) -> Any:
    from json_repair import repair_json

    return repair_json(text, return_objects=True, skip_json_loads=True)


def _clean(value: Any) -> Any:
    """`value` without control characters and lone surrogates in its strings."""
    if isinstance(value, str):
        return _CONTROL.sub("", value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return {str(name): _clean(item) for name, item in value.items()} if isinstance(value, dict) else value


def _describe(error: ValidationError) -> str:
    """Where and what, without the values: they are the model's own words and may be long."""
    lines = [f"{'.'.join(map(str, item['loc'])) or 'answer'}: {item['msg']}" for item in error.errors()[:8]]
    return "; ".join(lines)
