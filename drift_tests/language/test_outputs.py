"""The text of an answer becomes a validated output, or says what is wrong with it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.language.outputs import InvalidOutput, read_output
from drift_assets.language.tasks import CommunityReport, Extraction, FinalAnswer, ScoredAnswer, Summary

GOOD = '{"answer": "Ada [1].", "score": 40, "follow_ups": ["Who?"]}'
ADA = ScoredAnswer(answer="Ada [1].", score=40, follow_ups=["Who?"])


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here it is [1]:\n{GOOD}\nAnything else?",
        f"<think>Perhaps {{'answer': 1}}?</think>\n{GOOD}",
    ],
)
def test_words_around_the_object_are_no_reason_to_repair(text: str) -> None:
    assert read_output(text, ScoredAnswer) == (ADA, False)


@pytest.mark.parametrize(
    "text",
    [
        "{answer: 'Ada [1].', score: 40, follow_ups: ['Who?'],}",
        '{"answer": "Ada [1].", "score": 40, "follow_ups": ["Who?"',
        '{"answer": "Ada [1]." "score": 40, "follow_ups": ["Who?"]}',
    ],
)
def test_json_that_does_not_parse_is_repaired(text: str) -> None:
    assert read_output(text, ScoredAnswer) == (ADA, True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the answer is empty"),
        (" \n", "the answer is empty"),
        ("<think>Hm.</think>", "the answer is empty"),
        ("I would rather not.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('{"answer": "x"}', "score: Field required; follow_ups: Field required"),
        ('{"answer": "x", "score": "high", "follow_ups": []}', "score: .*number"),
        ('{"answer": "x", "score": 1, "follow_ups": [], "note": 1}', "note: Extra inputs"),
        ("{}", "answer: Field required"),
    ],
)
def test_what_cannot_be_used_says_why(text: str, says: str) -> None:
    with pytest.raises(InvalidOutput, match=says):
        read_output(text, ScoredAnswer)


def test_the_reason_does_not_repeat_the_models_own_words() -> None:
    with pytest.raises(InvalidOutput) as caught:
        read_output('{"answer": {"long": "secret words"}, "score": 1, "follow_ups": []}', ScoredAnswer)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("value", "score"), [('"85%"', 85), ("850", 100), ("null", 0), ('"8.5/10"', 8.5), ("-3", 0)])
def test_a_score_of_odd_form_is_no_reason_to_ask_again(value: str, score: float) -> None:
    output, _ = read_output(f'{{"answer": "x", "score": {value}, "follow_ups": null}}', ScoredAnswer)
    assert output == ScoredAnswer(answer="x", score=score, follow_ups=[])


def test_an_answer_without_anything_found_is_valid_where_that_can_be() -> None:
    assert read_output('{"entities": [], "relationships": []}', Extraction)[0].entities == []
    with pytest.raises(InvalidOutput):
        read_output('{"summary": " "}', Summary)


def test_line_breaks_inside_strings_are_read_and_control_characters_dropped() -> None:
    assert read_output('{"summary": "one\ntwo\\u0000\\u0007 \\ud800!"}', Summary)[0].summary == "one\ntwo ?!"


def test_a_deep_output_is_read_whole() -> None:
    report = {
        "title": "T",
        "summary": "S",
        "rating": "7/10",
        "rating_explanation": "",
        "findings": [{"summary": "a", "explanation": "b"}],
    }
    output, _ = read_output(json.dumps(report), CommunityReport)
    assert (output.rating, output.findings[0].explanation) == (7, "b")


@given(st.text(max_size=300), st.booleans())
def test_every_text_survives_the_round_trip_but_for_control_characters(text: str, found: bool) -> None:
    kept = "".join(char for char in text if char in "\t\n\r" or not (char < " " or char == "\x7f"))
    output, repaired = read_output(json.dumps({"answer": text, "found": found}), FinalAnswer)
    assert output == FinalAnswer(answer=kept, found=found)
    assert not repaired


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    with suppress(InvalidOutput):
        read_output(text, FinalAnswer)
