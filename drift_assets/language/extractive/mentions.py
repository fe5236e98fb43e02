"""Where a parsed text names something: runs of capitalised words that are capitalised because they are names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from drift_assets.language.extractive.capitals import Case, count_case, is_capitalised, is_forced, is_shouted
from drift_assets.language.extractive.nlp import lexicon
from drift_assets.language.extractive.vocabulary import (
    ADDRESSES,
    BODIES,
    CALENDAR,
    CONNECTORS,
    INTERJECTIONS,
    NEVER_ALONE,
    NUMBERS,
    PEOPLES,
    PLACES,
    RANKS,
    STOP,
    STYLES,
    TITLES,
)
from drift_assets.names import entity_key, spelling

LONGEST = 7
_NAMED = {"PERSON", "ORG", "GPE", "LOC", "FAC", "EVENT", "PRODUCT", "WORK_OF_ART", "LAW"}
_JOINING = {"ORG", "FAC", "EVENT", "WORK_OF_ART", "PRODUCT", "LOC", "LAW"}
_ROMAN = set("IVXLCDM")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at tokens [start, end) of a Doc, without article and possessive; `label` is spaCy's type or ""."""

    name: str
    start: int
    end: int
    label: str


def find_mentions(doc: Any, verse: Iterable[str] = ()) -> list[Mention]:
    """All mentions of names in the Doc, in order; pronouns, numbers, days, shouts and sentence starts are none.

    `verse` holds the words, in lower case, that have a capital because they begin a line of verse.
    """
    labels = {i: ent.label_ for ent in doc.ents if ent.label_ in _NAMED for i in range(ent.start, ent.end)}
    case = count_case(doc)
    case.free.subtract(verse)
    found = []
    for sentence in doc.sents:
        position = sentence.start
        while position < sentence.end:
            end = _run_end(doc, position, sentence.end, labels)
            if end > position:
                mention = _trimmed(doc, position, end, labels, case)
                if mention is not None:
                    found.append(mention)
            position = max(end, position + 1)
    return found


def _run_end(doc: Any, start: int, limit: int, labels: dict[int, str]) -> int:
    """The end of the run of capitalised words at `start`; `start` itself where none begins."""
    if not is_capitalised(doc[start]) or doc[start].lower_ in STOP - TITLES:
        return start
    end = start + 1
    while end < limit:
        token = doc[end]
        if is_capitalised(token) and token.lower_ not in STOP:
            end += 1
            continue
        after = _after_connector(doc, start, end, limit, labels)
        if after == end:
            break
        end = after
    return end


def _after_connector(doc: Any, start: int, end: int, limit: int, labels: dict[int, str]) -> int:
    """Past the words between two parts of one name, or `end` where the name ends."""
    token = doc[end]
    following = end + 1
    if following < limit and token.lower_ == "of" and doc[following].lower_ == "the":
        following += 1
    if following >= limit or not is_capitalised(doc[following]) or doc[following].lower_ in STOP:
        return end
    if token.text in {"-", "&"}:
        tight = not token.whitespace_ and not doc[end - 1].whitespace_
        return following + 1 if tight or token.text == "&" else end
    if token.lower_ == "of":
        head = doc[end - 1].lower_
        alone = end - start == 1 or (end - start == 2 and doc[start].lower_ in STOP)
        noble = head in STYLES or (head in lexicon()["noun"] and head not in RANKS)
        return following + 1 if alone and noble and not is_forced(doc[start]) else end
    if token.lower_ in CONNECTORS:
        return following + 1
    if token.lower_ == "the":
        epithet = labels.get(start) == labels.get(following) == "PERSON" or doc[following].dep_ == "appos"
        return following + 1 if epithet and end - start == 1 else end
    if token.text in {"'s", "’s", "'", "’"} and doc[following].lower_ in PLACES | BODIES:
        return following + 1
    if token.text in {"'s", "’s", "'", "’", "and", "for"}:
        if token.text == "and" and doc[following].lower_ not in BODIES:
            return end
        covered = {labels.get(position) for position in range(start, following + 1)}
        return following + 1 if len(covered) == 1 and covered <= _JOINING else end
    return end


def _trimmed(doc: Any, start: int, end: int, labels: dict[int, str], case: Case) -> Mention | None:
    """The name within a run, or None when there is none."""
    while start < end and _is_prefix(doc, start, end, case):
        start += 1
    while end > start and ((doc[end - 1].lower_ in NEVER_ALONE and end - start > 1) or doc[end - 1].text in {"-", "&"}):
        end -= 1
    if not 0 < end - start <= LONGEST or not _is_name(doc, start, end, labels, case):
        return None
    name = spelling(doc[start:end].text)
    if not entity_key(name) or len(name) < 2:
        return None
    votes = Counter(labels[position] for position in range(start, end) if position in labels)
    return Mention(name, start, end, min(votes, key=lambda label: (-votes[label], label)) if votes else "")


def _is_prefix(doc: Any, start: int, end: int, case: Case) -> bool:
    """Whether the first word of a run of several is no part of the name."""
    token = doc[start]
    word = token.lower_
    if word in INTERJECTIONS or word in {"poor", "dear", "young"} or (word in CALENDAR and token.ent_type_ == "DATE"):
        return True
    if end - start == 1 or not is_forced(token) or word in TITLES or case.free[word] > 0:
        return False
    if word in STOP | NUMBERS:
        return True
    known = lexicon()
    return token.pos_ not in {"PROPN", "NOUN"} or (word in known["adj"] and case.small[word] > 0)


def _is_name(doc: Any, start: int, end: int, labels: dict[int, str], case: Case) -> bool:
    words = [token for token in doc[start:end] if is_capitalised(token)]
    if len(words) == 1 and end - start == 1:
        return _is_single_name(words[0], labels.get(start, ""), case)
    if all(map(is_shouted, words)):
        return all(case.free[token.lower_] > 0 or case.forced[token.lower_] > 0 for token in words)
    empty = NUMBERS | CALENDAR | INTERJECTIONS | ADDRESSES | PEOPLES
    if all(_is_numeral(token) or token.lower_ in empty for token in words):
        return False
    return any(case.free[token.lower_] > 0 for token in words if not is_forced(token) and not is_shouted(token))


def _is_single_name(token: Any, label: str, case: Case) -> bool:
    word = token.lower_
    barred = STOP | INTERJECTIONS | CALENDAR | NUMBERS | NEVER_ALONE | ADDRESSES | PEOPLES
    if word.rstrip(".") in barred or _is_numeral(token) or len(word) < 2 or word.endswith("."):
        return False
    if token.ent_type_ in {"NORP", "LANGUAGE", "DATE", "TIME", "ORDINAL", "CARDINAL", "QUANTITY", "PERCENT", "MONEY"}:
        return case.free[word] > 1 and token.ent_type_ not in {"NORP", "LANGUAGE"} and token.pos_ == "PROPN"
    known = any(word in forms for forms in lexicon().values())
    if is_shouted(token):
        return case.free[word] > 0 or (not known and len(word) <= 6 and label in {"ORG", "GPE"})
    if case.free[word] > 0:
        named = token.pos_ in {"PROPN", "NOUN"} or bool(label)
        return named and (not known or bool(label) or case.free[word] > 1 or case.small[word] < 2)
    # Only where a capital is due: the recogniser must see a name, and the word must not be an ordinary one.
    return bool(label) and token.pos_ == "PROPN" and not known and not case.small[word]


def _is_numeral(token: Any) -> bool:
    letters = token.text.rstrip(".")
    return (len(letters) > 0 and set(letters) <= _ROMAN) or token.like_num
