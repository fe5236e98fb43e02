"""The job `drift_search` on a real Dagster instance, with a service that speaks the OpenAI protocol."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import dagster as dg
import pytest

from drift_assets.graph.address import Address
from drift_assets.progress import Silent
from drift_assets.resources import DriftResource
from drift_assets.runs.job import run_job
from drift_assets.runs.searches import close_ended_searches
from drift_assets.search.job import ANSWERS, answers, search_job
from drift_assets.settings import load_settings
from drift_tests.database import SmallIndex, run_on
from drift_tests.openai_server import Request, Server, openai_server, vector_of
from drift_tests.search.archive import INDEX, QUESTION, begin, result_of

DIMENSIONS = 64
JOB = dg.Definitions(jobs=[search_job], resources={"drift": DriftResource()}).get_job_def("drift_search")


def embedded() -> SmallIndex:
    """The small index with the vectors that the service would give its texts."""

    def vector(text: str) -> list[float]:
        return vector_of(text, DIMENSIONS)

    return SmallIndex(
        dimensions=DIMENSIONS,
        embedding="openai:text-embedding-3-small",
        entities={name: (summary, vector(f"{name}: {summary}")) for name, (summary, _) in INDEX.entities.items()},
        chunks={id: (document, text, names, vector(text)) for id, (document, text, names, _) in INDEX.chunks.items()},
        relationships=INDEX.relationships,
        communities={
            id: (level, rating, summary, parent, members, vector(summary))
            for id, (level, rating, summary, parent, members, _) in INDEX.communities.items()
        },
    )


@pytest.fixture(scope="module")
def address(neo4j_server: Address) -> Address:
    embedded().write(neo4j_server)
    return neo4j_server


@pytest.fixture(scope="module")
def running_service(address: Address) -> Iterator[Server]:
    """The service, and the environment that leads the job to it."""
    with openai_server(dimension=DIMENSIONS) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "NEO4J_URI": address.uri,
            "NEO4J_PASSWORD": address.password,
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "test-key-0123456789",
            "DRIFT_CALL_ATTEMPTS": "1",
        }.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture
def service(running_service: Server) -> Server:
    """The service as new."""
    running_service.forget()
    running_service.latency, running_service.shuffle = 0.0, None
    return running_service


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dg.DagsterInstance]:
    folder = str(tmp_path_factory.mktemp("dagster"))
    with dg.DagsterInstance.local_temp(folder, overrides={"telemetry": {"enabled": False}}) as opened:
        yield opened


def run(instance: dg.DagsterInstance, **config: Any) -> dg.ExecuteInProcessResult:
    return JOB.execute_in_process(run_config={"question": QUESTION, **config}, instance=instance, raise_on_error=False)


@dataclass(frozen=True)
class Finished:
    """A run of the job that succeeded, and what the service was asked in it."""

    run: dg.ExecuteInProcessResult
    requests: list[Request]

    def count(self, task: str) -> int:
        """Requests of a task, or `embeddings`."""
        return sum(request.task == task for request in self.requests)


@pytest.fixture(scope="module")
def finished(running_service: Server, instance: dg.DagsterInstance) -> Finished:
    running_service.forget()
    result = run(instance, search_id="by-hand")
    assert result.success
    return Finished(result, list(running_service.requests))


def test_an_answer_is_materialised_with_its_sources_and_its_tree(finished: Finished) -> None:
    [event] = finished.run.get_asset_materialization_events()
    assert event.asset_key == ANSWERS
    metadata = {name: value.value for name, value in event.materialization.metadata.items()}
    assert metadata["status"] == "complete"
    assert "Reeve lit the lamp at dusk" in metadata["answer"]
    assert metadata["sources"].startswith("1. **")
    assert f"✓ {QUESTION}" in metadata["questions"]
    numbers = ("score", "cited_sources", "evidence_passages", "input_tokens", "seconds")
    assert {type(metadata[name]) for name in numbers} <= {int, float}
    assert metadata["embedding_calls"] == finished.count("embeddings")
    assert metadata["language_calls"] == len(finished.requests) - finished.count("embeddings")


def test_the_search_can_be_read_by_the_id_that_the_ops_pass(finished: Finished, address: Address) -> None:
    assert finished.run.output_for_node("reduce") == "by-hand"
    result = run_on(address, result_of(address, "by-hand"))
    assert (result.run_id, result.status, result.origin) == (finished.run.run_id, "complete", "openai:gpt-5-mini")


def test_every_op_reports_what_it_used(finished: Finished) -> None:
    used = {}
    for name in ("hyde", "primer", "local", "reduce"):
        [output] = [e for e in finished.run.filter_events(lambda e: e.is_successful_output) if e.step_key == name]
        used[name] = {key: value.value for key, value in output.step_output_data.metadata.items()}
    assert used["hyde"]["embedding_calls"] == 2
    assert used["primer"]["language_calls"] == used["reduce"]["language_calls"] == 1
    assert used["local"]["language_calls"] == finished.count("answer")
    assert all(use["seconds"] > 0 for use in used.values())
    assert used["hyde"]["questions"] == f"- … {QUESTION}"
    assert used["local"]["questions"].count("✓") == 1 + finished.count("answer")
    # The primer's call, and one for each local question: a line each below the two of the head.
    assert used["local"]["calls"].count("\n") == 2 + finished.count("answer")
    # What a service on this machine costs is not known, and an unknown cost is not shown as zero.
    assert not any("cost_usd" in use for use in used.values())


def test_a_failed_step_is_executed_again_from_where_it_stopped(
    service: Server, instance: dg.DagsterInstance, address: Address
) -> None:
    service.fail(2, "401", on="answer")
    config = {"question": QUESTION, "search_id": "again", "parallel": 1}
    with dg.execute_job(dg.reconstructable(make_job), instance, run_config=config) as failed:
        assert not failed.success
    asked_before = len(service.of("answer"))
    broken = run_on(address, result_of(address, "again"))
    assert broken.status == "failed"

    again = dg.execute_job(
        dg.reconstructable(make_job),
        instance,
        reexecution_options=dg.ReexecutionOptions.from_failure(failed.run_id, instance),
    )

    with again:
        assert again.success
    assert len(service.of("hyde")) == len(service.of("prime")) == 1
    first = [r.input for r in service.of("answer")[:asked_before]]
    later = [r.input for r in service.of("answer")[asked_before:]]
    assert first[0] not in later
    assert first[1] in later
    result = run_on(address, result_of(address, "again"))
    assert result.status == "complete"
    assert result.usage.calls == len(service.requests)


def make_job() -> dg.JobDefinition:
    """The job for an execution that finds it by name."""
    return JOB


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"question": " "}, "the question is blank"),
        ({"depth": 9}, "less than or equal to 5"),
        ({"serach_depth": 1}, "serach_depth"),
    ],
)
def test_a_wrong_config_is_refused_at_launch(
    service: Server, instance: dg.DagsterInstance, config: dict[str, Any], message: str
) -> None:
    with pytest.raises(dg.DagsterError) as raised:
        run(instance, **config)

    error: BaseException | None = raised.value
    lines = []
    while error:
        lines.append(str(error))
        error = error.__cause__
    assert any(message in line for line in lines)
    assert service.requests == []


def test_another_embedding_than_the_index_has_is_refused_before_any_call(
    service: Server, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRIFT_EMBEDDING_MODEL", "text-embedding-3-large")

    finished = run(instance)

    [failure] = finished.filter_events(lambda event: event.is_step_failure)
    assert failure.step_key == "check_index"
    assert "text-embedding-3-large" in str(failure.event_specific_data)
    assert service.requests == []


class Stopping(Silent):
    """Sends this process a signal between two steps, where no step can end the search."""

    def __init__(self, number: signal.Signals, before: str) -> None:
        self._number, self._before = number, before

    def stage(self, name: str, total: int | None) -> None:
        """The step begins."""
        if name == self._before:
            os.kill(os.getpid(), self._number)


@pytest.mark.parametrize(
    ("number", "before", "answered"), [(signal.SIGINT, "hyde", 0), (signal.SIGTERM, "local", 1)], ids=["first", "later"]
)
def test_a_search_stopped_between_two_steps_is_canceled(
    service: Server, address: Address, number: signal.Signals, before: str, answered: int
) -> None:
    outcome = run_job(
        "drift_search",
        {"question": QUESTION, "search_id": f"stopped-before-{before}"},
        settings=load_settings(),
        display=Stopping(number, before),
        search=True,
    )

    assert outcome.interrupted
    result = run_on(address, result_of(address, f"stopped-before-{before}"))
    assert (result.status, result.run_id) == ("canceled", outcome.run_id)
    assert [question.status for question in result.questions].count("answered") == answered


@pytest.mark.parametrize(
    ("of_run", "of_search"),
    [(dg.DagsterRunStatus.CANCELED, "canceled"), (dg.DagsterRunStatus.FAILURE, "failed"), (None, "running")],
)
def test_a_search_whose_run_has_ended_is_closed_by_the_next_start(
    instance: dg.DagsterInstance, address: Address, of_run: dg.DagsterRunStatus | None, of_search: str
) -> None:
    search_id = run_on(address, begin(address, {}))
    run_id = run_on(address, result_of(address, search_id)).run_id
    status = of_run or dg.DagsterRunStatus.STARTED
    instance.create_run_for_job(JOB, run_id=run_id, run_config={"question": QUESTION}, status=status)

    close_ended_searches(load_settings(), instance)

    assert run_on(address, result_of(address, search_id)).status == of_search


def test_prompts_are_the_same_whatever_order_answers_arrive_in(
    address: Address, service: Server, instance: dg.DagsterInstance
) -> None:
    prompts = []
    for seed in (1, 2):
        service.forget()
        service.latency, service.shuffle = 0.03, seed
        assert run(instance, parallel=3).success
        prompts.append([request.body["input"] for request in service.requests if request.task != "embeddings"])

    assert sorted(map(str, prompts[0])) == sorted(map(str, prompts[1]))
    assert prompts[0][-1] == prompts[1][-1]


@pytest.mark.parametrize(
    ("fault", "times"),
    [("missing-keys", 2), ("truncated", 2), ("500", 1)],
)
def test_a_branch_that_fails_in_any_way_degrades_the_answer(
    service: Server, instance: dg.DagsterInstance, address: Address, fault: str, times: int
) -> None:
    for number in range(times):
        service.fail(number + 1, fault, on="answer")

    finished = run(instance, depth=1, parallel=1)

    assert finished.success
    result = run_on(address, result_of(address, finished.output_for_node("reduce")))
    assert result.status == "partial"
    assert [q.status for q in result.questions if q.round == 1].count("failed") == 1


def test_the_answer_lies_downstream_of_the_index() -> None:
    assert [dep.asset_key for dep in answers.deps] == [dg.AssetKey(["drift", "embeddings"])]
