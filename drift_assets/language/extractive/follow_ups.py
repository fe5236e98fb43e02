"""What to ask next: the question's own parts and things, then names that were met and are not yet read about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from drift_assets.language.extractive.mentions import find_mentions
from drift_assets.language.extractive.nlp import parse
from drift_assets.language.extractive.questions import parts
from drift_assets.language.extractive.ranking import Ranked
from drift_assets.language.extractive.sentences import fold
from drift_assets.language.extractive.spellings import unify
from drift_assets.language.extractive.vocabulary import ASKING, STOP
from drift_assets.language.extractive.words import content_words
from drift_assets.language.tasks import Answer, Prime
from drift_assets.names import entity_key

_READ = 6
_THINGS = 4


def follow_ups(task: Prime | Answer, chosen: Sequence[Ranked], ranked: Sequence[Ranked], count: int) -> list[str]:
    """Up to `count` distinct questions, the likeliest to complete the answer first."""
    if count <= 0:
        return []
    asked = [task.question, task.local_question] if isinstance(task, Answer) else [task.question]
    things = phrases(task.question)
    answered = set(content_words(" ".join(item.candidate.text for item in chosen)))
    text = "\n".join(piece.text for piece in task.evidence)
    names = [with_article(name, text) for name in _names(task, ranked) if not _named(name, " ".join(asked))]
    wanted = _of_question(task.question, things) if isinstance(task, Prime) else []
    wanted += [f"What is said of {thing}?" for thing in things if not set(content_words(thing)) <= answered]
    wanted += _of_names(names, things)
    wanted += [f"What is said of {thing}?" for thing in things]
    known = {_form(question) for question in asked}
    found: dict[str, str] = {}
    for question in map(fold, wanted):
        found.setdefault(_form(question), question)
    return [question for form, question in found.items() if form not in known][:count]


def phrases(question: str) -> list[str]:
    """The things that a question names, as it names them ("the small bottle", "Captain Drummond"), in order."""
    found: dict[str, None] = {}
    for chunk in parse((question,)).noun_chunks:
        words = [word for word in content_words(chunk.text) if word not in ASKING]
        first = chunk[0]
        if not words or chunk.root.pos_ == "PRON" or first.lower_ in {"what", "which", "whose", "how", "who"}:
            continue
        text = (
            chunk.text if first.pos_ == "PROPN" or not first.is_sent_start else chunk.text[0].lower() + chunk.text[1:]
        )
        found[text.strip(" ,?'\"")] = None
    return list(found)[:_THINGS]


def _of_question(question: str, things: Sequence[str]) -> list[str]:
    """The parts of the question, each told what it is about, or all things of a simple question together."""
    pieces = parts(question)
    if len(pieces) == 1:
        return [f"What is said of {enumerated(things)}?"] if things else []
    found = []
    for piece in pieces:
        about = [thing for thing in things if not _named(thing, piece)]
        alone = not any(word not in ASKING for phrase in phrases(piece) for word in content_words(phrase))
        found.append(f"{piece.rstrip('?')}, as to {about[0]}?" if alone and about else piece)
    return found


def _of_names(names: Sequence[str], things: Sequence[str]) -> list[str]:
    """Questions about names that were met, tied to what the question is about."""
    if not things:
        return [f"What is said of {name}?" for name in names]
    return [f"How is {name} connected with {things[0]}?" for name in names]


def _names(task: Prime | Answer, ranked: Sequence[Ranked]) -> list[str]:
    """Names in the most relevant sentences, then those of the entities given, without repeats."""
    sentences = tuple(item.candidate.text for item in ranked[:_READ])
    found = [mention.name for mention in unify(find_mentions(parse(sentences)))] if sentences else []
    found += [piece.title for piece in task.evidence if piece.kind == "entity"]
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


def enumerated(things: Iterable[str]) -> str:
    """Things joined by commas and a last "and"."""
    listed = list(things)
    return " and ".join(part for part in (", ".join(listed[:-1]), *listed[-1:]) if part)


def _named(name: str, text: str) -> bool:
    return set(content_words(name)) <= set(content_words(text))


def _form(question: str) -> str:
    return " ".join(word for word in re.findall(r"\w+", question.lower()) if word not in STOP - {"who", "what", "how"})
