"""The methods that DRIFT is compared with share its parts and read something else."""

from __future__ import annotations

import pytest

from drift_assets.graph.address import Address
from drift_assets.language.tasks import Answer, Prime, Reduce
from drift_assets.settings import load_settings
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import QUESTION, embedder, follow_ups, search


def test_vector_reads_the_nearest_chunks_in_one_call_and_reduces(archive: Address) -> None:
    language, embedding = ScriptedLanguageModel(follow_ups), embedder()

    result = search(archive, language=language, embedding=embedding, method="vector")

    answer, reduced = language.history
    assert isinstance(answer, Answer)
    assert isinstance(reduced, Reduce)
    assert (answer.local_question, answer.follow_ups) == (QUESTION, 0)
    assert [e.text for e in answer.evidence][:2] == ["Reeve lit the lamp at dusk.", "The lamp burned all night."]
    assert {e.kind for e in result.evidence} == {"chunk"}
    assert embedding.history[0] == [QUESTION]
    assert (result.status, [q.status for q in result.questions]) == ("complete", ["answered"])


def test_local_reads_around_the_entities_of_the_question(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, method="local")

    assert len(language.asked(Answer)) == 1
    assert {e.kind for e in result.evidence} == {"chunk", "report", "relationship", "entity"}


def test_global_reads_all_reports_near_first_in_as_many_calls_as_it_takes(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, method="global", settings=load_settings(context_tokens=500))

    [primed] = language.asked(Prime)
    assert [e.title for e in primed.evidence] == ["Report light", "Report shore", "Report sea"]
    assert {e.kind for e in result.evidence} == {"report"}


@pytest.mark.parametrize("method", ["drift", "local", "vector", "global"])
def test_no_method_reads_more_than_the_evidence_it_may(archive: Address, method: str) -> None:
    result = search(archive, method=method, evidence_tokens=20)

    assert 0 < sum(e.tokens for e in result.evidence) <= 20


@pytest.mark.parametrize("method", ["local", "vector", "global"])
def test_a_finished_method_that_is_executed_again_asks_nothing(archive: Address, method: str) -> None:
    finished = search(archive, method=method)
    language = ScriptedLanguageModel(follow_ups)

    search(archive, language=language, stages=("primer", "local"), search_id=finished.search_id, method=method)

    assert language.history == []
