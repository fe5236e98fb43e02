"""Rules that join two names, or leave them apart when in doubt."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.resolve import resolve
from drift_assets.language.tasks import NamedThing, NamePair, Resolve


def pair(
    first: str, second: str, types: tuple[str, str] = ("PERSON", "PERSON"), *, together: bool = True, others: str = ""
) -> NamePair:
    things = [
        NamedThing(name=name, type=type_, descriptions=()) for name, type_ in zip((first, second), types, strict=True)
    ]
    return NamePair(number=7, first=things[0], second=things[1], together=together, others=tuple(others.split()))


@pytest.mark.parametrize(
    ("item", "same"),
    [
        (pair("Captain Quill", "Quill"), True),
        (pair("Captain Quill", "Quill", ("PERSON", "LOCATION")), True),
        (pair("Captain Quill", "Quill", ("", "")), False),
        (pair("Captain Quill", "Quill", together=False), False),
        (pair("Captain Quill", "Quill", others="Ben"), False),
        (pair("Captain Quill", "Dr. Quill"), False),
        (pair("King Quill", "Quill"), False),
        (pair("Quill", "Ada Quill"), True),
        (pair("Dr. Quill", "Ada Quill"), True),
        (pair("Mrs. Quill", "Tobias Quill"), False),
        (pair("Quill", "Ada Quill", others="Ben"), False),
        (pair("fishery", "whale fishery", ("", "")), False),
        (pair("Ada", "Ada Quill"), False),
        (pair("Queen", "Queen of Hearts"), True),
        (pair("Queen", "Queen of Hearts", others="Anne"), False),
        (pair("Bill", "Bill the Lizard"), True),
        (pair("Father William", "William the Conqueror"), False),
        (pair("Bank", "Bank of England", ("ORGANIZATION", "ORGANIZATION")), False),
        (pair("Dutchess", "Duchess"), True),
        (pair("Carolina", "Caroline"), False),
        (pair("Quills", "Quill"), False),
        (pair("Typhoons", "Typhoon", ("", "EVENT")), True),
        (pair("A. Quill", "Ada Quill"), True),
        (pair("Alice", "Alice's sister"), False),
        (pair("Alice's", "Alice"), True),
    ],
)
def test_a_pair_is_decided_with_a_reason(item: NamePair, same: bool) -> None:
    (verdict,) = resolve(Resolve(pairs=(item,))).verdicts
    assert (verdict.number, verdict.same) == (7, same)
    assert verdict.reason.endswith(".")
