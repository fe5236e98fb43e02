"""Where a quotation stands in its document."""

from __future__ import annotations

from pathlib import Path

import pytest

from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.graph.searches import StoredPassage
from drift_assets.search.places import Place, places_of, start_of
from drift_tests.database import query, run_on
from drift_tests.search.archive import INDEX

TEXT = "\ufeffThe tower\r\n\r\nReeve slept.\r\nReeve lit\r\nthe lamp at dusk.\r\n"
CHUNK = "Reeve slept.\nReeve lit\nthe lamp at dusk."
PASSAGE = StoredPassage(1, "chunk", "c1", "Tower", "tower.txt", "Reeve slept.\nReeve lit\nthe lamp at dusk.", 9)


@pytest.fixture
def corpus(neo4j_server: Address, tmp_path: Path) -> Path:
    INDEX.write(neo4j_server)
    (tmp_path / "tower.txt").write_bytes(TEXT.encode())
    query(neo4j_server, "MATCH (i:__Index__) SET i.corpus = $folder", folder=str(tmp_path))
    query(neo4j_server, "MATCH (c:__Chunk__ {id: 'c1'}) SET c.start = 11, c.text = $said", said=CHUNK)
    return tmp_path


def places(address: Address, answer: str) -> dict[int, Place]:
    async def read() -> dict[int, Place]:
        async with open_graph(address) as graph:
            return await places_of(graph, [PASSAGE], answer)

    return run_on(address, read())


def test_a_quotation_has_its_line_and_what_is_not_cited_the_line_it_begins_at(
    neo4j_server: Address, corpus: Path
) -> None:
    assert places(neo4j_server, "Reeve lit the lamp at dusk [1].") == {1: Place(24, 4)}
    assert places(neo4j_server, "") == {1: Place(11, 3)}
    (corpus / "tower.txt").write_bytes(TEXT.replace("slept.", "slept.\n").encode())
    assert places(neo4j_server, "") == {1: Place(11)}
    (corpus / "tower.txt").unlink()
    assert places(neo4j_server, "") == {1: Place(11)}


@pytest.mark.parametrize(
    ("quoted", "start"),
    [("Reeve lit the lamp", 13), ("lit the … slept", 19), ("dusk…", 35), ("nowhere", 0), ("", 0)],
)
def test_a_quotation_is_found_whatever_its_line_breaks(quoted: str, start: int) -> None:
    assert start_of(quoted, CHUNK) == start
