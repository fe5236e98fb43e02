"""What an evaluation asks by: the methods named, and beside them DRIFT with one option after the other changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from drift_assets.errors import SettingsError
from drift_assets.refusals import allowed
from drift_assets.search.options import SearchOptions

_WORDS = {"on": True, "off": False}
Variants = dict[str, dict[str, Any]]


def variants(methods: Sequence[str], config: Mapping[str, Any], vary: Sequence[str]) -> Variants:
    """The config of the search job by the name that its answers have: the methods, then what `vary` asks for.

    A line of `vary` is an option and its values, `depth=0,1,3`. A value that the config has already is no variant.
    Raises SettingsError for an option or a value that a search does not know.
    """
    found: Variants = {method: {**config, "method": method} for method in methods}
    for line in vary:
        name, _, values = line.partition("=")
        name = name.strip().replace("-", "_")
        if name not in SearchOptions.__dataclass_fields__ or name in ("question", "method", "replay", "replay_from"):
            raise SettingsError(f"{line!r} varies no option of a search: write one such as depth=0,1,3")
        for value in (value.strip() for value in values.split(",")):
            changed = _checked({**config, "method": "drift", name: _read(name, value)}, line)
            if changed[name] != config.get(name, getattr(SearchOptions(question=""), name)):
                found[f"drift, {name.replace('_', ' ')} {value}"] = changed
    return found


def _read(name: str, value: str) -> Any:
    if value in _WORDS and isinstance(getattr(SearchOptions(question=""), name), bool):
        return _WORDS[value]
    return int(value) if value.isdecimal() else value


def _checked(config: dict[str, Any], line: str) -> dict[str, Any]:
    """The same, held against the bounds of the job's own form."""
    from drift_assets.search.config import SearchConfig

    try:
        SearchConfig(**{"question": "Anything?", **config})
    except ValidationError as error:
        told = allowed(error.errors()[0])
        raise SettingsError(f"{line!r} is no option of a search with its values: {told}") from None
    return config
