"""What a search asks of the server is asked once before, so that it is planned when the search needs it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.search import ahead
from drift_assets.search.ahead import plan_queries
from drift_assets.settings import load_settings
from drift_tests.database import query
from drift_tests.graph.sent import sent_in_order
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import STAGES, begin, embedder, follow_ups, work


@pytest.fixture
def sent() -> Iterator[list[str]]:
    with sent_in_order() as queries:
        yield queries


def plan(address: Address) -> None:
    async def ahead() -> None:
        async with open_graph(address) as graph:
            await plan_queries(graph)

    asyncio.run(ahead())


async def search(address: Address) -> None:
    search_id = await begin(address, {})
    await work(address, search_id, tuple(STAGES), ScriptedLanguageModel(follow_ups), embedder(), load_settings())


def test_every_query_of_a_search_is_sent_ahead(archive: Address, sent: list[str]) -> None:
    plan(archive)
    planned = {text.removeprefix("EXPLAIN ") for text in sent}
    sent.clear()
    asyncio.run(search(archive))
    assert [text for text in dict.fromkeys(sent) if text not in planned] == []


def test_it_changes_nothing(archive: Address) -> None:
    everything = "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, collect([properties(r), elementId(m)]) AS links"
    before = sorted(map(str, query(archive, everything)))
    plan(archive)
    assert sorted(map(str, query(archive, everything))) == before


@pytest.mark.parametrize(("warm_seconds", "times"), [(60.0, 3), (0.0, 6)])
def test_a_server_that_was_slow_is_asked_more_often(
    archive: Address, sent: list[str], monkeypatch: pytest.MonkeyPatch, warm_seconds: float, times: int
) -> None:
    monkeypatch.setattr(ahead, "_WARM_SECONDS", warm_seconds)
    plan(archive)
    assert sum("SUMMARIZED_RELATIONSHIP]->" in text for text in sent) == times


def test_where_there_is_no_index_nothing_is_asked_of_it(clean_address: Address) -> None:
    plan(clean_address)
