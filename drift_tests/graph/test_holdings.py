"""What the index holds, and its removal."""

from __future__ import annotations

import pytest

from drift_assets.graph import holdings
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.holdings import Holdings
from drift_assets.graph.schema import index_state
from drift_tests.database import query
from drift_tests.graph.writing import on, values, write_whole


def test_an_index_is_counted(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[Holdings, Holdings]:
        await write_whole(graph, indexes=False)
        return await holdings.holdings(graph, vectors=""), await holdings.holdings(graph, vectors="_2")

    counted, other = on(clean_address, work)
    assert counted == Holdings(
        documents=2, chunks=3, entities=3, relationships=1, communities=1, reports=1, embeddings=7
    )
    assert other.embeddings == 0


def test_an_empty_index_holds_nothing(clean_address: Address) -> None:
    assert on(clean_address, lambda graph: holdings.holdings(graph, vectors="")) == Holdings(0, 0, 0, 0, 0, 0, 0)


def test_a_removal_tells_what_it_would_take_and_takes_nothing_else(clean_address: Address) -> None:
    query(clean_address, "CREATE (:Person {name: 'Ann'})-[:KNOWS]->(:Person {name: 'Bob'})")

    async def work(graph: Graph) -> tuple[dict[str, int], dict[str, int]]:
        await write_whole(graph)
        before = await holdings.stored_nodes(graph)
        await holdings.remove_index(graph)
        return before, await holdings.stored_nodes(graph)

    before, after = on(clean_address, work)
    assert before == {"__Chunk__": 3, "__Community__": 2, "__Document__": 2, "__Entity__": 3, "__Index__": 1}
    assert after == {}
    assert values(clean_address, "MATCH (a:Person)-[:KNOWS]->(b:Person) RETURN a.name, b.name") == [("Ann", "Bob")]
    assert values(clean_address, "SHOW VECTOR INDEXES YIELD name RETURN name") == []


def test_a_removal_in_batches_leaves_the_mark_that_the_rest_is_ours_to_the_end(
    clean_address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holdings, "_BATCH", 4)
    seen: list[bool] = []

    class Watched(Graph):
        """Looks at the mark before each write."""

        async def write(self, query: str, **parameters: object) -> list[dict[str, object]]:
            seen.append(await index_state(self) is not None)
            return await super().write(query, **parameters)

    async def work(graph: Graph) -> None:
        await write_whole(graph, indexes=False)
        await holdings.remove_index(Watched(graph._driver, graph.address, graph.server))

    on(clean_address, work)
    assert all(seen)
    assert values(clean_address, "MATCH (n) RETURN count(n)") == [0]
