"""Rounds of local searches cut short, by a failure, an interruption or a limit: what it costs, and what is kept."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from drift_assets.errors import CallTooLong, CallUnavailable, GraphError, ItemFailed, RunStopped
from drift_assets.graph.address import Address
from drift_assets.language.tasks import (
    Answer,
    Output,
    Reduce,
    Task,
)
from drift_assets.settings import load_settings
from drift_tests.database import run_on
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import (
    NARROW,
    begin,
    embedder,
    follow_ups,
    instead,
    result_of,
    search,
    work,
)


@pytest.mark.parametrize("failure", [ItemFailed("refused"), CallUnavailable("gave up"), CallTooLong("too long")])
def test_a_failed_branch_marks_the_answer_partial_and_costs_no_more(archive: Address, failure: Exception) -> None:
    def fail_the_boat(task: Answer) -> Output:
        if task.local_question == "Who owned the boat?":
            raise failure
        return follow_ups(task)

    result = search(archive, instead(Answer, fail_the_boat))

    assert result.status == "partial"
    assert result.notes == (f"1 of {len(result.questions)} questions failed: {failure}",)
    failed = [q for q in result.questions if q.status == "failed"]
    assert [(q.text, q.reason) for q in failed] == [("Who owned the boat?", str(failure))]
    assert "What does the log say?" in result.answer


def test_evidence_that_is_too_long_is_halved_once(archive: Address) -> None:
    sizes: list[int] = []

    def too_long_at_first(task: Answer) -> Output:
        sizes.append(len(task.evidence))
        if len(sizes) == 1:
            raise CallTooLong("context")
        return follow_ups(task)

    result = search(archive, instead(Answer, too_long_at_first), depth=1)

    assert 0 < sizes[-1] < sizes[0]
    assert result.status == "complete"


def test_a_stop_ends_the_search_with_its_line(archive: Address) -> None:
    def stop(task: Answer) -> Output:
        raise RunStopped("the key was refused: check OPENAI_API_KEY")

    with pytest.raises(RunStopped, match="OPENAI_API_KEY"):
        search(archive, instead(Answer, stop))

    result = run_on(archive, result_of(archive))
    assert (result.status, result.notes) == ("failed", ("the key was refused: check OPENAI_API_KEY",))


def test_a_step_that_failed_goes_on_from_where_it_stopped(archive: Address) -> None:
    def stop_at_the_log(task: Answer) -> Output:
        if "log" in task.local_question:
            raise RunStopped("quota")
        return follow_ups(task)

    search_id = run_on(archive, begin(archive, {}))
    with pytest.raises(RunStopped):
        search(
            archive,
            language=ScriptedLanguageModel(
                instead(Answer, stop_at_the_log), delay=lambda task: 0.05 if "log" in str(task) else 0
            ),
            stages=("hyde", "primer", "local"),
            search_id=search_id,
        )
    before = run_on(archive, result_of(archive, search_id)).usage.language_calls
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, stages=("local", "reduce"), search_id=search_id)

    asked = [task.local_question for task in language.asked(Answer)]
    assert asked[0] == "What does the log say?"
    assert "Who owned the boat?" not in asked
    assert result.status == "complete"
    assert result.usage.language_calls == before + len(language.history)


@pytest.mark.parametrize("options", [{}, {"late_seconds": 30.0}], ids=["waiting", "late"])
def test_answers_that_came_before_an_interruption_are_kept(archive: Address, options: dict[str, Any]) -> None:
    search_id = run_on(archive, begin(archive, options))

    async def interrupted() -> None:
        hanging = asyncio.Event()

        def hang_at_the_log(task: Task[Any]) -> float:
            if "log" not in getattr(task, "local_question", ""):
                return 0
            hanging.set()
            return 60

        language = ScriptedLanguageModel(follow_ups, delay=hang_at_the_log)
        task = asyncio.create_task(
            work(archive, search_id, ("hyde", "primer", "local"), language, embedder(), load_settings())
        )
        await hanging.wait()
        # The boat's answer is there, and its write is under way.
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        finally:
            # No call goes on for a search that has ended.
            assert asyncio.all_tasks() == {asyncio.current_task()}

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())

    result = run_on(archive, result_of(archive, search_id))
    assert [q.status for q in result.questions if q.round == 1] == ["answered", "waiting"]
    assert result.usage.language_calls == 4
    assert (result.status, result.notes) == ("canceled", ("interrupted: re-execute the run to go on from there",))


def test_a_finished_step_that_is_executed_again_asks_nothing(archive: Address) -> None:
    finished = search(archive)
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, stages=("primer", "local"), search_id=finished.search_id)

    assert language.history == []
    assert [q.text for q in result.questions] == [q.text for q in finished.questions]


@pytest.mark.parametrize("calls", [5, 7, 8, 11])
def test_a_limit_on_calls_holds_and_leaves_one_for_the_answer(archive: Address, calls: int) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, max_calls=calls, **NARROW)

    assert result.usage.calls <= calls
    assert language.asked(Reduce)
    assert result.status == "partial"
    assert any(f"max_calls {calls} is reached; raise it to search further" in note for note in result.notes)


def test_the_last_call_of_a_limit_brings_the_answer_itself_when_there_is_no_other(archive: Address) -> None:
    result = search(archive, max_calls=4)

    assert result.usage.calls == 4
    assert (result.status, result.answer) == ("partial", "The reports speak of a light [1]. [?]")


def test_a_limit_that_leaves_no_answer_is_a_clear_failure(archive: Address) -> None:
    with pytest.raises(ItemFailed, match="not one question of the search was answered: the limit of 2 calls"):
        search(archive, max_calls=2)


def test_a_limit_on_tokens_keeps_a_share_for_the_answer(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, max_tokens=9)

    assert len(language.asked(Reduce)) == 1
    assert result.status == "partial"
    assert any("max_tokens 9 is reached; raise it to search further" in note for note in result.notes)


def test_a_slow_call_is_cut_at_the_limit_on_seconds(archive: Address) -> None:
    language = ScriptedLanguageModel(
        follow_ups, delay=lambda task: 60 if isinstance(task, Answer) and "log" in task.local_question else 0
    )

    result = search(archive, language=language, max_seconds=4, depth=1)

    assert result.seconds < 4
    assert result.status == "partial"
    assert {q.text: q.status for q in result.questions}["What does the log say?"] == "failed"
    assert "Who owned the boat?" in result.answer


def test_a_round_goes_on_without_a_late_call_once_half_are_in(archive: Address) -> None:
    language = ScriptedLanguageModel(
        follow_ups, delay=lambda task: 60 if isinstance(task, Answer) and "log" in task.local_question else 0
    )

    result = search(archive, language=language, late_seconds=0.2, depth=1)

    first = {q.text: (q.status, q.reason) for q in result.questions if q.round == 1}
    assert first["Who owned the boat?"] == ("answered", None)
    assert first["What does the log say?"] == ("failed", "late: no answer within late_seconds 0.2")
    assert result.status == "partial"


def test_a_round_whose_questions_cannot_be_embedded_degrades_the_answer(archive: Address) -> None:
    embedding = embedder()
    embed = embedding.embed

    async def fail_the_round(texts: Any) -> Any:
        if "Who owned the boat?" in texts:
            raise CallUnavailable("no embedding today")
        return await embed(texts)

    embedding.embed = fail_the_round  # type: ignore[method-assign]

    result = search(archive, embedding=embedding)

    assert result.status == "partial"
    assert [q.reason for q in result.questions if q.round == 1] == ["no embedding today"] * 2


def test_a_search_that_does_not_exist_is_one_line(archive: Address) -> None:
    async def work_on_nothing() -> None:
        await work(archive, "none", ("local",), ScriptedLanguageModel(follow_ups), embedder(), load_settings())

    with pytest.raises(GraphError, match="there is no search none"):
        asyncio.run(work_on_nothing())
