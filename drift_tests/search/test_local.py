"""Rounds of local searches: what is asked, of what evidence, and what a failure costs."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from drift_assets.errors import CallTooLong, CallUnavailable, GraphError, ItemFailed, RunStopped
from drift_assets.graph.address import Address
from drift_assets.language.tasks import (
    Answer,
    Output,
    Prime,
    Reduce,
    Refine,
    Refined,
    RefinedQuestion,
    ScoredAnswer,
    Task,
)
from drift_assets.search.local import NOTHING_NEW
from drift_assets.search.result import SearchResult
from drift_assets.settings import load_settings
from drift_tests.database import run_on
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import QUESTION, begin, embedder, follow_ups, result_of, search, searched, work

# So little of the small index that a second round has something new to read.
NARROW: dict[str, Any] = {
    "entities": 1,
    "chunks": 1,
    "reports": 1,
    "relationships": 1,
    "communities": 1,
    "hybrid": False,
}


def instead(kind: type[Task[Any]], answer: Callable[[Any], Output]) -> Callable[[Task[Any]], Output]:
    """The usual script, except for tasks of one kind."""
    return lambda task: answer(task) if isinstance(task, kind) else follow_ups(task)


def test_every_round_reaches_the_answer(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, **NARROW)

    [reduced] = language.asked(Reduce)
    assert {answer.question for answer in reduced.answers} == {
        q.text for q in result.questions if q.status == "answered"
    }
    assert [q.round for q in result.questions if q.status == "answered"] == [0, 1, 1, 2, 2, 2, 2]
    assert result.status == "complete"


def test_a_local_search_knows_both_questions_and_reads_around_its_entities(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, entities=2, depth=1, communities=1, hybrid=False)

    boat, log = language.asked(Answer)
    assert (boat.question, boat.local_question) == (QUESTION, "Who owned the boat?")
    assert [(e.kind, e.title, e.text) for e in boat.evidence] == [
        ("chunk", "Title of boat.txt", "Drummond rowed the boat out."),
        ("report", "Report shore", "Keepers and boatmen of the shore."),
        ("report", "Report sea", "The boat and its owner."),
        ("relationship", "Boat – Drummond", "BOAT knows DRUMMOND."),
        ("entity", "Boat", "A boat of six oars."),
        ("entity", "Drummond", "Drummond owns the boat."),
    ]
    assert "Reeve wrote it in the log." in [e.text for e in log.evidence]


def test_a_passage_keeps_its_number_throughout_a_search(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language)

    pieces = [e for task in language.history if isinstance(task, Prime | Answer) for e in task.evidence]
    whole = [e for e in pieces if not e.title.endswith("(read before, in part)")]
    assert len({e.number for e in whole}) == len({(e.kind, e.title, e.text) for e in whole})
    assert len({(e.number, e.text) for e in pieces}) == len({e.number for e in pieces})
    # The first passage is the template's, which the primer reads after its own.
    first_seen = [number for number in dict.fromkeys(e.number for e in pieces) if number > 1]
    assert first_seen == sorted(first_seen)


def test_what_an_earlier_round_read_costs_a_sentence_only(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, depth=1)

    [primed] = language.asked(Prime)
    boat, _ = language.asked(Answer)
    read = {e.number for e in primed.evidence}
    assert read & {e.number for e in boat.evidence}
    assert {e.number for e in boat.evidence if e.title.endswith("(read before, in part)")} == read & {
        e.number for e in boat.evidence
    }


def test_the_last_round_is_not_asked_for_follow_ups(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, depth=2, follow_ups=2, **NARROW)

    assert [task.follow_ups for task in language.asked(Answer)] == [2, 2, 0, 0, 0, 0]


def test_the_prompts_are_the_same_whatever_order_answers_arrive_in(archive: Address) -> None:
    prompts = []
    for seed in range(3):
        chance = random.Random(seed)
        language = ScriptedLanguageModel(follow_ups, delay=lambda task, chance=chance: chance.random() / 50)  # type: ignore[misc]
        search(archive, language=language, parallel=2)
        prompts.append([task.model_dump_json() for task in language.history])

    assert prompts[0] == prompts[1] == prompts[2]


def test_searches_side_by_side_do_not_disturb_each_other(archive: Address) -> None:
    alone = search(archive, question="What does the log say of the lamp?")

    async def together() -> list[SearchResult]:
        questions = ["What does the log say of the lamp?", QUESTION, "Who rowed?", "What burned?"]
        return await asyncio.gather(*(searched(archive, question=question) for question in questions))

    [first, *others] = asyncio.run(together())
    assert len({result.search_id for result in (first, *others)}) == 4
    assert (first.answer, first.evidence, first.usage.calls) == (alone.answer, alone.evidence, alone.usage.calls)
    assert [(q.text, q.status, q.answer) for q in first.questions] == [
        (q.text, q.status, q.answer) for q in alone.questions
    ]


def test_no_more_searches_run_at_once_than_allowed(archive: Address) -> None:
    running: list[int] = []
    open_calls = 0

    class Counting(ScriptedLanguageModel):
        async def perform(self, task: Task[Any]) -> Any:
            nonlocal open_calls
            open_calls += isinstance(task, Answer)
            running.append(open_calls)
            await asyncio.sleep(0.01)
            open_calls -= isinstance(task, Answer)
            return await super().perform(task)

    search(archive, language=Counting(follow_ups), parallel=2)

    assert max(running) == 2


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


def test_answers_that_came_before_an_interruption_are_kept(archive: Address) -> None:
    search_id = run_on(archive, begin(archive, {}))

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
        await task

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


@given(depth=st.integers(0, 4), follow_ups=st.integers(0, 4), parallel=st.integers(1, 4), calls=st.integers(4, 24))
@hypothesis.settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_depth_width_and_calls_hold_together_in_a_search(
    archive: Address, depth: int, follow_ups: int, parallel: int, calls: int
) -> None:
    language, embedding = ScriptedLanguageModel(curious), embedder()

    result = search(
        archive,
        language=language,
        embedding=embedding,
        depth=depth,
        follow_ups=follow_ups,
        parallel=parallel,
        max_calls=calls,
        **NARROW,
    )

    assert len(language.history) + len(embedding.history) == result.usage.calls <= calls
    asked = [q for q in result.questions if q.status in ("answered", "failed")]
    assert max(q.round for q in asked) <= depth
    for round_ in range(2, depth + 1):
        in_round = [q for q in asked if q.round == round_]
        assert len(in_round) <= parallel
        assert all(sum(q.parent == p.id for q in in_round) <= follow_ups for p in asked)
    assert all(q.reason for q in result.questions if q.status in ("dropped", "failed"))


def curious(task: Task[Any]) -> Output:
    """A script whose answers ask six things each, of which no two are alike."""
    output = follow_ups(task)
    if isinstance(output, ScoredAnswer):
        about = getattr(task, "local_question", task.model_dump()["question"])
        asked = [f"Of {name}{hash_of(about + name) % 997}?" for name in ("lamp", "boat", "log", "oar", "sea", "key")]
        return output.model_copy(update={"follow_ups": asked})
    return output


def hash_of(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])


def test_a_round_that_would_read_nothing_new_ends_the_search_unpaid(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, depth=4)

    assert len(language.asked(Answer)) == 2
    second = [q for q in result.questions if q.round == 2]
    assert second
    assert {(q.status, q.reason) for q in second} == {("dropped", NOTHING_NEW)}
    assert result.status == "complete"


def test_a_round_with_too_many_follow_ups_is_refined_by_one_call(archive: Address) -> None:
    def merge(task: Refine) -> Output:
        numbers = [one.number for one in task.candidates if "lamp" in one.question]
        question = RefinedQuestion(question="How did the lamp burn?", sources=numbers)
        return Refined(questions=[question], dropped=[])

    language = ScriptedLanguageModel(instead(Refine, merge))

    result = search(archive, language=language, parallel=3, **NARROW)

    [refined] = language.asked(Refine)
    assert len(refined.candidates) == 4
    assert refined.keep == 3
    assert refined.asked == (QUESTION, "Who owned the boat?", "What does the log say?")
    second = {q.text: (q.status, q.reason) for q in result.questions if q.round == 2}
    assert second["How did the lamp burn?"] == ("answered", None)
    assert sorted(reason or "" for status, reason in second.values() if status == "dropped") == [
        "asked as “How did the lamp burn?”",
        "left out when the round was refined",
        "left out when the round was refined",
        "merged into “How did the lamp burn?”",
    ]


def test_without_the_refining_call_the_most_promising_are_asked(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, parallel=3, refine=False, **NARROW)

    assert language.asked(Refine) == []
    assert [q.status for q in result.questions if q.round == 2] == ["answered"] * 3 + ["dropped"]


def test_a_refining_call_that_fails_costs_no_round(archive: Address) -> None:
    def fail(task: Refine) -> Output:
        raise ItemFailed("refused")

    result = search(archive, instead(Refine, fail), parallel=3, **NARROW)

    [dropped] = [q for q in result.questions if q.status == "dropped"]
    assert (dropped.reason or "").startswith("beyond the 3 questions of a round, expected gain 0.")
    assert result.status == "complete"


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


def test_invented_citations_are_taken_out_and_counted(archive: Address) -> None:
    def invent(task: Answer) -> Output:
        return ScoredAnswer(answer=f"True [{task.evidence[0].number}]. False [999].", score=50, follow_ups=[])

    result = search(archive, instead(Answer, invent), depth=1)

    assert result.removed_citations == 2
    assert all("[999]" not in q.answer for q in result.questions)
