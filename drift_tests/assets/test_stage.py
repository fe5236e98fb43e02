"""The frame of every stage: its report, its limits, its run under Dagster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from drift_assets.assets.embeddings import embed_nodes
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import SCHEDULED, Stage
from drift_assets.assets.turns import this_worker
from drift_assets.definitions import defs
from drift_assets.errors import LimitReached
from drift_assets.graph.lease import take
from drift_assets.language.usage import Usage
from drift_assets.wording import counted
from drift_tests.assets.bench import CORPUS, ROW, Bench

STAGES = ["chunks", "entities", "summaries", "communities", "reports", "embeddings"]
ALONE = "Tobias Lund met Ada Quill. Tobias Lund left Port Merrin."


class Job:
    """The job `index` on an instance with its history on disk, as a code location runs it."""

    def __init__(self, bench: Bench, instance: dg.DagsterInstance, environment: pytest.MonkeyPatch) -> None:
        self.bench, self.instance, self.environment = bench, instance, environment

    def run(
        self,
        config: dict[str, Any] | None = None,
        only: list[dg.AssetKey] | None = None,
        tags: dict[str, str] | None = None,
        **variables: str,
    ) -> dg.ExecuteInProcessResult:
        for name, value in variables.items():
            self.environment.setenv(name, value)
        given = {"folder": str(self.bench.folder)} if config is None else config
        job = defs.resolve_job_def("index")
        return job.execute_in_process(
            run_config=given, instance=self.instance, raise_on_error=False, asset_selection=only, tags=tags
        )


@pytest.fixture
def job(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Job]:
    variables = {
        "NEO4J_URI": bench.address.uri,
        "NEO4J_PASSWORD": bench.address.password,
        "OPENAI_BASE_URL": bench.service.url,
        "OPENAI_API_KEY": "test-key-0123456789",
        "DRIFT_CONCURRENCY": "2",
        "DRIFT_CALL_ATTEMPTS": "1",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    history = tmp_path / "history"
    history.mkdir()
    with dg.DagsterInstance.local_temp(str(history), overrides={"telemetry": {"enabled": False}}) as instance:
        yield Job(bench, instance, monkeypatch)


def metadata(result: dg.ExecuteInProcessResult) -> dict[str, dict[str, Any]]:
    """Metadata of each stage, as plain values."""
    events = [event.materialization for event in result.get_asset_materialization_events()]
    return {event.asset_key.path[-1]: {name: entry.value for name, entry in event.metadata.items()} for event in events}


def checks(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {one.check_name: one.passed for one in result.get_asset_check_evaluations()}


def errors(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    """The whole error text of each failed step."""
    return {
        event.step_key: str(event.step_failure_data.error)
        for event in result.all_events
        if event.is_step_failure and event.step_key
    }


def test_the_job_brings_all_six_up_to_date_and_all_checks_pass(job: Job) -> None:
    job.bench.write(CORPUS)
    result = job.run()
    assert result.success, errors(result)
    told = metadata(result)
    assert list(told) == STAGES
    assert all(checks(result).values())
    assert len(checks(result)) == 20
    assert job.bench.values("MATCH (i:__Index__) WHERE i.lease_run IS NOT NULL RETURN i.lease_run") == []
    numbers = (
        "new",
        "reused",
        "deleted",
        "failed",
        "seconds",
        "language_calls",
        "embedding_calls",
        "input_tokens",
    )
    assert all(isinstance(values[name], int | float) for values in told.values() for name in numbers)
    assert told["entities"]["language_calls"] == len(job.bench.service.of("extract")) == 3
    assert told["reports"]["language_calls"] == len(job.bench.service.of("report"))
    assert sum(one["embedding_calls"] for one in told.values()) == len(job.bench.service.of("embeddings"))
    assert "Martha Reeve" in told["entities"]["sample"]
    event = result.get_asset_materialization_events()[1]
    assert event.materialization.tags is not None
    assert "dagster/data_version" in event.materialization.tags


def test_failed_items_fail_the_run_by_the_last_check_after_all_six_have_done_their_work(job: Job) -> None:
    job.bench.write({**CORPUS, "alone.txt": ALONE})
    job.bench.service.fail(1, "refusal", on="extract")
    result = job.run(DRIFT_CONCURRENCY="1")
    assert not result.success
    told = metadata(result)
    assert list(told) == STAGES
    assert told["entities"]["failed"] == 1
    assert "refused extract" in told["entities"]["failures"]
    failed = [one for one in result.get_asset_check_evaluations() if not one.passed]
    assert [one.check_name for one in failed if one.severity == dg.AssetCheckSeverity.ERROR] == ["no_failed_items"]
    assert "refused extract" in (failed[0].description or "")
    assert failed[0].metadata["offenders"].value == 1


def test_the_limits_are_those_of_the_whole_run(job: Job) -> None:
    job.bench.write(CORPUS)
    result = job.run(DRIFT_MAX_CALLS="4")
    assert not result.success
    assert list(metadata(result)) == ["chunks", "entities"]
    assert metadata(result)["entities"]["language_calls"] == 3
    assert "the limit of 4 calls is reached" in errors(result)["drift__summaries"]
    assert len(job.bench.service.requests) == 4
    again = job.run(DRIFT_MAX_CALLS="1")
    assert "the limit of 1 call is reached" in errors(again)["drift__summaries"]
    assert len(job.bench.service.requests) == 5, "another run has its own count"


def test_a_limit_in_the_form_of_the_run_holds_over_all_stages_and_wins(job: Job) -> None:
    job.bench.write(CORPUS)
    result = job.run({"folder": str(job.bench.folder), "max_calls": 4}, DRIFT_MAX_CALLS="1")
    assert list(metadata(result)) == ["chunks", "entities"]
    assert "the limit of 4 calls is reached" in errors(result)["drift__summaries"]
    assert "(--max-calls, or DRIFT_MAX_CALLS)" in errors(result)["drift__summaries"]
    assert len(job.bench.service.requests) == 4


@pytest.mark.parametrize("models", [("openai", "openai"), ("openai", "minilm"), ("extractive", "minilm")])
@pytest.mark.parametrize("allowed", [1, 4, 8])
def test_no_more_calls_are_made_than_are_allowed_with_eight_at_once(
    bench: Bench, models: tuple[str, str], allowed: int
) -> None:
    bench.write({**CORPUS, "row.txt": ROW, "alone.txt": ALONE})
    bench.service.latency = 0.05
    used = Usage()

    async def index(stage: Stage) -> None:
        nonlocal used
        used = stage.meter.usage
        for work in bench.works().values():
            await work(stage)

    with pytest.raises(LimitReached, match=f"limit of {counted(allowed, 'call')} is reached"):
        bench.on_stage(index, language=models[0], embedding=models[1], concurrency=8, max_calls=allowed)
    assert used.calls == allowed
    assert len(bench.service.requests) <= allowed


@pytest.mark.parametrize("allowed", [1, 2])
def test_no_more_calls_embed_than_are_allowed_while_several_are_at_work(bench: Bench, allowed: int) -> None:
    bench.write(CORPUS)
    bench.index(until="reports")
    used = Usage()

    async def embed(stage: Stage) -> None:
        nonlocal used
        used = stage.meter.usage
        await embed_nodes(stage)

    with pytest.raises(LimitReached):
        bench.on_stage(embed, embedding="minilm", concurrency=8, max_calls=allowed)
    assert used.calls == allowed


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "no corpus folder: name one (`drift index FOLDER`) or set DRIFT_CORPUS"),
        ({"folder": "/nowhere"}, "does not exist"),
    ],
)
def test_a_folder_that_is_missing_is_told_in_one_line(job: Job, config: dict[str, str], message: str) -> None:
    result = job.run(config)
    assert not result.success
    assert message in errors(result)["drift__chunks"]


def test_a_missing_key_is_told_before_anything_is_given_up(job: Job) -> None:
    job.bench.write({"a.txt": "nothing with a name is told here."})
    chunks = [dg.AssetKey(["drift", "chunks"])]
    assert job.run(only=chunks).success
    before = job.bench.everything()
    job.bench.write({"a.txt": "something else is told now."})
    job.environment.delenv("OPENAI_BASE_URL")
    job.environment.delenv("OPENAI_API_KEY")
    result = job.run(only=chunks, DRIFT_LANGUAGE="openai")
    assert "OPENAI_API_KEY is not set" in errors(result)["drift__chunks"]
    assert job.bench.everything() == before


def test_the_folder_of_the_index_is_used_where_none_is_named_anywhere(job: Job) -> None:
    job.bench.write({"a.txt": "nothing with a name is told here."})
    chunks = [dg.AssetKey(["drift", "chunks"])]
    assert job.run(only=chunks).success
    again = job.run({}, only=chunks)
    assert metadata(again)["chunks"]["documents"] == 1


def test_the_folder_of_the_settings_is_used_where_none_is_named(job: Job) -> None:
    job.bench.write({"a.txt": "nothing with a name is told here."})
    result = job.run({}, only=[dg.AssetKey(["drift", "chunks"])], DRIFT_CORPUS=str(job.bench.folder))
    assert metadata(result)["chunks"]["documents"] == 1


def test_the_configuration_is_checked_when_the_run_is_launched(job: Job) -> None:
    with pytest.raises(dg.DagsterInvalidConfigError, match="nonsense"):
        job.run({"nonsense": 1})


def test_a_report_has_its_own_usage_failures_time_and_data_version(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index(until="chunks")
    bench.service.fail(1, "refusal", on="extract")
    report = bench.perform("entities")
    assert report.usage.language_calls == 3
    assert (report.failed, [item.stage for item in report.failures]) == (1, ["entities"])
    assert report.seconds > 0
    assert report.data_version


def test_a_limit_on_cost_that_cannot_be_held_is_told(bench: Bench) -> None:
    bench.write({"a.txt": ALONE})
    bench.index(until="chunks")
    bench.perform("entities")
    assert bench.notes.lines == []
    bench.values("MATCH (c:__Chunk__) REMOVE c.extraction")
    # A service on this machine has no price.
    bench.perform("entities", max_cost_usd=1.0)
    assert ["DRIFT_MAX_COST_USD" in line for line in bench.notes.lines] == [True]


def test_a_run_of_the_schedule_is_limited_in_its_tokens(job: Job) -> None:
    job.bench.write(CORPUS)
    result = job.run(tags={SCHEDULED: "true"}, DRIFT_SCHEDULED_MAX_TOKENS="1", DRIFT_CONCURRENCY="1")
    assert "the limit of 1 token is reached" in errors(result)["drift__entities"]
    assert len(job.bench.service.requests) == 1


def test_a_stage_opens_the_models_of_its_settings(bench: Bench) -> None:
    async def work(stage: Stage) -> tuple[str, str]:
        async with stage.language(2) as language, stage.embedder() as embedder:
            from drift_assets.language.tasks import Extract

            return language.origin(Extract), embedder.name

    assert bench.on_stage(work) == ("openai:gpt-5-mini", "openai:text-embedding-3-small")
    assert StageReport().data_version is None


@pytest.mark.parametrize("only", [["chunks"], ["chunks", "entities"]])
def test_a_run_of_a_part_of_the_index_gives_it_back_at_its_end(job: Job, only: list[str]) -> None:
    job.bench.write({"alone.txt": ALONE})
    result = job.run(only=[dg.AssetKey(["drift", name]) for name in only])
    assert result.success
    assert job.bench.values("MATCH (i:__Index__) WHERE i.lease_run IS NOT NULL RETURN i.lease_run") == []


def test_a_run_is_refused_while_another_is_at_work_and_changes_nothing(job: Job) -> None:
    job.bench.write({"alone.txt": ALONE})
    job.bench.on_stage(lambda stage: take(stage.graph, run="the first", worker=this_worker(), seconds=60))
    before = job.bench.everything()
    result = job.run()
    assert not result.success
    assert "run the first is indexing database neo4j" in errors(result)["drift__chunks"]
    assert job.bench.everything() == before
