"""`drift prompts`: the prompts in use, and how they differ from those that come with drift-assets."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from drift_assets.errors import SettingsError

app = typer.Typer(no_args_is_help=True, help="The prompts in use: show, diff.")
Name = Annotated[
    str | None, typer.Argument(metavar="[TASK]", help="Name of a prompt, such as extract; without it all of them.")
]


@app.command()
def show(task: Name = None) -> None:
    """Print the text of a prompt in use, to start one of your own in the folder DRIFT_PROMPTS, or list all."""
    from drift_assets.language.overrides import prompt_names, where
    from drift_assets.language.prompts import read_prompt
    from drift_assets.settings import load_settings

    settings = load_settings()
    if task is None:
        for name in prompt_names():
            typer.echo(f"{name:<12}{where(name, settings.prompts)}")
    else:
        typer.echo(read_prompt(_known(task), settings.prompts), nl=False)


@app.command()
def diff(task: Name = None) -> None:
    """Show how your own prompts differ from those that come with drift-assets; nothing when they do not."""
    from drift_assets.language.overrides import prompt_names, where
    from drift_assets.language.prompts import read_prompt
    from drift_assets.settings import load_settings

    folder = load_settings().prompts
    for name in prompt_names() if task is None else [_known(task)]:
        ours, used = read_prompt(name).splitlines(), read_prompt(name, folder).splitlines()
        for line in difflib.unified_diff(ours, used, f"built in/{name}.md", where(name, folder), lineterm=""):
            typer.echo(line)


def _known(name: str) -> str:
    from drift_assets.language.overrides import prompt_names

    name = name.removesuffix(".md")
    if name not in prompt_names():
        raise SettingsError(f"there is no prompt {name!r}; there are {', '.join(prompt_names())}")
    return name
