"""What is written for people agrees with the project."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import drift_assets
from scripts.generate import PAGES

ROOT = Path(__file__).parent.parent
PROSE = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in PROSE}
FOLDERS = ("benchmarks", "docker", "docs", "drift_assets", "drift_tests", "scripts")


def anchors(text: str) -> set[str]:
    """The anchors that a Markdown viewer gives to the headings."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(name: str) -> Iterator[tuple[Path, str]]:
    """File and anchor of each link of a page that leads to a file of the project."""
    for target in re.findall(r"\]\(([^)\s]+)\)", TEXTS[name]):
        if not re.match(r"\w+:", target):
            path, _, anchor = target.partition("#")
            yield ((ROOT / name).parent / path if path else ROOT / name), anchor


def commands(text: str) -> list[str]:
    """The lines of a page's shell examples and its code spans."""
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return [*blocks.splitlines(), *spans]


def test_the_pages_that_a_person_looks_for_are_there() -> None:
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md", "docs/settings.md"} <= set(TEXTS)


@pytest.mark.parametrize("page", PAGES)
def test_what_is_taken_from_the_code_is_up_to_date(page: str) -> None:
    assert (ROOT / page).read_text("utf-8") == PAGES[page](), "run `make docs`"


@pytest.mark.parametrize("name", TEXTS)
def test_a_link_leads_somewhere(name: str) -> None:
    for file, anchor in links(name):
        assert file.exists(), file
        assert not anchor or anchor in anchors(file.read_text("utf-8")), anchor


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_that_a_page_names_exists(name: str) -> None:
    named = re.findall(rf"(?<![\w/.])(?:{'|'.join(FOLDERS)})/[\w./-]*", re.sub(r"\]\([^)]*\)", "", TEXTS[name]))
    # Of `assets/<stage>.py`, which stands for a file of each stage, this looks for the folder.
    assert [path for path in sorted({path.rstrip(".") for path in named}) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", TEXTS)
def test_a_command_that_a_page_names_exists(name: str) -> None:
    from drift_assets.cli import app

    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    named = {
        match[1] for line in commands(TEXTS[name]) if (match := re.match(r"(?:\.venv/bin/)?drift ([a-z0-9]+)\b", line))
    }

    assert named - set(known) == set()


@pytest.mark.parametrize("name", TEXTS)
def test_a_target_of_make_that_a_page_names_exists(name: str) -> None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {match[1] for line in commands(TEXTS[name]) if (match := re.match(r"make ([a-z-]+)\b", line))}

    assert named - known == set()


def test_the_newest_version_of_the_changelog_is_the_packages() -> None:
    versions = re.findall(r"^## (?!Unreleased)(\S+)", TEXTS["CHANGELOG.md"], re.MULTILINE)
    assert versions[0] == drift_assets.__version__


def test_each_fault_names_a_test_that_exists() -> None:
    rows = [line.split(" | ") for line in TEXTS["docs/faults.md"].splitlines() if line.startswith("| ")][1:]
    named = [re.fullmatch(r"`(test_\w+)` \|", row[-1]) for row in rows]
    written = "\n".join(path.read_text("utf-8") for path in (ROOT / "drift_tests").rglob("test_*.py"))

    assert len(rows) > 15
    assert [row for row, name in zip(rows, named, strict=True) if not name or len(row) != 4] == []
    assert [name[1] for name in named if name and f"def {name[1]}(" not in written] == []


def test_every_declared_dependency_has_its_licence_on_record() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[<>=\[]", text)[0] for texts in declared for text in texts} - {"drift-assets"}
    recorded = set(re.findall(r"^\| ([a-z0-9-]+) \| \S", TEXTS["docs/licences.md"], re.MULTILINE))

    assert recorded - {"package", "what"} == names
