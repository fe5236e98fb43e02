"""What failed is kept, listed, set aside and tried again."""

from __future__ import annotations

from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.failures import FailedItem, count_failures, failed_items, failures, set_aside, try_again
from drift_tests.graph.writing import on, values, write_whole


async def failed(graph: Graph) -> None:
    """A whole index with a failure of each kind."""
    await write_whole(graph, indexes=False)
    for statement in (
        "MATCH (c:__Chunk__ {text: 'Nothing'}) SET c.failure = 'refused', c.embed_failure = 'odd'",
        "MATCH (e {name: 'TOM'}) SET e.failure = 'cut off', e.embed_failure = 'odd'",
        "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() SET p.failure = 'busy'",
        "MATCH (m {id: 'pair'}) SET m.failure = 'refused'",
    ):
        await graph.write(statement)


def test_failures_are_listed_by_stage_and_item(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[list[FailedItem], int, dict[str, tuple[int, list[FailedItem]]]]:
        await failed(graph)
        stages = ("chunks", "entities", "summaries", "communities", "reports", "embeddings")
        return (
            await failures(graph, limit=10),
            await count_failures(graph),
            {stage: await failed_items(graph, stage=stage, shown=1) for stage in stages},
        )

    every, count, by_stage = on(clean_address, work)
    assert every == [
        FailedItem("embeddings", "TOM", "odd"),
        FailedItem("embeddings", "a/Nothing/1", "odd"),
        FailedItem("entities", "a/Nothing/1", "refused"),
        FailedItem("reports", "pair", "refused"),
        FailedItem("summaries", "ANN – BOB", "busy"),
        FailedItem("summaries", "TOM", "cut off"),
    ]
    assert count == 6
    assert by_stage == {
        "chunks": (0, []),
        "entities": (1, [FailedItem("entities", "a/Nothing/1", "refused")]),
        "summaries": (2, [FailedItem("summaries", "ANN – BOB", "busy")]),
        "communities": (0, []),
        "reports": (1, [FailedItem("reports", "pair", "refused")]),
        "embeddings": (2, [FailedItem("embeddings", "TOM", "odd")]),
    }


def test_what_is_set_aside_is_listed_apart_and_not_counted(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, int, list[FailedItem], int]:
        await failed(graph)
        return (
            await set_aside(graph, item="TOM"),
            await set_aside(graph, item="ANN – BOB"),
            await failures(graph, limit=10, skipped=True),
            await count_failures(graph),
        )

    tom, pair, skipped, left = on(clean_address, work)
    assert (tom, pair) == (2, 1), "an entity may fail twice: its summary and its vector"
    assert [(item.stage, item.item) for item in skipped] == [
        ("embeddings", "TOM"),
        ("summaries", "ANN – BOB"),
        ("summaries", "TOM"),
    ]
    assert left == 3


def test_everything_is_tried_again_but_what_was_set_aside(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, int, int]:
        await failed(graph)
        await graph.write("MATCH (n) WHERE n.failure IS NOT NULL SET n.failed_for = 'v'")
        await set_aside(graph, item="TOM")
        return await try_again(graph), await try_again(graph, item="TOM"), await try_again(graph, item="NOBODY")

    assert on(clean_address, work) == (4, 2, 0)
    assert values(clean_address, "MATCH (n) WHERE n.failed_for IS NOT NULL OR n.skipped RETURN count(n)") == [0]
