"""What has changed in a folder since it was indexed, by names and times."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from drift_assets.assets.changes import changed_files
from drift_assets.errors import CorpusError

DOCUMENTS = ["a.md", "deep/b.txt", "rows.csv#1", "rows.csv#2"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of old files; `picture.md` is one that the index could not read."""
    for name in ("a.md", "deep/b.txt", "rows.csv", "picture.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("as it was", encoding="utf-8")
        os.utime(tmp_path / name, (1_000, 1_000))
    return tmp_path


def test_a_folder_that_nobody_touched_has_not_changed(folder: Path) -> None:
    assert changed_files(folder, DOCUMENTS, time.time() + 1) == 0


@pytest.mark.parametrize("changed", ["a.md", "deep/b.txt", "rows.csv"])
def test_a_file_written_since_counts_once_also_as_a_table(folder: Path, changed: str) -> None:
    os.utime(folder / changed, (5_000, 5_000))
    (folder / "picture.md").unlink()
    assert changed_files(folder, DOCUMENTS, 4_000) == 1


def test_files_that_came_count_also_with_an_old_time(folder: Path) -> None:
    (folder / "picture.md").unlink()
    since = time.time() - 1
    (folder / "new.md").write_text("new", encoding="utf-8")
    os.utime(folder / "new.md", (1_000, 1_000))
    assert changed_files(folder, DOCUMENTS, since) == 1


def test_files_that_went_count_once_also_as_a_table(folder: Path) -> None:
    for name in ("a.md", "rows.csv"):
        (folder / name).unlink()
    assert changed_files(folder, DOCUMENTS, time.time() + 1) == 2


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError):
        changed_files(tmp_path / "none", DOCUMENTS, 0)
