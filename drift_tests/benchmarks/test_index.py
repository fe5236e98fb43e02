import re
from pathlib import Path

import pytest

from benchmarks.home import Home
from benchmarks.index import OPS, STAGES, run, spread

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


def seconds(told: str, line: str) -> float:
    """The first figure of a line of a table."""
    found = re.search(rf"^\| {re.escape(line)} \| ([\d.]+)", told, re.MULTILINE)
    assert found, line
    return float(found.group(1))


@pytest.mark.soak
def test_every_stage_and_op_is_measured(home: Home, document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(home, document, ["Who built the Fog Organ?"])
    told = capsys.readouterr().out

    index, searches = told.split("searches, the server up")
    parts = ["before the first stage", *STAGES, "checks", "between and after the stages"]
    assert sum(seconds(index, part) for part in parts) == pytest.approx(
        seconds(index, "**the whole command**"), abs=0.1 * len(parts)
    )
    assert 0 < sum(seconds(searches, op) for op in OPS) <= seconds(searches, "**all ops**") + 0.1
    assert seconds(searches, "**all ops**") < seconds(searches, "**the whole command**")
    assert "An index of 1 documents" in told
    assert "nothing having changed: " in told
    assert " 0 calls." in told


@pytest.mark.parametrize(("count", "chosen"), [(1, "a"), (2, "ac"), (4, "abcd"), (9, "abcd")])
def test_questions_are_taken_from_all_over_the_file(count: int, chosen: str) -> None:
    assert spread(list("abcd"), count) == list(chosen)
