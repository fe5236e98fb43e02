"""Writes the docs that are taken from the code: `make docs`. A test compares them with what is committed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from drift_assets import errors
from drift_assets.cli import app
from drift_assets.settings import Settings, variables

ROOT = Path(__file__).parent.parent
BOUNDS = {annotated_types.Ge: "≥", annotated_types.Gt: ">", annotated_types.Le: "≤", annotated_types.Lt: "<"}

SETTINGS_HEAD = """\
# Settings

Every setting is a variable of the environment or a line of the file `.env` in the working folder; the environment wins,
and an empty value counts as unset. `drift status` shows where each value came from. A wrong value ends the command with
one line that names the variable, and so does an unknown `DRIFT_…` variable. Copy `.env.example` to start a file of your
own.

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

COMMANDS_HEAD = """\
## Commands

This part is written by `make docs` from the commands themselves.
"""

ERRORS_HEAD = """\
# Errors

Each message says what happened, to what, and what to do. All are kinds of `DriftError`, in `drift_assets/errors.py`,
from which `make docs` writes this page. *For now* means that the same call may succeed later; where a call is tried
again, it is after one of these.

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


def commands_page() -> str:
    """docs/cli.md: what is written by hand, then each command with its arguments and options."""
    written = (ROOT / "docs/cli.md").read_text(encoding="utf-8").partition(COMMANDS_HEAD)[0]
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    return written + COMMANDS_HEAD + "".join(_command(command, f"drift {name}") for name, command in _commands(group))


PAGES: dict[str, Callable[[], str]] = {
    ".env.example": env_example,
    "docs/cli.md": commands_page,
    "docs/errors.md": errors_page,
    "docs/settings.md": settings_page,
}


def _commands(group: TyperGroup) -> Iterator[tuple[str, TyperCommand]]:
    """All commands in the order of the help, those of groups under both names."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from ((f"{name} {child}", found) for child, found in _commands(command))
        elif isinstance(command, TyperCommand):
            yield name, command


def _command(command: TyperCommand, name: str) -> str:
    arguments = [param for param in command.params if isinstance(param, TyperArgument)]
    options = [param for param in command.params if isinstance(param, TyperOption)]
    usage = " ".join([name, *(param.metavar or "" for param in arguments), *(["[OPTIONS]"] if options else [])])
    lines = [f"\n### `{usage}`\n\n{' '.join((command.help or '').split())}\n"]
    if command.params:
        lines.append("\n| argument or option | default | what it does |\n|---|---|---|\n")
    lines += [f"| `{param.metavar}` |  | {_cell(param.help or '')} |\n" for param in arguments]
    lines += [f"| `{param.opts[0]}` | {_option_default(param)} | {_option_help(param)} |\n" for param in options]
    return "".join(lines)


def _option_default(option: TyperOption) -> str:
    return "" if option.is_flag or option.default is None else _code(f"{option.default}")


def _option_help(option: TyperOption) -> str:
    bounds = [f"{sign} {bound}" for sign, bound in (("≥", option.min), ("≤", option.max)) if bound is not None]
    return _cell(option.help or "") + (f" ({', '.join(bounds)})" if bounds else "")


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
