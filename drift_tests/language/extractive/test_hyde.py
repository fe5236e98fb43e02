"""The hypothetical answer is the question with what the nearest report is about."""

from __future__ import annotations

from drift_assets.language.extractive.hyde import hyde
from drift_assets.language.tasks import Hyde


def test_names_and_nouns_of_the_template_s_title_follow_the_question() -> None:
    text = hyde(Hyde(question="Who broke the lamp?", template="# Mira Solano and the storm\nIt rained.")).answer
    assert text == "Who broke the lamp? Mira Solano storm"


def test_without_a_template_the_question_stands_alone() -> None:
    assert hyde(Hyde(question="Who broke\nthe lamp?", template="")).answer == "Who broke the lamp?"
