"""What to ask next: the question's own parts and things, then names that were met and are not yet read about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest

from drift_assets.language.extractive.mentions import find_mentions
from drift_assets.language.extractive.nlp import parse
from drift_assets.language.extractive.phrasing import enumerated, with_article
from drift_assets.language.extractive.questions import parts
from drift_assets.language.extractive.ranking import Ranked
from drift_assets.language.extractive.sentences import fold
from drift_assets.language.extractive.spellings import unify
from drift_assets.language.extractive.things import is_thing
from drift_assets.language.extractive.vocabulary import ASKING, STOP
from drift_assets.language.extractive.words import content_words
from drift_assets.language.tasks import Answer, Prime
from drift_assets.names import entity_key

_READ, _NOUNS = 6, 3
_OF_PRIMER = 8
# Where nothing answers, what was met has little to do with the question.
_MET_IN_VAIN = 2
_THINGS = 4


def follow_ups(task: Prime | Answer, chosen: Sequence[Ranked], ranked: Sequence[Ranked], count: int) -> list[str]:
    """Up to `count` distinct questions, the likeliest to complete the answer first; of a primer a few more.

    They cost nothing here, and each reads other chunks.
    """
    if count <= 0:
        return []
    if isinstance(task, Prime):
        count = max(count, _OF_PRIMER)
    asked = [task.question, task.local_question] if isinstance(task, Answer) else [task.question]
    things = phrases(task.question)
    answered = set(content_words(" ".join(item.candidate.text for item in chosen)))
    text = "\n".join(piece.text for piece in task.evidence)
    met = [with_article(name, text) for name in _met(task, ranked) if not _named(name, " ".join(asked))]
    wanted = _of_question(task.question, things) if isinstance(task, Prime) else []
    wanted += [f"What is said of {thing}?" for thing in things if not set(content_words(thing)) <= answered]
    wanted += _of_names(met if chosen else met[:_MET_IN_VAIN], things)
    wanted += [f"What is said of {thing}?" for thing in things]
    known = {_form(question) for question in asked}
    found: dict[str, str] = {}
    for question in map(fold, wanted):
        found.setdefault(_form(question), question)
    return [question for form, question in found.items() if form not in known][:count]


@lru_cache(maxsize=256)
def phrases(question: str) -> tuple[str, ...]:
    """The things that a question names, as it names them ("the small bottle", "Captain Drummond"), in order."""
    found: dict[str, None] = {}
    owner = ""
    for chunk in parse((question,)).noun_chunks:
        words = [word for word in content_words(chunk.text) if word not in ASKING]
        first = chunk[0]
        if not words or chunk.root.pos_ == "PRON" or first.lower_ in {"what", "which", "whose", "how", "who"}:
            continue
        text = (
            chunk.text if first.pos_ == "PROPN" or not first.is_sent_start else chunk.text[0].lower() + chunk.text[1:]
        )
        if first.tag_ == "PRP$":
            text = f"{owner or 'the'} {chunk[1:].text}"
        if chunk.root.pos_ == "PROPN":
            owner = f"{text}'s"
        found[text.strip(" ,?'\"")] = None
    return tuple(found)[:_THINGS]


def _of_question(question: str, things: Sequence[str]) -> list[str]:
    """The parts of the question, each told what it is about, or all things of a simple question together."""
    told = told_parts(question)
    if len(told) == 1:
        return [f"What is said of {enumerated(things)}?"] if things else []
    return told


def told_parts(question: str) -> list[str]:
    """The parts of the question in their order; one that names no thing is told the first that another names."""
    return [told(piece, thing) for piece, thing in parts_with_things(question)]


def parts_with_things(question: str) -> list[tuple[str, str]]:
    """Each part of the question with the first thing that another names where it names none itself, else with ""."""
    things = phrases(question)
    found = []
    for piece in parts(question):
        about = [thing for thing in things if not _named(thing, piece)]
        found.append((piece, about[0] if about and not phrases(piece) else ""))
    return found


def told(part: str, thing: str) -> str:
    """The part of a question, told the thing that it is about, if any."""
    return f"{part.rstrip('?')} in the matter of {thing}?" if thing else part


def _of_names(met: Sequence[str], things: Sequence[str]) -> list[str]:
    """Questions about what was met, tied to what the question is about: to a thing rather than to a name."""
    if not things:
        return [f"What is said of {name}?" for name in met]
    about = next((thing for thing in things if not thing[0].isupper() or "'s " in thing), things[0])
    return [f"How is {name} connected with {about}?" for name in met]


def _met(task: Prime | Answer, ranked: Sequence[Ranked]) -> list[str]:
    """Names and things in the most relevant sentences, in turn, then the entities given, without repeats."""
    sentences = tuple(item.candidate.text for item in ranked[:_READ])
    names: list[str] = []
    nouns: list[str] = []
    if sentences:
        doc = parse(sentences)
        mentions = unify(find_mentions(doc))
        names = [mention.name for mention in mentions]
        within = {place for mention in mentions for place in range(mention.start, mention.end)}
        nouns = [token.lemma_ for token in doc if is_thing(token) and token.i not in within and len(token.lemma_) > 2]
    entities = [piece.title for piece in task.evidence if piece.kind == "entity"]
    turns = [name for pair in zip_longest(_distinct(names), _distinct(nouns)[:_NOUNS]) for name in pair if name]
    return _distinct([*turns, *entities])


def _distinct(names: Iterable[str]) -> list[str]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(entity_key(name), name)
    return [name for key, name in found.items() if key]


def _named(name: str, text: str) -> bool:
    return set(content_words(name)) <= set(content_words(text))


def _form(question: str) -> str:
    return " ".join(word for word in re.findall(r"\w+", question.lower()) if word not in STOP - {"who", "what", "how"})
