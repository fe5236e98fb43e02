"""The type of a name comes from all that the text says of it, within the allowed types."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.extract import extract
from drift_assets.language.extractive.kinds import class_of
from drift_assets.language.tasks import Extract
from drift_assets.settings import DEFAULT_TYPES

TEXT = """Captain Tobias Reed sailed the ferry Grey Heron from Port Merrin to Gull Island. "The Grey Heron leaks,"
said Captain Reed. The Harbour Trust held an inquiry after the Great Storm. The Baker said that he would stay."""


def types(text: str, allowed: tuple[str, ...] = DEFAULT_TYPES) -> dict[str, str]:
    return {entity.name: entity.type for entity in extract(Extract(text=text, types=allowed)).entities}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Tobias Reed", "PERSON"),
        ("Grey Heron", "ARTIFACT"),
        ("Gull Island", "LOCATION"),
        ("Harbour Trust", "ORGANIZATION"),
        ("Great Storm", "EVENT"),
        ("Baker", "PERSON"),
    ],
)
def test_names_have_the_type_that_the_text_gives_them(name: str, kind: str) -> None:
    assert types(TEXT)[name] == kind


def test_a_type_outside_the_list_is_empty() -> None:
    found = types(TEXT, ("PERSON",))
    assert found["Tobias Reed"] == "PERSON"
    assert found["Gull Island"] == ""


def test_other_names_of_a_type_are_understood() -> None:
    assert types(TEXT, ("CHARACTER", "PLACE"))["Gull Island"] == "PLACE"


def test_common_nouns_tell_what_stands_beside_them() -> None:
    assert (class_of("ferry"), class_of("blacksmith"), class_of("village")) == ("ARTIFACT", "PERSON", "LOCATION")
    assert class_of("sadness") == ""
