"""What extractions amount to: one mention per entity of a chunk, one description of an entity or pair from many.

Pure; whatever order mentions come in, the same result. Everything is ordered by the hash of the text that says it,
never by document or path, so that a moved file changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from drift_assets.fingerprint import fingerprint
from drift_assets.graph.entities import (
    EntityRow,
    ExtractionRow,
    MentionRow,
    PairRow,
    StatementRow,
    StoredMention,
    StoredStatement,
)
from drift_assets.language.tasks import Extraction
from drift_assets.names import entity_key, spelling


def extraction_row(text_hash: str, extraction: Extraction, types: Sequence[str], origin: str) -> ExtractionRow:
    """The extraction in terms of keys: names that are none are dropped, types outside the list are empty.

    An entity named only as an end of a relationship becomes a mention described by that relationship.
    """
    mentions: dict[str, MentionRow] = {}
    for entity in extraction.entities:
        _mention(mentions, entity.name, _allowed(entity.type, types), entity.description)
    statements: dict[tuple[str, str, str], StatementRow] = {}
    for said in extraction.relationships:
        source, target = entity_key(said.source), entity_key(said.target)
        if not source or not target or source == target:
            continue
        for name, key in ((said.source, source), (said.target, target)):
            if key not in mentions:
                _mention(mentions, name, "", said.description)
        row = StatementRow(source, target, _folded(said.description), said.strength)
        known = statements.get((source, target, row.description))
        if known is None or known.strength < row.strength:
            statements[source, target, row.description] = row
    return ExtractionRow(
        text_hash,
        origin,
        tuple(mentions[key] for key in sorted(mentions)),
        tuple(statements[key] for key in sorted(statements)),
    )


def _mention(mentions: dict[str, MentionRow], name: str, type_: str, description: str) -> None:
    key = entity_key(name)
    if not key:
        return
    said = _folded(description)
    known = mentions.get(key)
    if known is None:
        mentions[key] = MentionRow(key, spelling(name), type_, said)
        return
    both = said if said.startswith(known.description) else f"{known.description} {said}".strip()
    kept = known.description if said in known.description else both
    mentions[key] = MentionRow(key, known.spelling, known.type or type_, kept)


def _allowed(type_: str, types: Sequence[str]) -> str:
    wanted = " ".join(type_.split()).upper()
    return wanted if wanted in types else ""


def _folded(text: str) -> str:
    return " ".join(text.split())


def describe_entities(mentions: Iterable[StoredMention]) -> list[EntityRow]:
    """One row per entity: spellings commonest first, the type most mentions give, each distinct description once."""
    ordered = sorted(mentions, key=lambda m: (m.name, m.text_hash, m.description, m.spelling))
    return [_entity(name, list(group)) for name, group in groupby(ordered, key=lambda m: m.name)]


def _entity(name: str, mentions: list[StoredMention]) -> EntityRow:
    types = Counter(mention.type for mention in mentions if mention.type)
    descriptions = _distinct(mention.description for mention in mentions)
    return EntityRow(
        name=name,
        aliases=_by_count(mention.spelling for mention in mentions),
        type=_by_count(types.elements())[0] if types else None,
        description=descriptions,
        description_hash=fingerprint("descriptions", descriptions),
        origin=min(mention.origin for mention in mentions),
    )


def describe_pairs(statements: Iterable[StoredStatement]) -> list[PairRow]:
    """One row per pair, lesser name first: each distinct statement once, weight the sum of all strengths.

    What is said of two names of one entity makes no pair.
    """

    def pair(said: StoredStatement) -> tuple[str, str]:
        return (said.source, said.target) if said.source < said.target else (said.target, said.source)

    ordered = sorted(
        (said for said in statements if said.source != said.target),
        key=lambda s: (pair(s), s.text_hash, s.description, s.strength),
    )
    rows = []
    for (lesser, greater), group in groupby(ordered, key=pair):
        said = list(group)
        descriptions = _distinct(statement.description for statement in said)
        rows.append(
            PairRow(
                id=fingerprint("pair", lesser, greater),
                source=lesser,
                target=greater,
                description=descriptions,
                description_hash=fingerprint("descriptions", descriptions),
                weight=float(sum(statement.strength for statement in said)),
                origin=min(statement.origin for statement in said),
            )
        )
    return rows


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))


def _by_count(values: Iterable[str]) -> tuple[str, ...]:
    """Distinct values, commonest first, equally common ones in the order of the alphabet."""
    return tuple(value for value, _ in sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))
