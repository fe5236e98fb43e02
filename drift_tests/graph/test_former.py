"""What a search sees of the database while it reads one generation of the communities."""

from __future__ import annotations

from dataclasses import replace

from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, Transaction
from drift_assets.graph.driver import open_driver
from drift_assets.graph.former import View
from drift_tests.database import empty
from drift_tests.graph.writing import on, write_whole


def test_a_view_goes_on_where_the_graph_has_gone_on(neo4j_server: Address) -> None:
    empty(neo4j_server)
    on(neo4j_server, write_whole)

    async def work(graph: Graph) -> None:
        nowhere = replace(neo4j_server, uri="bolt://127.0.0.1:1")
        there, graph._driver = graph._driver, open_driver(nowhere, 0.0)
        view = View(graph, 1)
        # What becomes of a graph whose server was killed and started again at another address.
        gone, graph._driver = graph._driver, there
        await gone.close()
        assert await view.read("MATCH (m:__Community__) RETURN count(m) AS count") == [{"count": 2}]
        await view.write("CREATE (:Seen)")

        async def count(transaction: Transaction) -> int:
            return len(await transaction.run("MATCH (n:Seen) DELETE n RETURN 1"))

        assert await view.write_together(count) == 1

    on(neo4j_server, work)
