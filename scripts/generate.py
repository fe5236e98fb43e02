"""Writes the docs that are taken from the code: `make docs`. A test compares them with what is committed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from drift_assets import errors
from drift_assets.settings import Settings, variables

ROOT = Path(__file__).parent.parent
BOUNDS = {annotated_types.Ge: "≥", annotated_types.Gt: ">", annotated_types.Le: "≤", annotated_types.Lt: "<"}

SETTINGS_HEAD = """\
# Settings

Every setting is a variable of the environment or a line of the file `.env` in the working folder; the environment wins, and an
empty value counts as unset. `drift status` shows where each value came from. A wrong value ends the command with one line that
names the variable, and so does an unknown `DRIFT_…` variable of the environment. Copy `.env.example` to start a file of your own.

This page is written by `make docs` from `drift_assets/settings.py`.

| variable | default | allowed | what it sets |
|---|---|---|---|
"""

ENV_HEAD = """\
# Copy to .env and take the # away from what you set; docs/settings.md tells what values are allowed.

"""

ENV_COMPOSE = """\

# For `docker compose` alone, which needs this one and NEO4J_PASSWORD.
# Password of the database that keeps Dagster's history.
# POSTGRES_PASSWORD=
"""

ERRORS_HEAD = """\
# Errors

Each message says what happened, to what, and what to do. All are kinds of `DriftError`, in `drift_assets/errors.py`, from which
`make docs` writes this page. *For now* means that the same call may succeed later; where a call is retried, only these are.

| error | kind of | when | for now |
|---|---|---|---|
"""


def settings_page() -> str:
    """docs/settings.md."""
    return SETTINGS_HEAD + "".join(
        f"| `{variable}` | {_code(default)} | {_allowed(field)} | {_cell(field.description or '')} |\n"
        for variable, default, field in _settings()
    )


def env_example() -> str:
    """.env.example: every setting with its sentence and its default, commented out."""
    lines = [f"# {field.description}\n# {variable}={default}\n" for variable, default, field in _settings()]
    return ENV_HEAD + "\n".join(lines) + ENV_COMPOSE


def errors_page() -> str:
    """docs/errors.md."""
    rows = []
    for kind in _kinds(errors.DriftError):
        parents = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
        when = " ".join((kind.__doc__ or "").split())
        rows.append(f"| `{kind.__name__}` | {parents} | {_cell(when)} | {'yes' if kind.transient else 'no'} |\n")
    return ERRORS_HEAD + "".join(rows)


PAGES: dict[str, Callable[[], str]] = {
    ".env.example": env_example,
    "docs/errors.md": errors_page,
    "docs/settings.md": settings_page,
}


def _settings() -> Iterator[tuple[str, str, FieldInfo]]:
    """Variable, default as one would write it ("" for unset) and field of each setting."""
    for name, variable in variables().items():
        field = Settings.model_fields[name]
        default = field.default
        text = ",".join(default) if isinstance(default, tuple) else "" if default is None else f"{default}"
        yield variable, text, field


def _allowed(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return ", ".join(_code(choice) for choice in get_args(field.annotation))
    found = []
    for bound in field.metadata:
        sign = BOUNDS.get(type(bound))
        if sign:
            found.append(f"{sign} {getattr(bound, type(bound).__name__.lower())}")
    return ", ".join(found)


def _kinds(kind: type[errors.DriftError]) -> Iterator[type[errors.DriftError]]:
    for child in kind.__subclasses__():
        if child.__module__ != errors.__name__:
            continue
        yield child
        yield from _kinds(child)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _cell(text: str) -> str:
    return re.sub(r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b", r"`\1`", text).replace("|", "\\|")


if __name__ == "__main__":
    for page, text in PAGES.items():
        (ROOT / page).write_text(text(), encoding="utf-8")
