"""Sentences come from the evidence and from answers with the numbers that they are cited by."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.candidates import held, of_answers, of_evidence, shares, weights
from drift_assets.language.extractive.questions import read_question
from drift_assets.language.tasks import Evidence, IntermediateAnswer

CHUNK = Evidence(number=4, kind="chunk", title="Log", text="Mira lit the lamp. It was cold.\nTobias\nslept [2].")
REPORT = Evidence(
    number=1, kind="report", title="Mira", text="Mira lit the lamp.\nThe lamp and Oslo\nOslo is far away."
)


def test_sentences_are_cited_from_the_document_rather_than_from_a_report() -> None:
    found = {candidate.text: candidate.numbers for candidate in of_evidence([REPORT, CHUNK])}
    assert found["Mira lit the lamp."] == (4,)
    assert found["Oslo is far away."] == (1,)


def test_labels_of_reports_are_no_sentences_and_numbers_in_texts_no_citations() -> None:
    texts = {candidate.text for candidate in of_evidence([REPORT, CHUNK])}
    assert "The lamp and Oslo" not in texts
    assert "Tobias slept." in texts


def test_a_sentence_that_points_back_is_read_with_the_one_before() -> None:
    by_text = {candidate.text: candidate for candidate in of_evidence([CHUNK])}
    assert by_text["It was cold."].in_context == "Mira lit the lamp. It was cold."
    assert by_text["Mira lit the lamp."].in_context == "Mira lit the lamp."


def test_answers_give_back_their_sentences_with_citations() -> None:
    answers = [
        IntermediateAnswer(question="a", answer="Mira lit the lamp. [4][7] It was cold. [4]", score=1),
        IntermediateAnswer(question="b", answer="- Mira lit the lamp. [4]\n- Oslo is far. [9]", score=1),
    ]
    found = {candidate.text: candidate for candidate in of_answers(answers)}
    assert set(found) == {"Mira lit the lamp.", "It was cold.", "Oslo is far."}
    assert found["Mira lit the lamp."].numbers == (4, 7)


def test_text_without_a_citation_is_no_candidate() -> None:
    assert of_answers([IntermediateAnswer(question="a", answer="Nobody knows.", score=1)]) == []


def test_rare_words_weigh_more_and_names_a_third_at_most() -> None:
    listed = of_evidence([CHUNK, REPORT])
    weight = weights(read_question("Did the captain Mira light a lamp in Oslo?"), listed)
    assert sum(weight.values()) == pytest.approx(1)
    assert weight["captain"] > weight["lamp"]
    assert weight["mira"] + weight["oslo"] <= 0.36
    assert held(["captain", "lamp"], weight) == pytest.approx(weight["captain"] + weight["lamp"])


def test_words_that_fit_any_matter_have_half_in_whatever_form_they_are_compared() -> None:
    weight = weights(read_question("How did the message change the harvest?"), of_evidence([CHUNK]))
    assert weight["chang"] == pytest.approx(weight["harvest"] / 2)


def test_neighbours_help_each_other_in_part() -> None:
    listed = of_evidence([CHUNK])
    share = dict(zip((item.text for item in listed), shares(read_question("Who lit the lamp?"), listed), strict=True))
    assert share["Mira lit the lamp."] == pytest.approx(1)
    assert 0 < share["It was cold."] < 0.5
    assert share["Tobias slept."] == 0
