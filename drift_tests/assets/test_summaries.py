"""The summaries stage: what is copied, what is merged in one call, what in parts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from drift_assets.assets.report import StageReport
from drift_assets.assets.summaries import LEAST_TOKENS, first_tokens, summarise, token_parts
from drift_assets.errors import CallTooLong, ItemFailed
from drift_assets.language.tasks import Summarise, Summary
from drift_assets.tokens import count_tokens
from drift_tests.assets.bench import ALONE, CORPUS, Bench
from drift_tests.scripted import ScriptedLanguageModel

SENTENCES = tuple(f"Statement number {n} says that ship {n} came home late." for n in range(60))
FAILURES = "MATCH (e:__Entity__) WHERE e.failure IS NOT NULL RETURN e.name ORDER BY e.name"


def index(bench: Bench, **overrides: Any) -> StageReport:
    """The stages up to summaries; the report of the latter."""
    return bench.index(until="summaries", **overrides)["summaries"]


def model(limit: int = 10**9, *, length: int = 1) -> ScriptedLanguageModel:
    """A model that takes `limit` tokens at most and joins the first `length` words of what it is told."""

    def answer(task: Any) -> Summary:
        if sum(map(count_tokens, task.descriptions)) > limit:
            raise CallTooLong("too long")
        return Summary(summary="; ".join(" ".join(text.split()[:length]) for text in task.descriptions))

    return ScriptedLanguageModel(answer)


def merged(scripted: ScriptedLanguageModel, texts: tuple[str, ...], tokens: int) -> str:
    return asyncio.run(summarise(scripted, "Ship", texts, tokens)).summary


def test_single_descriptions_are_copied_and_several_are_merged(bench: Bench) -> None:
    bench.write(CORPUS)
    report = index(bench)
    asked = [request.input for request in bench.service.of("summarise")]
    assert report.usage.language_calls == len(asked) == report.facts["merged"]
    assert bench.values("MATCH (e:__Entity__) WHERE e.summary IS NULL RETURN e.name") == []
    assert bench.values("MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() WHERE p.summary IS NULL RETURN p.id") == []
    single = "MATCH (e:__Entity__) WHERE size(e.description) = 1 RETURN e.summary = e.description[0]"
    assert set(bench.values(single)) == {True}
    several = bench.values("MATCH (e:__Entity__) WHERE size(e.description) > 1 RETURN e.aliases[0] ORDER BY e.name")
    assert "Tobias Lund" in several
    assert all(any(f"{name}\n" in text or f"{name}" in text for text in asked) for name in several)


def test_a_changed_document_costs_only_the_summaries_that_it_changes(bench: Bench) -> None:
    bench.write(CORPUS)
    index(bench)
    bench.service.forget()
    bench.write({"more.txt": "Tobias Lund collects old clocks."})
    assert index(bench).usage.language_calls == 1
    assert "Tobias Lund" in bench.service.of("summarise")[0].input


def test_another_model_merges_again_and_copies_nothing_again(bench: Bench) -> None:
    bench.write(CORPUS)
    first = index(bench)
    bench.service.forget()
    again = bench.perform("summaries", index_model="another")
    assert again.usage.language_calls == again.new == first.facts["merged"]
    assert again.facts["copied"] == 0


def test_a_failed_one_is_kept_counted_and_mended_by_a_retry(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.fail(1, "filtered", on="summarise")
    report = index(bench)
    assert report.failed == len(report.failures) == 1
    assert "content filter" in report.failures[0].reason
    assert bench.notes.stages["summaries"][1:] == [report.facts["merged"] + 1, 1]
    left = index(bench)
    assert (left.failed, left.usage.language_calls) == (1, 0), "it would only fail again"
    assert bench.retry() == 1
    again = index(bench)
    assert (again.failed, again.usage.language_calls) == (0, 1)


def test_the_failure_of_what_has_one_description_left_is_forgotten(bench: Bench) -> None:
    bench.write({"a.txt": "Tobias Lund sails.", "b.txt": "Tobias Lund collects clocks."})
    bench.service.fail(1, "refusal", on="summarise")
    assert index(bench).failed == 1
    assert bench.values(FAILURES) == ["TOBIAS LUND"]
    bench.write({"b.txt": None})
    report = index(bench)
    assert (report.failed, report.usage.calls) == (0, 0)
    assert bench.values("MATCH (e:__Entity__) RETURN e.summary") == ["Tobias Lund sails."]


def test_the_failure_of_a_pair_and_of_its_entity_are_two(bench: Bench) -> None:
    bench.write({"a.txt": "Tobias Lund met Ada Quill.", "b.txt": "Tobias Lund left Ada Quill."})
    bench.service.fail_all("refusal", on="summarise")
    report = index(bench)
    assert [item.item for item in report.failures] == ["ADA QUILL", "ADA QUILL – TOBIAS LUND", "TOBIAS LUND"]
    bench.service.fail_all(None, on="summarise")
    assert bench.retry() == 3
    assert index(bench).failed == 0


def test_what_fits_is_merged_in_one_call() -> None:
    scripted = model()
    assert merged(scripted, SENTENCES[:3], 1000) == "Statement; Statement; Statement"
    assert [task.descriptions for task in scripted.asked(Summarise)] == [SENTENCES[:3]]


def test_what_does_not_fit_is_merged_in_parts_and_the_parts_are_merged() -> None:
    scripted = model()
    merged(scripted, SENTENCES, 200)
    *parts, last = [task.descriptions for task in scripted.asked(Summarise)]
    assert tuple(text for part in parts for text in part) == SENTENCES, "each once, in order"
    assert all(sum(map(count_tokens, part)) <= 200 for part in [*parts, last])
    assert len(last) == len(parts)


def test_texts_of_which_no_two_fit_give_up_their_ends() -> None:
    scripted = model(length=3)
    long = tuple(f"{n} " + " ".join(SENTENCES) for n in range(3))
    assert merged(scripted, long, 100).startswith("0 Statement number")
    assert all(sum(map(count_tokens, task.descriptions)) <= 100 for task in scripted.asked(Summarise))


@pytest.mark.parametrize("count", [2, 3, 60])
def test_what_the_model_finds_too_long_is_merged_in_smaller_parts(count: int) -> None:
    scripted = model(100)
    merged(scripted, SENTENCES[:count] if count > 3 else ("x " * 90,) * count, 8000)
    asked = [task.descriptions for task in scripted.asked(Summarise)]
    refused = [texts for texts in asked if sum(map(count_tokens, texts)) > 100]
    assert len(refused) == len(set(refused)), "nothing that was too long is asked again"


def test_what_stays_too_long_fails_at_a_minimum() -> None:
    scripted = model(0)
    with pytest.raises(CallTooLong):
        merged(scripted, SENTENCES, 8000)
    last = scripted.asked(Summarise)[-1].descriptions
    assert sum(map(count_tokens, last)) < 2 * LEAST_TOKENS


def test_a_part_that_fails_fails_the_summary() -> None:
    def refuse(task: Any) -> Summary:
        raise ItemFailed("refused")

    with pytest.raises(ItemFailed):
        merged(ScriptedLanguageModel(refuse), SENTENCES, 200)


def test_texts_are_cut_into_runs_that_fit() -> None:
    size = count_tokens(SENTENCES[0])
    assert [len(part) for part in token_parts(SENTENCES[:7], 3 * size)] == [3, 3, 1]
    assert token_parts([" ".join(SENTENCES), "a"], 10) == [(" ".join(SENTENCES),), ("a",)]
    assert token_parts([], 10) == []


def test_the_beginning_of_a_text_is_cut_by_tokens() -> None:
    text = " ".join(SENTENCES)
    assert text.startswith(first_tokens(text, 50))
    assert 25 <= count_tokens(first_tokens(text, 50)) <= 50
    assert first_tokens("short", 50) == "short"
    assert first_tokens("短い文章です" * 100, 1) in ("", "短")


def test_a_copy_is_told_by_whoever_extracted_it_and_keeps_its_vector(bench: Bench) -> None:
    bench.write({"a.txt": ALONE})
    bench.index()
    bench.service.forget()
    bench.index(until="summaries", index_model="another")
    assert bench.values("MATCH (e:__Entity__) RETURN e.origin, e.embedded IS NOT NULL") == [("openai:another", True)]
    assert bench.perform("reports", index_model="another").new == 1, "a single entity's report says so too"
    assert bench.values("MATCH (m:__Community__) RETURN m.origin") == ["openai:another"]
