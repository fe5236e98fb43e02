"""Prompts of the user's own, checked when settings are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from drift_assets.errors import SettingsError
from drift_assets.language.overrides import prompt_names, where
from drift_assets.language.prompts import prompt_version, read_prompt, render
from drift_assets.language.tasks import Extract, Summarise
from drift_assets.settings import load_settings

OWN = "Take ships alone.\n---\nTypes: {types}\n{text}\n"


def write(folder: Path, name: str, text: str | bytes = OWN) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_a_prompt_of_the_folder_takes_the_place_of_ours_and_the_others_stay(tmp_path: Path) -> None:
    folder = write(tmp_path / "prompts", "extract.md")

    sent = render(Extract(text="The Wren.", types=("SHIP",)), load_settings(prompts=folder).prompts)

    assert sent.instructions == "Take ships alone."
    assert sent.input == "Types: SHIP\n<data>\nThe Wren.\n</data>"
    assert prompt_version(Extract, folder) != prompt_version(Extract)
    assert prompt_version(Summarise, folder) == prompt_version(Summarise)
    assert where("extract", folder) == str(folder / "extract.md")
    assert where("summarise", folder) == "built in"


def test_a_copy_of_ours_is_the_same_prompt_whatever_its_line_ends(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "prompts", "extract.md", b"\xef\xbb\xbf" + read_prompt("extract").replace("\n", "\r\n").encode()
    )

    assert prompt_version(Extract, folder) == prompt_version(Extract)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "extract.md",
            "Rules\n---\n{text}\n",
            r"extract\.md must hold the line --- and below it .*: \{text\}, \{types\}",
        ),
        ("extract.md", "Rules\n---\n{text} {types} {title}\n", r"extract\.md must hold"),
        ("extract.md", "Rules {text} {types}\n", r"extract\.md must hold the line ---"),
        ("sumarise.md", OWN, r"sumarise\.md is of no task: did you mean summarise\.md\?"),
        ("zzz.md", OWN, r"zzz\.md is of no task: there are extract, glean,"),
        ("again.md", "Try again.", r"again\.md must hold \{error\}"),
        ("extract.md", b"\xff\xfe\xfa", r"extract\.md is not UTF-8"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_told_when_settings_are_read(
    name: str, text: str | bytes, message: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "prompts", name, text)

    with pytest.raises(SettingsError, match=message) as caught:
        load_settings(prompts=folder)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_missing_is_told() -> None:
    with pytest.raises(SettingsError, match="DRIFT_PROMPTS is 'nowhere': there is no such folder"):
        load_settings(prompts="nowhere")


def test_every_prompt_can_be_replaced(tmp_path: Path) -> None:
    for name in prompt_names():
        write(tmp_path / "prompts", f"{name}.md", read_prompt(name))

    assert load_settings(prompts=tmp_path / "prompts").prompts == tmp_path / "prompts"
