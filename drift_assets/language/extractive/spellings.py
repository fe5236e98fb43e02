"""One name for the spellings of one thing within a text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from drift_assets.language.extractive.mentions import Mention
from drift_assets.language.extractive.vocabulary import STYLES, TITLES
from drift_assets.names import entity_key

# Titles that many people of one surname have.
_COMMON = frozenset({"mr", "mrs", "ms", "miss"})


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of a text by key: the spelling shown, which are people, and the titles that a full name was led by."""

    shown: dict[str, str]
    people: set[str]
    titles: dict[str, set[str]]


def unify(mentions: Iterable[Mention]) -> list[Mention]:
    """The same mentions, each under the spelling that stands for all spellings of its name.

    Case and plural are one name. A title before a full name is dropped, before a single name it stays. A part of
    a longer name (surname, given name, head of "X of Y") stands for it when only one longer name fits.
    """
    spelt: dict[str, Counter[str]] = defaultdict(Counter)
    titles: dict[str, set[str]] = defaultdict(set)
    people: set[str] = set()
    listed: list[Mention] = []
    for mention in mentions:
        title, name = parted(mention.name)
        key = entity_key(name)
        titles[key].update({title} - {""})
        spelt[key][name] += 1
        people.update({key} if mention.label == "PERSON" else ())
        listed.append(replace(mention, name=name))
    names = _Names({key: _best(spellings) for key, spellings in spelt.items()}, people, titles)
    target = {key: _longer(key, names) for key in names.shown}
    for key, longer in list(target.items()):
        # A title and a single name give way to the bare name where that is the more usual.
        if longer != key and _title(longer) and spelt[key].total() > spelt[longer].total():
            target[key], target[longer] = key, key
    return [replace(mention, name=names.shown[_end(entity_key(mention.name), target)]) for mention in listed]


def parted(name: str) -> tuple[str, str]:
    """The title before two names or more, in lower case without its stop, and the rest; ("", name) elsewhere."""
    words = name.split()
    title = ""
    while len(words) > 2 and words[0].lower() in TITLES and not {"of", "de", "von", "van"} & set(words):
        title, words = words[0].lower().rstrip("."), words[1:]
    return title, " ".join(words)


def _title(key: str) -> str:
    """The title of a name of a title and one word, or ""."""
    words = key.lower().split()
    return words[0].rstrip(".") if len(words) == 2 and words[0] in TITLES else ""


def _best(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda name: (name.isupper(), -spellings[name], name))


def _longer(key: str, names: _Names) -> str:
    """The key that `key` is another spelling of, or `key` itself."""
    if key.endswith("S") and key[:-1] in names.shown:
        return key[:-1]
    title = _title(key)
    words = key.split()
    if len(words) > 1 and (not title or title in STYLES):
        return key
    fitting = [other for other in names.shown if other != key and _stands_for(words[-1], title, other, names)]
    # "Solano" fits "Dr. Solano" and "Mira Solano": a title and a surname are no second name beside the full one.
    full = [other for other in fitting if not _title(other)] or fitting
    return full[0] if len(full) == 1 else key


def _stands_for(part: str, title: str, whole: str, names: _Names) -> bool:
    """Whether `part`, led by `title` or none (""), is a part of the name `whole` that stands for it."""
    words = whole.split()
    if len(words) < 2:
        return False
    if title:
        known = names.titles.get(whole)
        fits = title in known if known else title not in _COMMON
        return fits and not _title(whole) and part == words[-1]
    if "OF" in words:
        return part == words[0]
    return part == words[-1] or (part == words[0] and not _title(whole) and whole in names.people)


def _end(key: str, target: dict[str, str]) -> str:
    seen = {key}
    while target[key] not in seen:
        key = target[key]
        seen.add(key)
    return key
