"""When searches go over from the communities that they read to those that a run has made."""

from __future__ import annotations

from pathlib import Path

from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.failures import count_failures
from drift_assets.graph.former import View
from drift_assets.graph.schema import index_state
from drift_tests.assets.bench import CORPUS, FERRY, Bench
from drift_tests.assets.world import World

TEXTS = [
    "Martha Reeve keeps the Fog Organ. The Fog Organ stands in Port Merrin.",
    "Martha Reeve wrote to Tobias Lund. Tobias Lund leads the Merrin Museum.",
    "Ann, Bea, Cid, Dan, Eva, Fay, Gus, Hal, Ida.",
]


async def readable(graph: Graph) -> tuple[set[str], set[str]]:
    """The reports that a search beginning now can read, and those of them that it finds by vector."""
    state = await index_state(graph)
    assert state is not None
    view = View(graph, state.generation or 0)
    rows = await view.read(
        "MATCH (m:__Community__) WHERE m.size > 1 AND m.title IS NOT NULL "
        "RETURN m.id AS id, m.embedding IS NOT NULL AS found"
    )
    return {row["id"] for row in rows}, {row["id"] for row in rows if row["found"]}


def test_a_change_of_the_rating_to_reach_is_seen_whole_or_not_at_all(neo4j_server: Address, tmp_path: Path) -> None:
    with World(neo4j_server, tmp_path / "corpus") as world:
        world.documents = {"a.txt": TEXTS}
        world.index()
        before = world.runner.run(readable(world.graph))
        seen, half, ended = [], 0, False
        # The first writes are those of the stages before.
        for write in range(12, 40):
            world.chosen["min_rating"] = 3.0
            world.index()
            world.chosen["min_rating"] = 5.0
            ended = world.index(fail_at=write)
            seen.append(world.runner.run(readable(world.graph)))
            [row] = world.read("MATCH (m:__Community__) WHERE m.embedding IS NOT NULL RETURN collect(m.id) AS found")
            half += seen[-1] == before and set(row["found"]) != before[1]
            if ended:
                break
        left = world.read("MATCH (f:__FormerCommunity__) RETURN f")

    assert ended
    after = seen[-1]
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert [state for state in seen if state not in (before, after)] == []
    assert half > 0
    assert left == []


def test_a_report_that_fails_for_now_does_not_keep_searches_from_all_others(bench: Bench) -> None:
    bench.write({name: CORPUS[name] for name in ("harbour.txt", "museum.txt")})
    bench.index()
    before = bench.on_stage(lambda stage: readable(stage.graph))
    bench.write({"ferry.txt": FERRY, "row.txt": TEXTS[2]})
    bench.service.forget()
    bench.service.fail(1, "500", on="report")
    bench.index()

    after = bench.on_stage(lambda stage: readable(stage.graph))
    failed = bench.on_stage(lambda stage: count_failures(stage.graph))
    assert failed == 1
    assert len(bench.service.of("report")) > 1
    assert after[0] - before[0]
    assert bench.values("MATCH (f:__FormerCommunity__) RETURN count(f)") == [0]
    [missing] = bench.values("MATCH (m:__Community__) WHERE m.failure IS NOT NULL RETURN m.id")
    assert missing not in after[0] - before[0]

    bench.index()
    assert bench.on_stage(lambda stage: readable(stage.graph))[0] >= after[0] | {missing}
