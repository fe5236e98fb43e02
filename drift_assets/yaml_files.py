"""YAML as data: no objects, no aliases (a few lines of which can stand for gigabytes)."""

from __future__ import annotations

from typing import Any

from yaml import SafeLoader, YAMLError, load
from yaml.composer import ComposerError
from yaml.events import AliasEvent

__all__ = ["YAMLError", "load_yaml"]


class _Plain(SafeLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(AliasEvent):
            raise ComposerError(None, None, "aliases are not read", None)
        return super().compose_node(parent, index)


def load_yaml(text: str) -> Any:
    """The value; raises YAMLError, also for values that YAML cannot make, such as a date in month 13."""
    try:
        return load(text, _Plain)
    except (ValueError, RecursionError) as error:
        raise YAMLError(str(error)) from error
