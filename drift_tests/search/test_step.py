"""What a stage has used, and what it may still use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from drift_assets.errors import IndexMismatch, LimitReached
from drift_assets.graph.address import Address
from drift_assets.language.usage import Usage
from drift_assets.search.result import SearchResult
from drift_assets.search.step import Step, StepUse, open_step, read_steps, total_usage
from drift_assets.settings import load_settings
from drift_tests.database import query, run_on
from drift_tests.scripted import ScriptedEmbedder, ScriptedLanguageModel, scripted_models
from drift_tests.search.archive import begin, embedder, follow_ups, result_of


def execute(address: Address, name: str, work: Callable[[Step], Awaitable[None]], **options: Any) -> StepUse:
    """What a stage of a new search with these options has used when `work` was done."""

    async def executed() -> StepUse:
        search_id = await begin(address, options)
        await once(search_id)
        return (await result_of(address, search_id)).steps[name]

    async def once(search_id: str) -> None:
        models = scripted_models(ScriptedLanguageModel(follow_ups), embedder())
        async with open_step(
            address, load_settings(), search_id=search_id, run_id="run", name=name, models=models
        ) as step:
            await work(step)

    return run_on(address, executed())


async def embed_once(step: Step) -> None:
    await step.embed(["a text"])


def test_what_a_stage_used_is_stored_at_its_end(archive: Address) -> None:
    use = execute(archive, "hyde", embed_once)

    assert use.usage == Usage(embedding_calls=1, embedding_tokens=1)
    assert use.seconds > 0


def test_vectors_of_another_length_than_the_index_s_are_refused_before_anything_is_looked_up(archive: Address) -> None:
    async def embed_otherwise(step: Step) -> None:
        step.embedder = ScriptedEmbedder({}, default=[1.0, 0.0, 0.0, 0.0])
        await embed_once(step)

    with pytest.raises(IndexMismatch, match=r"index have 3 dimensions .* scripted:words now have 4: .* `drift index`"):
        execute(archive, "hyde", embed_otherwise)


def test_what_a_stage_used_is_stored_also_when_it_breaks(archive: Address) -> None:
    async def embed_and_break(step: Step) -> None:
        await embed_once(step)
        raise RuntimeError("a defect")

    with pytest.raises(RuntimeError):
        execute(archive, "hyde", embed_and_break)

    result = run_on(archive, result_of(archive))
    assert result.usage.embedding_calls == 1
    assert (result.status, result.notes) == ("failed", ("RuntimeError: a defect",))


def test_a_search_whose_models_cannot_be_opened_does_not_seem_to_run(archive: Address) -> None:
    @asynccontextmanager
    async def broken(*_: Any) -> AsyncIterator[Any]:
        raise OSError("no such file")
        yield

    async def executed() -> SearchResult:
        search_id = await begin(archive, {})
        with pytest.raises(OSError, match="no such file"):
            async with open_step(
                archive, load_settings(), search_id=search_id, run_id="run", name="hyde", models=broken
            ):
                raise AssertionError("the stage was opened")
        return await result_of(archive, search_id)

    result = run_on(archive, executed())

    assert (result.status, result.notes) == ("failed", ("OSError: no such file",))


def test_a_search_that_somebody_stopped_is_canceled(archive: Address) -> None:
    async def interrupted(step: Step) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        execute(archive, "hyde", interrupted)

    result = run_on(archive, result_of(archive))
    assert (result.status, result.notes) == ("canceled", ("interrupted: re-execute the run to go on from there",))


def test_a_stage_that_is_executed_again_adds_to_its_use_and_forgets_its_notes(archive: Address) -> None:
    async def twice(step: Step) -> None:
        step.note("not what it could be")
        step.note("not what it could be")
        await embed_once(step)
        assert step.use.notes == ["not what it could be"]

    async def executed() -> tuple[StepUse, StepUse]:
        search_id = await begin(archive, {})
        uses = []
        for work in (twice, embed_once):
            models = scripted_models(ScriptedLanguageModel(follow_ups), embedder())
            async with open_step(
                archive, load_settings(), search_id=search_id, run_id="run", name="local", models=models
            ) as step:
                await work(step)
            uses.append((await result_of(archive, search_id)).steps["local"])
        return uses[0], uses[1]

    first, second = run_on(archive, executed())

    assert (first.usage.embedding_calls, first.notes) == (1, ["not what it could be"])
    assert (second.usage.embedding_calls, second.notes) == (2, [])
    assert second.seconds > first.seconds


@pytest.mark.parametrize(("used", "left"), [(0, 3), (1, 2), (3, 0), (4, 0)])
def test_of_the_calls_one_is_kept_for_the_answer(archive: Address, used: int, left: int) -> None:
    async def look(step: Step) -> None:
        for _ in range(used):
            await embed_once(step)
        assert step.calls_left() == left

    execute(archive, "local", look, max_calls=4)


def test_without_a_limit_nothing_is_kept(archive: Address) -> None:
    async def look(step: Step) -> None:
        step.check_reserve()
        assert step.calls_left() is None

    execute(archive, "local", look)


@pytest.mark.parametrize("limit", [{"max_tokens": 5}, {"max_cost_usd": 1.0}, {"max_seconds": 1000.0}])
def test_a_fifth_of_the_other_limits_is_kept_for_the_answer(archive: Address, limit: dict[str, Any]) -> None:
    [(name, amount)] = limit.items()

    async def look(step: Step) -> None:
        step.check_reserve()
        step.meter.usage.add(Usage(input_tokens=4, cost_usd=0.8))
        step.started -= 800
        with pytest.raises(LimitReached, match=f"{name} {amount:g} is reached"):
            step.check_reserve()

    execute(archive, "local", look, **limit)


def test_a_call_is_not_begun_when_the_time_is_over(archive: Address) -> None:
    async def look(step: Step) -> None:
        step.started -= 100
        with pytest.raises(LimitReached, match="max_seconds 100 is reached"):
            await step.embed(["a text"])

    assert execute(archive, "reduce", look, max_seconds=100.0).usage.calls == 0


def test_a_call_that_times_out_by_itself_is_no_limit(archive: Address) -> None:
    async def look(step: Step) -> None:
        async def fail(texts: Any) -> Any:
            raise TimeoutError

        step.embedder.embed = fail  # type: ignore[method-assign]
        with pytest.raises(TimeoutError):
            await step.embed(["a text"])

    execute(archive, "hyde", look, max_seconds=100.0)


def test_the_use_of_stages_adds_up_and_an_unknown_cost_stays_unknown() -> None:
    text = (
        '{"hyde": {"usage": {"language_calls": 1, "cost_usd": 0.5}, "seconds": 1.5, "notes": []}, '
        '"local": {"usage": {"language_calls": 2, "cost_usd": null}, "seconds": 2.5, "notes": ["late"]}}'
    )

    steps = read_steps(text)

    assert steps["local"] == StepUse(Usage(language_calls=2, cost_usd=None), 2.5, ["late"])
    assert total_usage(steps) == Usage(language_calls=3, cost_usd=None)


def test_an_index_that_is_gone_ends_the_search(neo4j_server: Address) -> None:
    query(neo4j_server, "MATCH (n) DETACH DELETE n")

    with pytest.raises(IndexMismatch, match="the index is gone since the search began"):
        execute(neo4j_server, "hyde", embed_once)

    result = run_on(neo4j_server, result_of(neo4j_server))
    assert result.status == "failed"
