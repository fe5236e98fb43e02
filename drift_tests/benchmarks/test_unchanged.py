from pathlib import Path

import pytest

from benchmarks.home import Home
from benchmarks.unchanged import COLUMNS, PER_CHUNK, PER_DOCUMENT, SETTINGS, row, unchanged
from drift_assets.graph.address import Address
from drift_tests.database import query

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]


def test_a_run_that_finds_nothing_to_do_is_measured(
    clean_address: Address, neo4j_variables: dict[str, str], tmp_path: Path
) -> None:
    home = Home(tmp_path / ".drift", {**neo4j_variables, **SETTINGS})

    again = unchanged(home, clean_address, tmp_path / "corpus", PER_DOCUMENT)

    figures = row(PER_DOCUMENT, again)
    assert len(figures) == len(COLUMNS)
    assert all(float(str(figure)) > 0 for figure in figures)
    held = again.finished.output
    assert (held["documents"], held["chunks"], held["entities"]) == (1, PER_DOCUMENT, PER_DOCUMENT * PER_CHUNK)
    assert {stage["new"] for stage in held["stages"].values()} == {0}
    assert query(clean_address, "MATCH ()-[m:MENTIONS]->() RETURN count(m) AS count")[0]["count"] == 300
