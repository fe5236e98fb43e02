"""What entities would bring that is unread."""

from __future__ import annotations

import asyncio

from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.graph.gain import unseen_shares
from drift_tests.search.archive import INDEX


def test_the_share_of_mentions_in_chunks_that_were_not_read(neo4j_server: Address) -> None:
    INDEX.write(neo4j_server)

    async def shares() -> list[float]:
        async with open_graph(neo4j_server) as graph:
            names = [["LAMP"], ["REEVE", "LAMP", "LAMP"], ["BOAT"], ["NOBODY"], []]
            return await unseen_shares(graph, names=names, read={"c1", "c3"})

    # The lamp stands in c1 and c2, Reeve in c1 and c4.
    assert asyncio.run(shares()) == [0.5, 0.5, 0.0, 1.0, 1.0]
