"""A search as Markdown: complete, and with every text escaped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drift_assets.graph.searches import StoredQuestion
from drift_assets.language.usage import Usage
from drift_assets.search.options import SearchOptions
from drift_assets.search.result import SearchResult, Source
from drift_assets.search.step import StepUse
from drift_assets.search.trace import (
    answer_markdown,
    calls_markdown,
    sources_markdown,
    steps_markdown,
    trace_markdown,
    tree_markdown,
)


def asked(id: str, parent: str | None, text: str, **more: object) -> StoredQuestion:
    base = StoredQuestion(id=id, parent=parent, round=id.count("."), order=0, text=text, status="answered")
    return replace(base, **more)


SOURCE = Source(
    number=1,
    id="c1",
    kind="chunk",
    title="The log",
    document="log.txt",
    text="Reeve lit it. Then he slept.",
    tokens=9,
    gone=False,
    excerpt="Reeve lit it.",
)
RESULT = SearchResult(
    search_id="s",
    run_id="r",
    question="Who lit it?",
    answer="Reeve lit it [1].\n\n- He was the keeper [1].",
    status="partial",
    origin="openai:gpt",
    created=0.0,
    sources=(SOURCE,),
    evidence=(SOURCE,),
    questions=(
        asked("a", None, "Who lit it?", score=40.0),
        asked("a.a", "a", "Who kept it?", score=90.0),
        asked("a.a.a", "a.a", "who lit it", status="dropped", reason="same words as “Who lit it?”"),
        asked("a.b", "a", "And the boat?", status="failed", reason="refused"),
        asked("a.c", "a", "And the log?", status="waiting"),
    ),
    hyde="",
    notes=("1 of 5 questions failed: refused",),
    removed_citations=0,
    options=SearchOptions(question="Who lit it?"),
    steps={"hyde": StepUse(Usage(language_calls=1, embedding_calls=2, input_tokens=30, cost_usd=0.0125), 1.234)},
)


def test_the_answer_stands_with_its_paragraphs_its_status_and_its_notes() -> None:
    assert answer_markdown(RESULT) == (
        "Reeve lit it \\[1\\].\n\n- He was the keeper \\[1\\].\n\n"
        "**Status:** partial\n- 1 of 5 questions failed: refused"
    )


def test_an_answer_without_a_language_model_says_so() -> None:
    assert "without a language model" in answer_markdown(replace(RESULT, origin="extractive"))
    assert "without a language model" not in answer_markdown(RESULT)
    assert "without a language model" not in answer_markdown(replace(RESULT, origin="extractive", status="not_found"))


def test_a_source_has_its_number_its_document_and_the_sentence_that_counts() -> None:
    assert sources_markdown(RESULT) == "1. **The log** (chunk, log.txt): “Reeve lit it.”"


def test_a_source_that_is_gone_says_so() -> None:
    gone = replace(RESULT, sources=(replace(SOURCE, gone=True, excerpt=""),))

    assert sources_markdown(gone) == "1. **The log** (chunk, log.txt): its document was deleted"
    assert sources_markdown(replace(RESULT, sources=())) == "No sources."


def test_a_name_with_a_line_break_stays_on_the_line_of_its_source() -> None:
    odd = replace(RESULT, sources=(replace(SOURCE, title="Two\nlines", document="two\nlines.md"),))

    assert sources_markdown(odd) == r"1. **Two\\nlines** (chunk, two\\nlines.md): “Reeve lit it.”"


def test_sentences_of_documents_are_shown_without_the_escapes_of_markdown() -> None:
    said = replace(RESULT, answer=r"A well\-known \[old\] lamp.")

    assert "A well-known \\[old\\] lamp." in answer_markdown(replace(said, origin="extractive"))
    assert r"well\\-known" in answer_markdown(said)


def test_the_tree_shows_scores_failures_and_drops_under_their_parents() -> None:
    assert tree_markdown(RESULT).splitlines() == [
        "- ✓ Who lit it? (40)",
        "  - ✓ Who kept it? (90)",
        "    - – who lit it: same words as “Who lit it?”",
        "  - ✗ And the boat?: refused",
        "  - … And the log?",
    ]


def test_stages_show_what_they_used() -> None:
    assert steps_markdown(RESULT).splitlines()[-1] == "| hyde | 1 | 2 | 30 | 0.0125 | 1.23 |"
    unknown = replace(RESULT, steps={"hyde": StepUse(Usage(cost_usd=None))})
    assert "unknown" in steps_markdown(unknown)


def test_the_page_has_all_of_it() -> None:
    page = trace_markdown(RESULT)

    for part in (answer_markdown(RESULT), sources_markdown(RESULT), tree_markdown(RESULT), steps_markdown(RESULT)):
        assert part in page
    assert page.endswith("Why one failed or was dropped stands after it.*")


@pytest.mark.parametrize(
    "attack", ["<script>alert(1)</script>", "![x](http://evil)", "[click](http://evil)", "a|b\n# H"]
)
def test_no_text_of_documents_or_models_is_interpreted(attack: str) -> None:
    hostile = replace(SOURCE, title=attack, document=attack, excerpt=attack)
    result = replace(
        RESULT,
        question=attack,
        answer=attack,
        notes=(attack,),
        sources=(hostile,),
        questions=(asked("a", None, attack, status="failed", reason=attack),),
    )

    page = trace_markdown(result)

    assert "<script>" not in page
    assert "](" not in page
    assert "\n# H" not in page


def test_the_table_of_calls_has_a_line_for_each_question_that_was_asked() -> None:
    took = asked("a", None, "Who | lit it?", calls=2, tokens=345, cost_usd=0.0123, seconds=1.5)
    unknown = asked("a.a", "a", "And who kept it?", calls=1, tokens=5, seconds=0.25)

    table = calls_markdown([took, unknown, asked("a.b", "a", "Never asked?")])

    assert table.splitlines()[2:] == [
        "| Who \\| lit it? | 2 | 345 | 0.0123 | 1.50 |",
        "| And who kept it? | 1 | 5 | unknown | 0.25 |",
    ]
    assert calls_markdown([asked("a", None, "Never asked?")]) == "No calls."
