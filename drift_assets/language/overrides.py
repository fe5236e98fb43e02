"""Prompts of the user's own: a folder of files named like ours, each in the place of ours."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from drift_assets.errors import SettingsError
from drift_assets.language.tasks import Task, all_tasks

AGAIN = "again"
_ERROR = "{error}"


def prompt_names() -> list[str]:
    """Names of all prompts: those of the tasks, and the one that asks again."""
    return [*(kind.name() for kind in all_tasks()), AGAIN]


def override(name: str, folder: Path | None) -> str | None:
    """The text of the user's own prompt `name`, with line ends as \\n, or None where ours is used."""
    file = _file(name, folder)
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise SettingsError(f"the prompt {file} is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise SettingsError(f"the prompt {file} cannot be read ({error.strerror})") from error


def where(name: str, folder: Path | None) -> str:
    """The file of the prompt in use, or `built in`."""
    file = _file(name, folder)
    return "built in" if file is None else str(file)


def check_prompts(folder: Path) -> None:
    """Raises SettingsError, with one line, when the folder is missing or a file in it cannot take a prompt's place."""
    from drift_assets.language.prompts import load_template

    folder = folder.expanduser()
    if not folder.is_dir():
        raise SettingsError(f"DRIFT_PROMPTS is {str(folder)!r}: there is no such folder")
    known = {kind.name(): kind for kind in all_tasks()}
    for file in sorted(folder.glob("*.md")):
        if file.stem in known:
            kind: type[Task[Any]] = known[file.stem]
            load_template(kind, folder)
        elif file.stem == AGAIN:
            if _ERROR not in (override(AGAIN, folder) or ""):
                raise SettingsError(f"the prompt {file} must hold {_ERROR} once")
        else:
            near = difflib.get_close_matches(file.stem, prompt_names(), n=1)
            hint = f"did you mean {near[0]}.md?" if near else f"there are {', '.join(prompt_names())}"
            raise SettingsError(f"the prompt {file} is of no task: {hint}")


def _file(name: str, folder: Path | None) -> Path | None:
    file = folder.expanduser() / f"{name}.md" if folder else None
    return file if file and file.is_file() else None
