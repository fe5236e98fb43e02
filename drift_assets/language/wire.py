"""JSON as services send it, read without trust: what is missing or of another type counts as empty."""

from __future__ import annotations

from typing import Any


def as_dict(answer: Any) -> dict[str, Any]:
    """The client's answer as plain JSON. Raises ValueError for one that is no JSON object, such as a web page."""
    if not hasattr(answer, "to_dict"):
        raise ValueError("the answer is no JSON object")
    return dict(answer.to_dict(warnings=False))


def whole_number(value: Any) -> int:
    """`value` as a count: what is no number of at least 0 counts as 0."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0


def part(value: dict[str, Any], name: str) -> dict[str, Any]:
    """The object under this name."""
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def items(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of the list under this name."""
    inner = value.get(name)
    return [item for item in inner if isinstance(item, dict)] if isinstance(inner, list) else []


def content_of(message: dict[str, Any]) -> str:
    """The text of a message, whose content is a text or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(str(one.get("text") or "") for one in items(message, "content") if one.get("type") == "text")
