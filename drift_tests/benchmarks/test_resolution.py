from pathlib import Path

import pytest

from benchmarks.resolution import Pair, judge, main, read_pairs, report
from drift_assets.graph.address import Address
from drift_tests.database import query

ROOT = Path(__file__).parent.parent.parent / "benchmarks"
PAIRS = [
    Pair("Ada Quill", "Quill", same=True),
    Pair("Ada", "Quill", same=True),
    Pair("Ada Quill", "Ben Quill", same=False),
    Pair("Lund", "Quill", same=False),
    Pair("Nobody", "Quill", same=True),
]
STANDING = {"ADA QUILL": "QUILL", "QUILL": "QUILL", "BEN QUILL": "QUILL", "ADA": "ADA", "LUND": "LUND"}


def test_precision_and_recall_are_of_the_pairs_that_the_index_knows() -> None:
    found = judge(PAIRS, STANDING)

    assert (found.precision, found.recall) == (0.5, 0.5)
    shown = report(PAIRS, found)
    assert "| of one thing | 3 | 2 | 1 | 1 |" in shown
    assert "| of two things | 2 | 2 | 1 | 1 |" in shown
    assert "Merged, though two: Ada Quill / Ben Quill." in shown
    assert "Not both known: Nobody / Quill." in shown


def test_nothing_known_has_no_figures() -> None:
    assert "Precision –, recall –." in report(PAIRS, judge(PAIRS, {}))


@pytest.mark.parametrize("name", ["alice-names.csv", "moby-dick-names.csv"])
def test_each_file_of_pairs_has_enough_of_both_kinds_and_none_twice(name: str) -> None:
    pairs = read_pairs(ROOT / name)

    assert sum(pair.same for pair in pairs) >= 20
    assert sum(not pair.same for pair in pairs) >= 20
    assert len({frozenset((pair.first, pair.second)) for pair in pairs}) == len(pairs)


def test_an_index_that_is_there_is_looked_at(
    clean_address: Address,
    neo4j_variables: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in neo4j_variables.items():
        monkeypatch.setenv(name, value)
    query(
        clean_address,
        "CREATE (c:__Chunk__ {id: 'c'}), (e:__Entity__ {name: 'QUILL'}), (c)-[:MENTIONS]->(e), "
        "(c)-[:MENTIONS {name: 'ADA QUILL'}]->(e)",
    )
    file = tmp_path / "pairs.csv"
    file.write_text("same,first,second\nyes,Ada Quill,Quill\n", "utf-8")
    main([str(tmp_path), str(file), "--home", str(tmp_path)])

    assert "Precision 1.00, recall 1.00." in capsys.readouterr().out
