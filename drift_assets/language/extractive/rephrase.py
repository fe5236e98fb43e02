"""A question that leans on an earlier one, told what that was about."""

from __future__ import annotations

import re

from drift_assets.language.extractive.follow_ups import phrases
from drift_assets.language.extractive.words import content_words
from drift_assets.language.tasks import Rephrase, Standalone

_LEANING = frozenset(
    re.findall(
        r"\w+",
        "he him his she her hers it its they them their theirs this that these those there then one ones same",
    )
)


def rephrase(task: Rephrase) -> Standalone:
    """The question followed by the things that the question before it names, where it leans on them.

    It leans where it says "she" or "there", or names nothing itself.
    """
    words = {word.lower() for word in re.findall(r"\w+", task.question)}
    if not task.conversation or (phrases(task.question) and not words & _LEANING):
        return Standalone(question=task.question)
    before = next((things for one in reversed(task.conversation) if (things := phrases(one.question))), ())
    own = set(content_words(task.question))
    missing = [thing for thing in before if not set(content_words(thing)) <= own]
    return Standalone(question=f"{task.question} ({', '.join(missing)})" if missing else task.question)
