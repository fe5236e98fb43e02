"""The schemas that are sent are strict, whatever the outputs look like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from drift_assets.language.schemas import task_schema
from drift_assets.language.tasks import Extract, Task
from drift_tests.language.samples import SAMPLES
from drift_tests.openai_answers import default_output
from drift_tests.openai_server import Request

KINDS = [type(task) for task in SAMPLES]


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for inner in schema.values():
            yield from nodes(inner)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name())
def test_every_object_requires_all_its_fields_and_forbids_others(kind: type[Task[Any]]) -> None:
    schema = task_schema(kind)
    Draft202012Validator.check_schema(schema)
    objects = [node for node in nodes(schema) if node.get("type") == "object"]
    assert objects
    for node in objects:
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])
    assert not [node for node in nodes(schema) if "$ref" in node or "$defs" in node or "default" in node]


def test_the_type_of_an_entity_is_one_of_the_allowed_or_empty() -> None:
    entity = task_schema(Extract, ("PERSON", "SHIP"))["properties"]["entities"]["items"]["properties"]
    assert entity["type"] == {"type": "string", "enum": ["PERSON", "SHIP", ""]}
    assert task_schema(Extract)["properties"]["entities"]["items"]["properties"]["type"] == {"type": "string"}


@pytest.mark.parametrize("task", SAMPLES, ids=lambda task: task.name())
def test_the_local_servers_answers_follow_the_schemas(task: Task[Any]) -> None:
    from drift_assets.language.prompts import render

    body = {"instructions": "", "input": render(task).input}
    output = default_output(Request(1, "/v1/responses", task.name(), body, {}, 0.0))
    Draft202012Validator(task_schema(type(task))).validate(output)
