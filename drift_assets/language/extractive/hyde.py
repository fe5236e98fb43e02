"""A hypothetical answer to look for reports with: the question, and what the nearest report is about."""

from __future__ import annotations

from drift_assets.language.extractive.nlp import parse
from drift_assets.language.extractive.sentences import fold
from drift_assets.language.tasks import Hyde, HydeAnswer


def hyde(task: Hyde) -> HydeAnswer:
    """The question with the names and nouns of the template's title, which is its first line."""
    title = fold(next(iter(task.template.strip().splitlines()), "").lstrip("# "))[:300]
    words = [token.text for token in parse((title,)) if token.pos_ in {"PROPN", "NOUN"}] if title else []
    return HydeAnswer(answer=" ".join([fold(task.question), *dict.fromkeys(words)]))
