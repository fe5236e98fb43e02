"""The form of a search: its defaults are the article's, its bounds are checked."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from drift_assets.errors import SettingsError
from drift_assets.language.usage import Limits
from drift_assets.search.config import SearchConfig
from drift_assets.search.options import SearchOptions, checked_question


def test_the_defaults_are_those_of_the_article() -> None:
    options = SearchConfig(question="Who?").options()

    assert options == SearchOptions(
        question="Who?",
        depth=2,
        communities=5,
        entities=5,
        chunks=3,
        reports=3,
        relationships=3,
        follow_ups=3,
        parallel=5,
        response_type="multiple paragraphs",
    )


def test_form_and_options_have_the_same_fields() -> None:
    assert set(SearchConfig.model_fields) - {"search_id"} == set(SearchOptions.__dataclass_fields__)


def test_every_field_is_described() -> None:
    assert all(field.description for field in SearchConfig.model_fields.values())


@pytest.mark.parametrize(
    "wrong",
    [
        {"depth": -1},
        {"depth": 6},
        {"communities": 0},
        {"entities": 0},
        {"chunks": 51},
        {"follow_ups": 21},
        {"parallel": 0},
        {"min_score": 101},
        {"max_calls": 0},
        {"max_cost_usd": 0},
        {"max_seconds": -1},
        {"response_type": ""},
        {"search_id": "a b"},
    ],
)
def test_what_is_out_of_bounds_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SearchConfig(question="Who?", **wrong)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("", "the question is blank: ask something in words"),
        (" \n\t", "the question is blank: ask something in words"),
        ("?!", "the question is blank: ask something in words"),
        ("x" * 4_001, "the question has 4,001 characters; at most 4,000 are allowed: shorten it"),
    ],
)
def test_a_question_that_cannot_be_asked_is_one_line(question: str, line: str) -> None:
    with pytest.raises(SettingsError) as raised:
        checked_question(question)
    with pytest.raises(ValidationError, match=line):
        SearchConfig(question=question)

    assert str(raised.value) == line


@pytest.mark.parametrize(
    "question", ["x" * 4_000, "Wer?", "誰ですか", "MATCH (n) DETACH DELETE n", "**[1]** <b>Who</b>?"]
)
def test_any_other_question_is_asked_as_it_is(question: str) -> None:
    assert SearchConfig(question=f"  {question}\n").question == question


def test_the_limits_of_the_settings_hold_where_the_search_has_none() -> None:
    options = SearchOptions(question="Who?", max_calls=5).limited(Limits(calls=100, tokens=9_000))

    assert (options.max_calls, options.max_tokens, options.max_cost_usd) == (5, 9_000, None)


def test_options_survive_being_stored() -> None:
    options = SearchOptions(question="Wer läutete?", depth=0, max_cost_usd=0.5)

    assert SearchOptions.from_json(options.to_json()) == options


def test_options_of_another_version_are_read_as_far_as_they_are_known() -> None:
    assert SearchOptions.from_json('{"question": "Who?", "colour": "red"}') == SearchOptions(question="Who?")
