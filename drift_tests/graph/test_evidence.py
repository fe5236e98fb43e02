from typing import TypeVar

import pytest

from drift_assets.graph.address import Address
from drift_assets.graph.evidence import PlacedChunk, chunks_below, chunks_of, existing_sources
from drift_tests.database import SmallIndex, on, query

T = TypeVar("T")

INDEX = SmallIndex(
    entities={"LAMP": ("A lamp.", [1, 0]), "REEVE": ("A keeper.", [1, 0]), "BOAT": ("A boat.", [0, 1])},
    chunks={
        "c1": ("a.txt", "Reeve lit the lamp.", ["LAMP", "REEVE"], [1, 0]),
        "c2": ("a.txt", "The boat came in.", ["BOAT"], [0, 1]),
        "c3": ("b.txt", "Reeve slept.", ["REEVE"], [1, 0]),
    },
    relationships=[("LAMP", "REEVE", 1.0)],
    communities={
        "shore": (0, 5.0, "All.", None, [], None),
        "light": (1, 5.0, "The light.", "shore", ["LAMP", "REEVE"], None),
        "sea": (1, 5.0, "The sea.", "shore", ["BOAT"], None),
    },
)


@pytest.fixture(scope="module")
def address(neo4j_server: Address) -> Address:
    INDEX.write(neo4j_server)
    query(
        neo4j_server,
        "UNWIND $rows AS row MATCH (c:__Chunk__ {id: row[0]}) SET c.position = row[1]",
        rows=[["c1", 1], ["c2", 0], ["c3", 0]],
    )
    return neo4j_server


def test_chunks_come_with_their_place_in_the_order_of_the_documents(address: Address) -> None:
    assert on(address, lambda graph: chunks_of(graph, ids=["c3", "c1", "c2", "gone"])) == [
        PlacedChunk("c2", "a.txt", 0, "The boat came in."),
        PlacedChunk("c1", "a.txt", 1, "Reeve lit the lamp."),
        PlacedChunk("c3", "b.txt", 0, "Reeve slept."),
    ]


def test_a_report_rests_on_the_chunks_of_all_levels_below_it_each_once(address: Address) -> None:
    def below(*communities: str) -> list[str]:
        return [chunk.id for chunk in on(address, lambda graph: chunks_below(graph, communities=communities))]

    assert below("light") == ["c1", "c3"]
    assert below("shore") == ["c2", "c1", "c3"]
    assert below("light", "sea", "gone") == ["c2", "c1", "c3"]
    assert below() == []


def test_only_sources_of_the_index_exist(address: Address) -> None:
    ids = ["c1", "light", "LAMP", "LAMP-REEVE", "gone", "a.txt"]

    assert on(address, lambda graph: existing_sources(graph, ids=ids)) == {"c1", "light", "LAMP", "LAMP-REEVE"}
