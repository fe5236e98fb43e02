"""Runs that want to write the same index."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator

import dagster as dg
import psutil
import pytest

from drift_assets.assets.turns import Pace, Turn, in_turn, this_worker, turn_of
from drift_assets.assets.versions import STAGES
from drift_assets.errors import IndexBusy
from drift_assets.graph import lease as leases
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph, open_graph
from drift_assets.runs.dead import process_tags
from drift_tests.database import SmallIndex

PACE = Pace(lease=1.5, beat=0.1, look=0.02)
ALL = tuple(STAGES)


@pytest.fixture
def address(neo4j_server: Address) -> Address:
    SmallIndex().write(neo4j_server)
    return neo4j_server


def on(address: Address, work: Callable[[Graph], Awaitable[None]]) -> None:
    async def inside() -> None:
        async with open_graph(address) as graph:
            await work(graph)

    asyncio.run(inside())


def turn(run: str, *, more: bool = False, one_process: bool = True) -> Turn:
    return Turn(run, more=more, one_process=one_process, pace=PACE)


@pytest.fixture(params=[True, False], ids=["reaped", "not reaped"])
def killed_worker(request: pytest.FixtureRequest) -> Iterator[str]:
    """A process of this host that was killed, and that its parent has asked after or not."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    started = psutil.Process(process.pid).create_time()
    process.kill()
    if request.param:
        process.wait()
    else:
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
    yield json.dumps({**json.loads(this_worker()), "pid": process.pid, "started": started})
    process.wait()


def far_worker() -> str:
    return json.dumps({**json.loads(this_worker()), "host": "another"})


def test_a_second_run_is_refused_with_the_id_of_the_first_and_the_first_goes_on(address: Address) -> None:
    async def work(graph: Graph) -> None:
        async with in_turn(graph, turn("one"), print):
            with pytest.raises(IndexBusy, match="run one is indexing database neo4j"):
                async with in_turn(graph, turn("two"), print):
                    pytest.fail("two runs at once")
        async with in_turn(graph, turn("two"), print):
            pass

    on(address, work)


def test_a_run_of_another_host_that_shows_a_sign_of_life_is_left_alone(address: Address) -> None:
    told: list[str] = []

    async def work(graph: Graph) -> None:
        await leases.take(graph, run="far", worker=far_worker(), seconds=20)

        async def live() -> None:
            while True:
                await asyncio.sleep(0.1)
                await leases.renew(graph, run="far", worker=far_worker(), seconds=20)

        living = asyncio.create_task(live())
        with pytest.raises(IndexBusy, match="run far is indexing"):
            async with in_turn(graph, turn("two"), told.append):
                pytest.fail("two runs at once")
        living.cancel()

    on(address, work)
    assert [line.partition(";")[0] for line in told] == ["run far holds the index"]


def test_a_run_of_another_host_that_is_dead_blocks_until_its_lease_runs_out(address: Address) -> None:
    async def work(graph: Graph) -> None:
        began = asyncio.get_running_loop().time()
        await leases.take(graph, run="far", worker=far_worker(), seconds=0.6)
        async with in_turn(graph, turn("two"), print):
            assert 0.6 <= asyncio.get_running_loop().time() - began < 20

    on(address, work)


def test_a_killed_run_of_this_host_blocks_nobody(address: Address, killed_worker: str) -> None:
    async def work(graph: Graph) -> None:
        await leases.take(graph, run="killed", worker=killed_worker, seconds=600)
        async with asyncio.timeout(20), in_turn(graph, turn("two"), print):
            pass

    on(address, work)


def test_the_lease_is_renewed_while_a_stage_keeps_the_event_loop_busy(address: Address) -> None:
    async def work(graph: Graph) -> None:
        async with in_turn(graph, turn("one"), print):
            time.sleep(2.0)  # noqa: ASYNC251 - a busy loop is the point
            held = await leases.current_lease(graph)
            assert held is not None
            assert held.run == "one"

    on(address, work)


def test_a_run_whose_index_was_taken_over_stops(address: Address) -> None:
    async def work(graph: Graph) -> None:
        async def suspended() -> None:
            async with in_turn(graph, turn("one"), print):
                # Until it is not renewed between the look and the taking.
                while await leases.take(
                    graph, run="two", worker="", seconds=60, dead=await leases.current_lease(graph)
                ):
                    pass
                await asyncio.sleep(20)

        with pytest.raises(IndexBusy, match="taken over by another run or removed, while run one"):
            await asyncio.wait_for(suspended(), 10)
        held = await leases.current_lease(graph)
        assert held is not None
        assert held.run == "two"

    on(address, work)


@pytest.mark.parametrize("one_process", [True, False])
def test_between_two_stages_the_run_keeps_the_index(address: Address, one_process: bool) -> None:
    async def work(graph: Graph) -> None:
        async with in_turn(graph, turn("one", more=True, one_process=one_process), print):
            pass
        held = await leases.current_lease(graph)
        assert held is not None
        assert (held.run, held.worker) == ("one", this_worker() if one_process else "")
        async with in_turn(graph, turn("one"), print):
            pass
        assert await leases.current_lease(graph) is None

    on(address, work)


def test_a_stage_that_fails_gives_the_index_back(address: Address) -> None:
    async def work(graph: Graph) -> None:
        with pytest.raises(ValueError, match="broken"):
            async with in_turn(graph, turn("one", more=True), print):
                raise ValueError("broken")
        assert await leases.current_lease(graph) is None

    on(address, work)


def run_of(only: list[str] | None = None, steps: list[str] | None = None, **tags: str) -> dg.DagsterRun:
    keys = frozenset(dg.AssetKey(["drift", name]) for name in only) if only else None
    return dg.DagsterRun(job_name="index", run_id="one", asset_selection=keys, step_keys_to_execute=steps, tags=tags)


@pytest.mark.parametrize(
    ("run", "stage", "more"),
    [
        (run_of(), "chunks", True),
        (run_of(), "embeddings", False),
        (run_of(["entities", "chunks"]), "chunks", True),
        (run_of(["entities", "chunks"]), "entities", False),
        (run_of(steps=["drift__reports", "drift__embeddings"]), "reports", True),
        (run_of(steps=["drift__reports"]), "reports", False),
    ],
)
def test_a_run_keeps_its_turn_until_the_last_of_its_stages(run: dg.DagsterRun, stage: str, more: bool) -> None:
    assert turn_of(run, stage, ALL).more is more


def test_a_run_of_a_command_is_one_process_and_one_of_the_ui_may_be_many() -> None:
    assert turn_of(run_of(**process_tags("one")), "chunks", ALL).one_process
    assert not turn_of(run_of(), "chunks", ALL).one_process
