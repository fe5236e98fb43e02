"""Whether two names are of one thing, by rules that would rather miss a pair than join two things."""

from __future__ import annotations

from drift_assets.language.extractive.vocabulary import KIN, OBJECTS, PLACES, STYLES
from drift_assets.language.tasks import NamePair, Resolve, Verdict, Verdicts
from drift_assets.resolution.forms import EPITHETS, PLAIN_TITLES, Form, form, likeness

# Raise with every change that may bring another verdict on the same pair.
VERSION = 2

# A word that is spelt otherwise by one letter is at least so long; a plural and its singular too.
LEAST_SPELT, LEAST_PLURAL = 8, 5
_COMMON = KIN | OBJECTS | PLACES


def resolve(task: Resolve) -> Verdicts:
    """One verdict for each pair."""
    return Verdicts(verdicts=[_verdict(pair) for pair in task.pairs])


def _verdict(pair: NamePair) -> Verdict:
    same, reason = _decide(pair)
    return Verdict(number=pair.number, same=same, reason=reason)


def _decide(pair: NamePair) -> tuple[bool, str]:
    """The decision with its reason."""
    first, second = pair.first.name, pair.second.name
    why = likeness(first, second)
    short, long = sorted((form(first), form(second)), key=lambda one: one.length)
    person = "PERSON" in (pair.first.type, pair.second.type)
    if not pair.together:
        return False, "No document names both."
    match why:
        case "form" | "order":
            return True, "The same words."
        case "possessive":
            return True, "The same name, once in the genitive."
        case "plural":
            people = pair.first.type == pair.second.type == "PERSON"
            fits = len(short.plain) >= LEAST_PLURAL and not people and not pair.others
            return fits, "The plural of the other." if fits else "One and several need not be the same."
        case "title":
            return _title(short, long, pair, person)
        case "last" | "head":
            return _part(short, long, pair, person, head=why == "head")
        case "initials":
            fits = not pair.others and (person or len(short.plain) >= 3)
            return fits, "The initials of the other, and of no other." if fits else "Initials may be another's."
        case "spelling":
            fits = _misspelt(short.plain, long.plain)
            return fits, "Spelt otherwise by one letter." if fits else "Words this alike may be different."
    return False, "Nothing in the names says that they are the same."


def _title(short: Form, long: Form, pair: NamePair, person: bool) -> tuple[bool, str]:
    ranks = [{title for title in one.titles if title not in EPITHETS} for one in (short, long)]
    if not person:
        return False, "Neither is a person."
    if any(rank & STYLES for rank in ranks) or (ranks[0] and ranks[1] and ranks[0] != ranks[1]):
        return False, "The titles may be of two."
    if pair.others:
        return False, f"It may also be {pair.others[0]}."
    return True, "The same name but for a title, in the same documents."


def _part(short: Form, long: Form, pair: NamePair, person: bool, *, head: bool) -> tuple[bool, str]:
    if pair.others:
        return False, f"It may also be {pair.others[0]}."
    if head:
        fits = not (long.titles or short.titles) and (short.is_title if "of" in long.core else person)
        return fits, f"No other {short.plain} is named here." if fits else "What stands first need not be the name."
    if not person:
        return False, "Neither is a person."
    if PLAIN_TITLES & set(short.titles) or STYLES & {*short.titles, *long.titles}:
        return False, "Many of one surname have that title."
    if len(short.core) == 1 and short.core[0] in _COMMON - {"cat", "dog", "horse", "pony"}:
        return False, "A common noun need not be this one."
    return True, "The end of the longer name, and of no other in the same documents."


def _misspelt(one: str, other: str) -> bool:
    """Whether the names differ in a letter within one long word, where no ending tells them apart."""
    differing = [pair for pair in zip(one.split(), other.split(), strict=False) if pair[0] != pair[1]]
    if len(differing) != 1 or len(one.split()) != len(other.split()):
        return one.replace(" ", "") == other.replace(" ", "")
    a, b = differing[0]
    return max(len(a), len(b)) >= LEAST_SPELT and a[-1] == b[-1] and abs(len(a) - len(b)) <= 1 and _one_letter(a, b)


def _one_letter(a: str, b: str) -> bool:
    from rapidfuzz.distance import OSA

    return OSA.distance(a, b, score_cutoff=1) <= 1
