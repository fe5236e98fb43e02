"""One name for the spellings of one thing within a text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from drift_assets.language.extractive.mentions import Mention, renamed
from drift_assets.language.extractive.vocabulary import STYLES, TITLES
from drift_assets.names import entity_key


def unify(mentions: Iterable[Mention]) -> list[Mention]:
    """The same mentions, each under the spelling that stands for all spellings of its name.

    Case and plural are one name. A title before a full name is dropped, before a single name it stays. A part of
    a longer name (surname, given name, head of "X of Y") stands for it when only one longer name fits.
    """
    listed = [renamed(mention, without_title(mention.name)) for mention in mentions]
    spelt: dict[str, Counter[str]] = defaultdict(Counter)
    for mention in listed:
        spelt[entity_key(mention.name)][mention.name] += 1
    shown = {key: _best(spellings) for key, spellings in spelt.items()}
    people = {entity_key(mention.name) for mention in listed if mention.label == "PERSON"}
    target = {key: _longer(key, shown, people) for key in shown}
    for key, longer in list(target.items()):
        # A title and a single name give way to the bare name where that is the more usual.
        if longer != key and _is_titled(longer) and spelt[key].total() > spelt[longer].total():
            target[key], target[longer] = key, key
    return [renamed(mention, shown[_end(entity_key(mention.name), target)]) for mention in listed]


def without_title(name: str) -> str:
    """The name without a title that stands before two names or more ("Dr. Ada Marsh" is "Ada Marsh")."""
    words = name.split()
    while len(words) > 2 and words[0].lower() in TITLES and not {"of", "de", "von", "van"} & set(words):
        words = words[1:]
    return " ".join(words)


def _is_titled(key: str) -> bool:
    words = key.lower().split()
    return len(words) == 2 and words[0] in TITLES


def _best(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda name: (name.isupper(), -spellings[name], name))


def _longer(key: str, shown: dict[str, str], people: set[str]) -> str:
    """The key that `key` is another spelling of, or `key` itself."""
    if key.endswith("S") and key[:-1] in shown:
        return key[:-1]
    words = key.split()
    bare = words[1:] if words[0].lower() in TITLES - STYLES and len(words) == 2 else words
    if len(bare) != 1:
        return key
    fitting = [other for other in shown if other != key and _stands_for(bare[0], other, len(words), people)]
    return fitting[0] if len(fitting) == 1 else key


def _stands_for(part: str, whole: str, length: int, people: set[str]) -> bool:
    words = whole.split()
    if len(words) <= length and not (length == 1 and len(words) > 1):
        return False
    if "OF" in words:
        return length == 1 and part == words[0]
    titled = words[0].lower() in TITLES
    if length == 2 and titled:
        return False
    return part == words[-1] or (part == words[0] and not titled and whole in people)


def _end(key: str, target: dict[str, str]) -> str:
    seen = {key}
    while target[key] not in seen:
        key = target[key]
        seen.add(key)
    return key
