"""`drift prompts`, as people start it."""

import subprocess
import sys
from pathlib import Path

from drift_assets.language.prompts import read_prompt


def prompts(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "drift_assets.cli", "prompts", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_a_prompt_is_shown_changed_and_compared(tmp_path: Path) -> None:
    shown = prompts(tmp_path, "show", "extract").stdout
    assert shown == read_prompt("extract")

    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "extract.md").write_text(shown.replace("You build", "You draw"), "utf-8")
    (tmp_path / ".env").write_text("DRIFT_PROMPTS=own\n", "utf-8")

    assert prompts(tmp_path, "show", "extract").stdout.startswith("You draw a knowledge graph.")
    difference = prompts(tmp_path, "diff").stdout.splitlines()
    assert difference[:2] == ["--- built in/extract.md", "+++ own/extract.md"]
    assert [line[:9] for line in difference[2:] if line[0] in "-+"] == ["-You buil", "+You draw"]
    listed = prompts(tmp_path, "show").stdout.splitlines()
    assert [line.split(maxsplit=1) for line in listed[:2]] == [["extract", "own/extract.md"], ["glean", "built in"]]


def test_an_unknown_prompt_is_told(tmp_path: Path) -> None:
    done = prompts(tmp_path, "show", "nothing")

    assert done.returncode == 1
    assert done.stderr.startswith("error: there is no prompt 'nothing'; there are extract, glean, ")
