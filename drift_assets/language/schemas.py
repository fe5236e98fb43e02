"""The JSON schema that each task's answer must follow, in the strict form that services accept."""

from __future__ import annotations

from typing import Any

from drift_assets.language.tasks import Extract, Glean, Task


def task_schema(kind: type[Task[Any]], types: tuple[str, ...] = ()) -> dict[str, Any]:
    """Schema of the output of `kind`: references inlined, all fields required, no other fields.

    `types` restricts the type of an extracted entity to these and the empty string; docstrings and titles stay out,
    so that the schema changes only when the form of the answer does.
    """
    whole = kind.output.model_json_schema()
    schema: dict[str, Any] = _strict(whole, whole.get("$defs", {}))
    if kind in (Extract, Glean) and types:
        entity = schema["properties"]["entities"]["items"]["properties"]
        entity["type"] = {"type": "string", "enum": [*types, ""]}
    return schema


def _strict(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return _strict(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    if node["type"] == "object":
        properties = {name: _strict(value, definitions) for name, value in node["properties"].items()}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    if node["type"] == "array":
        return {"type": "array", "items": _strict(node["items"], definitions)}
    return {"type": node["type"]}
