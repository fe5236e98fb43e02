"""Rounds of local searches: what is asked, and of what evidence."""

from __future__ import annotations

import asyncio
import hashlib
import random
from typing import Any

import hypothesis
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from drift_assets.errors import ItemFailed
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
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import (
    NARROW,
    QUESTION,
    embedder,
    follow_ups,
    instead,
    search,
    searched,
)


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


def test_invented_citations_are_taken_out_and_counted(archive: Address) -> None:
    def invent(task: Answer) -> Output:
        return ScoredAnswer(answer=f"True [{task.evidence[0].number}]. False [999].", score=50, follow_ups=[])

    result = search(archive, instead(Answer, invent), depth=1)

    assert result.removed_citations == 2
    assert all("[999]" not in q.answer for q in result.questions)
