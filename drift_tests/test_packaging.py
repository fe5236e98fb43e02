"""What is installed, and what `make` does before it runs anything."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINS = dict(
    line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if line[:1] not in ("", "#")
)
SOURCES = [path.read_text("utf-8") for path in sorted((ROOT / "drift_assets").rglob("*.py"))]
# Released with dagster, and pinned by it to its own version.
PARTS_OF_DAGSTER = {"dagster-shared"}
# Started by `dagster dev`, and taken up by the driver when it is there.
WORKING_UNNAMED = {"dagster-webserver", "neo4j-rust-ext"}
Wanted = tuple[str, frozenset[str]]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[<>=!~;\[ ]", text)[0]) for text in requirements}


def required(name: str, extras: frozenset[str]) -> Iterator[Wanted]:
    """What an installed package requires on this system, each with the extras that it asks for."""
    for text in requires(name) or ():
        found = Requirement(text)
        if found.marker is None or any(found.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            yield normal(found.name), frozenset(found.extras)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone in a folder with a blank in its name, as far as set-up and build look at it."""
    folder = tmp_path / "a clone"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for name in ("drift_assets", "scripts"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def make(clone: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=clone, env=dict(os.environ) | environment, capture_output=True, text=True)


def test_a_wheel_holds_every_file_of_the_package_and_nothing_else(clone: Path, tmp_path: Path) -> None:
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-W", "ignore", "-c", build], cwd=clone, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")

    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}

    files = [path for path in (ROOT / "drift_assets").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert held == {path.relative_to(ROOT).as_posix() for path in files}
    assert {"drift_assets/local/jars.txt", "drift_assets/py.typed"} <= held
    assert any(name.startswith("drift_assets/language/prompts/") for name in held)
    assert any(name.startswith("drift_assets/demo/corpus/") for name in held)


def test_what_is_installed_is_pinned_exactly_and_without_addresses() -> None:
    text = (ROOT / "constraints.txt").read_text("utf-8")

    assert "://" not in text
    assert " @ " not in text
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in text.splitlines()[1:])


def test_every_package_that_comes_along_is_pinned_too() -> None:
    seen: set[Wanted] = set()
    waiting: set[Wanted] = {("drift-assets", frozenset({"dev"}))}
    while waiting:
        wanted = waiting.pop()
        seen.add(wanted)
        waiting |= set(required(*wanted)) - seen

    assert {name for name, _ in seen} - set(PINS) == {"drift-assets"}


def test_what_the_package_imports_is_declared() -> None:
    modules = set()
    for text in SOURCES:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add((node.module or "").partition(".")[0])
    optional = [text for extra in ("office", "parquet") for text in PROJECT["optional-dependencies"][extra]]
    declared = names(PROJECT["dependencies"] + optional) | {"drift-assets"} | PARTS_OF_DAGSTER
    installed = packages_distributions()

    assert {name for name in modules if name in installed and not {*map(normal, installed[name])} & declared} == set()


def test_what_is_declared_is_named_by_the_package() -> None:
    # spaCy's model is named as a distribution.
    words = set(re.findall(r"\w+", "\n".join(SOURCES).replace("-", "_")))
    modules: dict[str, set[str]] = {}
    for module, providers in packages_distributions().items():
        for provider in providers:
            modules.setdefault(normal(provider), set()).add(module)

    idle = {name for name in names(PROJECT["dependencies"]) if not modules.get(name, set()) & words}
    assert idle - WORKING_UNNAMED == set()


def test_the_definitions_merge_into_another_code_location() -> None:
    import dagster as dg

    from drift_assets.definitions import defs

    @dg.asset
    def chunks() -> None:
        """Their own asset, of a name that we have too."""

    merged = dg.Definitions.merge(dg.Definitions(assets=[chunks]), defs)

    dg.Definitions.validate_loadable(merged)
    keys = {key.to_user_string() for key in merged.resolve_all_asset_keys()}
    assert {"chunks", "drift/chunks", "drift/answers"} <= keys


def test_the_workspace_of_a_clone_loads(clone: Path) -> None:
    for name in ("workspace.yaml", "dagster.yaml"):
        shutil.copy(ROOT / name, clone)
    command = [sys.executable, "-m", "dagster", "definitions", "validate", "--workspace", "workspace.yaml"]

    done = subprocess.run(command, cwd=clone, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert "drift_assets" in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("import sys; sys.version_info = (3, 10, 1, 'final', 0)", "is cpython 3.10: install Python 3.11, 3.12, 3.13"),
        ("import sys; sys.version_info = (3, 15, 0, 'final', 0)", "is cpython 3.15: install Python 3.11, 3.12, 3.13"),
        ("import sys; sys.modules['ensurepip'] = None", "sudo apt-get install python3-venv"),
        ("import nothing_of_that_name", "does not run: install Python 3.11, 3.12, 3.13"),
    ],
)
def test_an_interpreter_that_will_not_do_ends_with_one_line_that_says_what_to_install(
    start: str, message: str, clone: Path
) -> None:
    python = clone / "python"
    python.write_text(f"""#!/bin/sh\nexec "{sys.executable}" -c "{start}; exec(sys.stdin.read())"\n""", "utf-8")
    python.chmod(0o755)

    done = make(clone, "demo", PYTHON=str(python))

    lines = [line for line in done.stderr.splitlines() if not re.match(r"make(\[\d+\])?: ", line)]
    assert done.returncode != 0
    assert len(lines) == 1
    assert message in lines[0]
    assert str(python) in lines[0]
    assert not (clone / ".venv").exists()


def test_an_interpreter_that_is_not_there_is_said_to_be_missing(clone: Path) -> None:
    done = make(clone, "test", PYTHON="no-such-python")

    assert done.returncode != 0
    assert "drift-assets: no-such-python is not there: install Python 3.11" in done.stderr


def test_no_key_server_or_pip_option_that_happens_to_be_set_takes_part(clone: Path) -> None:
    (clone / "show.mk").write_text("include Makefile\nshow:\n\t@env\n", "utf-8")
    dropped = ["OPENAI_API_KEY", "NEO4J_URI", "DRIFT_MODEL", "DAGSTER_HOME", "PIP_USER", "PIP_TARGET", "PYTHONPATH"]
    kept = ["DRIFT_HOME", "DRIFT_NEO4J_CACHE", "PIP_INDEX_URL", "PIP_CERT", "LANG"]

    done = make(clone, "-f", "show.mk", "show", **dict.fromkeys(dropped + kept, "given"))

    assert done.returncode == 0, done.stderr
    assert {line.partition("=")[0] for line in done.stdout.splitlines() if line.endswith("=given")} == set(kept)


def test_help_lists_what_a_person_calls(clone: Path) -> None:
    listed = [line.split()[0] for line in make(clone).stdout.splitlines()]

    assert listed[:3] == ["help", "demo", "test"]
    assert {"lint", "types", "pytest", "format", "docs", "clean"} <= set(listed)


def test_continuous_integration_calls_make_test() -> None:
    script = ROOT / ".ci" / "run"

    assert os.access(script, os.X_OK)
    assert script.read_text("utf-8").endswith("\nmake test\n")
