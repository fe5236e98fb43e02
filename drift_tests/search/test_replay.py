"""A stored search answered anew from a later stage: what is stored is used again, the rest is asked and paid."""

from __future__ import annotations

import pytest

from drift_assets.errors import GraphError
from drift_assets.graph.address import Address
from drift_assets.language.tasks import Reduce
from drift_assets.search.result import SearchResult
from drift_tests.database import run_on
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import QUESTION, embedder, follow_ups, result_of, search


@pytest.fixture(scope="module")
def first(archive: Address) -> SearchResult:
    return search(archive, depth=2)


def tree(result: SearchResult, rounds: int = 9) -> list[object]:
    """What the questions up to a round are and say, under ids and numbers of any search."""
    texts = {source.number: source.text for source in result.evidence}
    return [
        (q.id.partition(".")[2], q.text, q.status, q.score, sorted(texts[n] for n in result.readings.get(q.id, ())))
        for q in result.questions
        if q.round <= rounds
    ]


def replayed(archive: Address, first: SearchResult, stage: str, **options: object) -> tuple[SearchResult, list[str]]:
    """The new search, and the tasks that were asked for it."""
    language = ScriptedLanguageModel(follow_ups)
    result = search(archive, language=language, replay=first.search_id, replay_from=stage, **options)
    return result, [task.name() for task in language.history]


def test_from_reduce_only_the_final_answer_is_paid(archive: Address, first: SearchResult) -> None:
    result, asked = replayed(archive, first, "reduce", response_type="one sentence")

    assert asked == ["reduce"]
    assert result.usage.language_calls == 1
    assert (result.status, result.answer) == ("complete", first.answer)
    assert [source.text for source in result.evidence] == [source.text for source in first.evidence]
    assert [row[:4] for row in tree(result)] == [row[:4] for row in tree(first)]  # type: ignore[index]
    assert sum(question.calls for question in result.questions) == 0


def test_from_local_the_start_and_the_primer_are_used_again(archive: Address, first: SearchResult) -> None:
    result, asked = replayed(archive, first, "local", depth=1)

    assert set(asked) == {"answer", "reduce"}
    assert tree(result, 0) == tree(first, 0)
    assert max(question.round for question in result.questions) == 1
    assert result.hyde == first.hyde


def test_the_same_options_from_local_give_the_same_search(archive: Address, first: SearchResult) -> None:
    result, _ = replayed(archive, first, "local", depth=2)

    assert tree(result) == tree(first)
    assert result.answer == first.answer


def test_the_first_search_stays_as_it_was(archive: Address, first: SearchResult) -> None:
    replayed(archive, first, "local", depth=1)

    assert run_on(archive, result_of(archive, first.search_id)) == first


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replay": "never"}, "there is no search 'never'"),
        ({"question": "Another?"}, "a replay asks the same"),
        ({"method": "vector"}, "asked by drift"),
    ],
)
def test_what_cannot_be_gone_on_from_is_refused(
    archive: Address, first: SearchResult, options: dict[str, str], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        search(archive, **{"replay": first.search_id, **options})  # type: ignore[arg-type]


def test_a_search_without_a_primer_cannot_be_gone_on_from(archive: Address) -> None:
    begun = search(archive, stages=("hyde",))

    with pytest.raises(GraphError, match="no finished primer"):
        search(archive, replay=begun.search_id)


def test_a_replay_can_be_replayed(archive: Address, first: SearchResult) -> None:
    once, _ = replayed(archive, first, "reduce")
    language = ScriptedLanguageModel(follow_ups)

    twice = search(archive, language=language, embedding=embedder(), replay=once.search_id, question=QUESTION)

    assert twice.answer == first.answer
    assert len(language.asked(Reduce)) == 1
