from pathlib import Path

import pytest

from benchmarks.change import Sizes, changes, copied, felt_table, indexed_table, read
from benchmarks.home import Home

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_folder_changes_step_by_step(document: Path, tmp_path: Path) -> None:
    (document / "short.txt").write_text("A short one.")
    (document / "sub").mkdir()
    (document / "sub" / "middle.txt").write_text("One that is longer than the short one.")
    [longest] = [name for name in read(document) if name.endswith(".md")]

    seen = [(step, sorted(read(document))) for step in changes(document, tmp_path / "aside", 2)]

    renamed = f"renamed-{longest}"
    assert seen == [
        ("1 documents", [longest]),
        ("unchanged", [longest]),
        ("a file renamed", [renamed]),
        ("3 words added (short.txt)", [renamed, "short.txt"]),
        ("8 words added (sub/middle.txt)", [renamed, "short.txt", "sub/middle.txt"]),
    ]


@pytest.mark.soak
def test_each_step_is_indexed_and_the_folder_itself_stays(home: Home, document: Path) -> None:
    [made] = [cells(line) for line in indexed_table(home, copied(home, document), ["made"]).splitlines()[2:]]

    figures = [float(cell.replace(",", "")) for cell in made[1:]]
    calls, vectors, of_vectors, written, reports, share, new, gone = figures
    assert made[0] == "made"
    assert (vectors, gone) == (of_vectors, 0)
    assert calls > written == reports > 0
    assert (share, new >= reports) == (100, True)
    assert len(read(document)) == 1


def test_a_text_is_measured_as_it_is_and_on_one_line(document: Path) -> None:
    rows = [cells(line) for line in felt_table(read(document), Sizes(places=3), 64).splitlines()[2:]]

    assert [row[0] for row in rows] == ["as it is", "without line breaks"]
    assert all(row[4] == "3" and float(row[5]) >= 1 for row in rows)
