"""What to ask next: the question's own open parts, then names that were met and are not yet read about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drift_assets.language.extractive.mentions import find_mentions
from drift_assets.language.extractive.nlp import parse
from drift_assets.language.extractive.questions import parts
from drift_assets.language.extractive.ranking import Candidate, Ranked
from drift_assets.language.extractive.sentences import fold
from drift_assets.language.extractive.spellings import unify
from drift_assets.language.extractive.words import content_words
from drift_assets.language.tasks import Answer, Prime
from drift_assets.names import entity_key


def follow_ups(task: Prime | Answer, chosen: Sequence[Ranked], read: Sequence[Candidate], count: int) -> list[str]:
    """Up to `count` distinct questions, the likeliest to complete the answer first."""
    if count <= 0:
        return []
    local = task.local_question if isinstance(task, Answer) else task.question
    answered = " ".join(item.candidate.text for item in chosen)
    text = "\n".join(piece.text for piece in task.evidence)
    names = [with_article(name, text) for name in _names(task, read)]
    known = task.question + " " + local
    central = next((name for name in names if _named(name, known)), "")
    fresh = [name for name in names if not _named(name, known)]
    fresh.sort(key=lambda name: _named(name, answered))
    asked = [part for part in parts(task.question) if part not in {task.question, local}]
    asked += [f"What is said of {name}?" for name in fresh]
    asked += [f"How are {central} and {name} connected?" for name in fresh if central]
    asked += [f"What does {name} do?" for name in names]
    return [question for question in dict.fromkeys(map(fold, asked)) if question not in {task.question, local}][:count]


def _names(task: Prime | Answer, read: Sequence[Candidate]) -> list[str]:
    """Names of the entities given and of those in the sentences read, without repeats."""
    found = [piece.title for piece in task.evidence if piece.kind == "entity"]
    sentences = tuple(candidate.text for candidate in read)
    if sentences:
        found += [mention.name for mention in unify(find_mentions(parse(sentences)))]
    distinct: dict[str, str] = {}
    for name in found:
        distinct.setdefault(entity_key(name), name)
    return [name for key, name in distinct.items() if key]


def with_article(name: str, text: str) -> str:
    """The name as it stands in a sentence: with "the" where the text mostly writes it so."""
    plain = re.escape(name)
    total = len(re.findall(rf"\b{plain}\b", text))
    led = len(re.findall(rf"\bthe\s+{plain}\b", text, re.I))
    return f"the {name}" if total and led * 2 > total else name


def _named(name: str, text: str) -> bool:
    return set(content_words(name)) <= set(content_words(text))
