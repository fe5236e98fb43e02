"""The primer: what it reads, how many follow-ups it asks for, and what becomes of its failure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from drift_assets.errors import ItemFailed
from drift_assets.graph.address import Address
from drift_assets.language.tasks import Answer, Output, Prime, Task
from drift_assets.search.primer import NO_EVIDENCE
from drift_assets.settings import load_settings
from drift_tests.database import query
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import INDEX, QUESTION, follow_ups, search


@pytest.fixture
def changed_archive(archive: Address) -> Iterator[Address]:
    """The small index for a test that changes it."""
    yield archive
    INDEX.write(archive)


def primed(language: ScriptedLanguageModel) -> Prime:
    [task] = language.asked(Prime)
    assert isinstance(task, Prime)
    return task


def test_the_primer_reads_the_reports_nearest_to_the_hypothetical_answer(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, communities=2, depth=0, hybrid=False)

    assert [(e.kind, e.title) for e in primed(language).evidence] == [
        ("report", "Report light"),
        ("report", "Report shore"),
    ]


def test_a_hybrid_primer_reads_the_passages_for_the_question_too_best_first(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, communities=1, depth=0)

    # The template, which is that report, was read by no call that was answered.
    assert [(e.kind, e.title) for e in primed(language).evidence] == [
        ("chunk", "Title of tower.txt"),
        ("chunk", "Title of tower.txt"),
        ("chunk", "Title of log.txt"),
        ("chunk", "Title of boat.txt"),
        ("report", "Report light"),
    ]
    assert primed(language).evidence[0].text == "Reeve lit the lamp at dusk."


def test_of_limited_evidence_the_primer_leaves_a_part_to_the_rounds(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, evidence_tokens=30)

    assert 0 < sum(e.tokens for e in result.evidence) <= 30
    assert any("evidence_tokens 30" in (q.reason or "") for q in result.questions)


def test_the_primer_asks_for_five_follow_ups_or_more(archive: Address) -> None:
    asked = []
    for wanted in (3, 9):
        language = ScriptedLanguageModel(follow_ups)
        search(archive, language=language, follow_ups=wanted, stages=("hyde", "primer"))
        asked.append(primed(language).follow_ups)

    assert asked == [5, 9]


def test_without_local_rounds_no_follow_up_is_asked_for(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, depth=0)

    assert primed(language).follow_ups == 0


def test_the_response_type_reaches_primer_and_local_searches(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, response_type="a list", depth=1)

    assert {task.response_type for task in (primed(language), *language.asked(Answer))} == {"a list"}


def test_without_embedded_reports_it_reads_the_nearest_chunks_and_entities(changed_archive: Address) -> None:
    query(changed_archive, "MATCH (m:__Community__) DETACH DELETE m")
    language = ScriptedLanguageModel(follow_ups)

    result = search(changed_archive, language=language, chunks=1, entities=1, depth=0, hybrid=False)

    assert [(e.kind, e.text) for e in primed(language).evidence] == [
        ("chunk", "Reeve lit the lamp at dusk."),
        ("entity", "The lamp of the tower."),
    ]
    assert result.status == "complete"


def test_an_index_without_any_vector_finds_nothing_and_pays_nothing_for_it(changed_archive: Address) -> None:
    query(changed_archive, "MATCH (n:__Entity__|__Chunk__|__Community__) REMOVE n.embedding")
    language = ScriptedLanguageModel(follow_ups)

    result = search(changed_archive, language=language, hybrid=False)

    assert (result.status, result.questions[0].reason) == ("not_found", NO_EVIDENCE)
    assert result.evidence == ()
    assert [type(task).__name__ for task in language.history] == ["Hyde"]


def test_a_primer_that_fails_leaves_the_question_to_a_local_search(archive: Address) -> None:
    def fail(task: Task[Any]) -> Output:
        if isinstance(task, Prime):
            raise ItemFailed("refused")
        return follow_ups(task)

    language = ScriptedLanguageModel(fail)

    result = search(archive, language=language, depth=1)

    assert [task.local_question for task in language.asked(Answer)] == [QUESTION]
    assert (result.status, result.answer) == ("partial", f"{QUESTION} Told in [1]. [?]")


def test_reports_beyond_the_budget_are_read_by_another_call(changed_archive: Address) -> None:
    query(changed_archive, "MATCH (m:__Community__ {id: 'shore'}) SET m.summary = $long", long="of the shore " * 400)
    language = ScriptedLanguageModel(follow_ups)

    search(changed_archive, language=language, settings=load_settings(context_tokens=500), depth=0, hybrid=False)

    assert [[e.title for e in task.evidence] for task in language.asked(Prime)] == [
        ["Report light", "Report sea"],
        ["Report shore"],
    ]
