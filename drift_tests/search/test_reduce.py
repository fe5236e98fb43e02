"""The final answer: what it is made from, what of it is kept, and what it is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from drift_assets.errors import CallTooLong, CallUnavailable, ItemFailed, RunStopped
from drift_assets.graph.address import Address
from drift_assets.graph.searches import StoredQuestion
from drift_assets.language.streaming import heard_by, hearing
from drift_assets.language.tasks import Answer, FinalAnswer, Output, Prime, Reduce, ScoredAnswer, Task
from drift_assets.search.reduce import NOT_FOUND, NOT_READ, choose_answers
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import follow_ups, search


def reduced_to(answer: Callable[[Any], Output]) -> Callable[[Task[Any]], Output]:
    return lambda task: answer(task) if isinstance(task, Reduce) else follow_ups(task)


def question(order: int, *, score: float | None, answer: str = "Yes.", status: Any = "answered") -> StoredQuestion:
    return StoredQuestion(
        id=f"s.1.{order}",
        parent="s.0.0",
        round=1,
        order=order,
        text=f"{order}?",
        status=status,
        answer=answer,
        score=score,
    )


def orders(questions: list[StoredQuestion]) -> list[int]:
    return [question.order for question in questions]


def test_the_best_answers_come_first_and_equals_as_they_were_asked() -> None:
    questions = [question(0, score=10), question(1, score=90), question(2, score=90), question(3, score=None)]

    assert orders(choose_answers(questions, min_score=0, budget=1_000)) == [1, 2, 0, 3]


def test_answers_below_the_least_score_are_left_out_but_not_all() -> None:
    questions = [question(0, score=10), question(1, score=40)]

    assert orders(choose_answers(questions, min_score=20, budget=1_000)) == [1]
    assert orders(choose_answers(questions, min_score=60, budget=1_000)) == [1]


def test_the_best_few_are_kept_whatever_their_score() -> None:
    questions = [question(n, score=10 * n) for n in range(4)]

    assert orders(choose_answers(questions, min_score=90, budget=1_000, least=2)) == [3, 2]
    assert orders(choose_answers(questions, min_score=5, budget=1_000, least=2)) == [3, 2, 1]


def test_only_answers_with_text_are_reduced() -> None:
    questions = [question(0, score=10, answer=""), question(1, score=9, status="failed"), question(2, score=8)]

    assert orders(choose_answers(questions, min_score=0, budget=1_000)) == [2]


def test_answers_fill_the_budget_best_first() -> None:
    questions = [
        question(0, score=90, answer="word " * 60),
        question(1, score=80, answer="word " * 60),
        question(2, score=70, answer="word"),
    ]

    assert orders(choose_answers(questions, min_score=0, budget=100)) == [0, 2]
    assert orders(choose_answers(questions, min_score=0, budget=5)) == [0]


def test_each_answer_is_reduced_with_its_question_and_score(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, depth=1, response_type="one sentence")

    [task] = language.asked(Reduce)
    assert task.response_type == "one sentence"
    assert [(a.question, a.score) for a in task.answers] == [
        ("What does the log say?", 80),
        ("Who owned the boat?", 60),
        ("Who lit the lamp?", 30),
    ]


def test_sources_are_numbered_as_the_answer_cites_them(archive: Address) -> None:
    result = search(archive, depth=1, hybrid=False)

    assert result.answer == (
        "What does the log say? Told in [1]. Who owned the boat? Told in [2]. The reports speak of a light [3]."
    )
    assert [(s.number, s.kind, s.id) for s in result.sources] == [
        (1, "chunk", "c4"),
        (2, "chunk", "c3"),
        (3, "report", "light"),
    ]


def test_a_citation_that_no_intermediate_answer_has_is_taken_out(archive: Address) -> None:
    def invent(task: Reduce) -> Output:
        return FinalAnswer(answer="It was Reeve [1]. Or not [77].", found=True)

    result = search(archive, reduced_to(invent), depth=0, hybrid=False)

    assert (result.answer, result.removed_citations, result.status) == ("It was Reeve [1]. Or not.", 1, "complete")


def test_an_answer_without_any_source_is_partial(archive: Address) -> None:
    result = search(archive, reduced_to(lambda task: FinalAnswer(answer="It was Reeve.", found=True)), depth=0)

    assert (result.status, result.notes) == ("partial", ("the answer names no source",))


def test_evidence_that_does_not_tell_gives_not_found(archive: Address) -> None:
    result = search(archive, reduced_to(lambda task: FinalAnswer(answer="Nothing is told of it.", found=False)))

    assert (result.status, result.answer, result.sources) == ("not_found", "Nothing is told of it.", ())


def test_rules_say_of_a_question_in_another_language_that_they_do_not_read_it(archive: Address) -> None:
    class Rules(ScriptedLanguageModel):
        def origin(self, task: type[Task[Any]]) -> str:
            return "extractive"

    nothing = reduced_to(lambda _: FinalAnswer(answer="", found=False))
    german, english = (
        search(archive, language=Rules(nothing), question=question, depth=0)
        for question in ("Wer hat die Lampe angezündet?", "Who lit the lamp?")
    )

    assert (german.status, german.answer) == ("not_found", NOT_READ)
    assert (english.status, english.answer) == ("not_found", NOT_FOUND)


def test_not_found_always_says_so(archive: Address) -> None:
    result = search(archive, reduced_to(lambda task: FinalAnswer(answer="", found=False)))

    assert (result.status, result.answer) == ("not_found", NOT_FOUND)


@pytest.mark.parametrize("failure", [ItemFailed("refused"), CallUnavailable("gave up"), CallTooLong("too long")])
def test_when_the_last_call_fails_the_best_answer_stands(archive: Address, failure: Exception) -> None:
    def fail(task: Reduce) -> Output:
        raise failure

    result = search(archive, reduced_to(fail), depth=1)

    assert (result.status, result.answer) == ("partial", "What does the log say? Told in [1].")
    assert str(failure) in result.notes[-1]


def test_an_empty_answer_is_replaced_by_the_best_one(archive: Address) -> None:
    result = search(archive, reduced_to(lambda task: FinalAnswer(answer="", found=True)), depth=1)

    assert (result.status, result.answer) == ("partial", "What does the log say? Told in [1].")


def test_too_many_answers_for_one_call_are_halved_once(archive: Address) -> None:
    sizes: list[int] = []

    def too_long_at_first(task: Reduce) -> Output:
        sizes.append(len(task.answers))
        if len(sizes) == 1:
            raise CallTooLong("context")
        return follow_ups(task)

    result = search(archive, reduced_to(too_long_at_first), depth=1)

    assert sizes == [3, 1]
    assert result.status == "partial"


def test_failures_throughout_are_no_not_found(archive: Address) -> None:
    def fail(task: Task[Any]) -> Output:
        if isinstance(task, Prime | Answer):
            raise ItemFailed("the model refused")
        return follow_ups(task)

    with pytest.raises(ItemFailed, match="not one question of the search was answered: the model refused"):
        search(archive, fail)


def test_a_stop_in_the_last_call_ends_the_search(archive: Address) -> None:
    def stop(task: Reduce) -> Output:
        raise RunStopped("quota used up")

    with pytest.raises(RunStopped, match="quota"):
        search(archive, reduced_to(stop), depth=0)


def test_the_origin_is_that_of_the_final_answer(archive: Address) -> None:
    assert search(archive, depth=0).origin == "scripted"


def test_a_primer_without_follow_ups_leaves_the_question_to_a_local_search(archive: Address) -> None:
    def silent(task: Task[Any]) -> Output:
        if isinstance(task, Prime):
            return ScoredAnswer(answer="The reports do not tell.", score=0, follow_ups=[])
        if isinstance(task, Answer):
            return ScoredAnswer(answer=f"Reeve did [{task.evidence[0].number}].", score=90, follow_ups=[])
        return follow_ups(task)

    result = search(archive, silent)

    assert result.answer.startswith("Reeve did [1].")
    assert [q.text for q in result.questions] == ["Who lit the lamp?"] * 2
    assert (result.status, result.notes) == (
        "partial",
        ("the primer led to no further question, so the question itself was searched for",),
    )


def test_scores_do_not_depend_on_the_order_of_storage() -> None:
    questions = [question(n, score=score) for n, score in enumerate((5, 50, 25))]

    assert choose_answers(questions, min_score=0, budget=99) == choose_answers(
        [replace(q) for q in reversed(questions)], min_score=0, budget=99
    )


def test_of_a_search_only_the_final_answer_is_said_aloud(archive: Address) -> None:
    said: dict[type[Task[Any]], bool] = {}

    def spoken(task: Task[Any]) -> Output:
        said[type(task)] = hearing() is not None
        return follow_ups(task)

    with heard_by(lambda text: None):
        search(archive, spoken, depth=1)

    assert said[Reduce]
    assert not said[Prime]
    assert not said[Answer]
