import shutil
from pathlib import Path

import pytest

from benchmarks.change import Sizes, felt_table, indexed_table, read
from benchmarks.home import Home
from drift_assets.demo import corpus_folder

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_what_a_change_costs_is_measured(home: Home, document: Path) -> None:
    shutil.copy(sorted(corpus_folder().glob("*.md"))[-1], document)
    names = sorted(read(document), key=lambda name: len(read(document)[name]))

    rows = [cells(line) for line in indexed_table(home, document, Sizes(newcomers=1)).splitlines()[2:]]

    assert [row[0] for row in rows[:3]] == ["1 documents", "unchanged", "a file renamed"]
    assert rows[3][0].endswith(f"words added ({names[0]})")
    assert int(rows[0][1].replace(",", "")) > 0
    assert int(rows[0][-2]) > 0
    for unchanged in rows[1:3]:
        assert [unchanged[at] for at in (1, 2, 4, 7, 8)] == ["0"] * 5
    assert int(rows[3][2].replace(",", "")) > 0
    assert sorted(read(document)) == sorted(names), "the folder itself is left as it is"


def test_a_text_is_measured_as_it_is_and_on_one_line(document: Path) -> None:
    rows = [cells(line) for line in felt_table(read(document), Sizes(places=3), 64).splitlines()[2:]]

    assert [row[0] for row in rows] == ["as it is", "without line breaks"]
    assert all(row[4] == "3" and float(row[5]) >= 1 for row in rows)
