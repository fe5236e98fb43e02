"""A whole index as text, to tell whether two are the same."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from drift_assets.graph.address import Address
from drift_tests.database import query

# What searches leave beside the index is no part of it.
INDEX_LABELS = ["__Document__", "__Chunk__", "__Entity__", "__Community__", "__Decision__", "__Name__", "__Index__"]
PLACES = 4

_NODES = (
    "MATCH (n) WHERE any(label IN labels(n) WHERE label IN $labels) "
    "RETURN labels(n) AS labels, properties(n) AS properties"
)
_RELATIONSHIPS = (
    "MATCH (a)-[r]->(b) WHERE any(label IN labels(a) WHERE label IN $labels) "
    "RETURN type(r) AS type, coalesce(a.name, a.id) AS source, coalesce(b.name, b.id) AS target, "
    "properties(r) AS properties"
)


def dump(address: Address) -> Counter[str]:
    """Every node and relationship of the index with all its properties, a line each; numbers to four places."""
    nodes = query(address, _NODES, labels=INDEX_LABELS)
    relationships = query(address, _RELATIONSHIPS, labels=INDEX_LABELS)
    lines = [_line({"labels": sorted(node["labels"]), **_rounded(node["properties"])}) for node in nodes]
    return Counter([*lines, *(_line(_rounded(relationship)) for relationship in relationships)])


def differences(one: Counter[str], other: Counter[str]) -> list[str]:
    """Lines that only one of two dumps has, with - those of the first and + those of the second."""
    return [f"- {line}" for line in (one - other).elements()] + [f"+ {line}" for line in (other - one).elements()]


def _line(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, PLACES)
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list) else value
