"""The file of entity types."""

from __future__ import annotations

from pathlib import Path

import pytest

from drift_assets.entity_types import read_types
from drift_assets.errors import SettingsError
from drift_assets.language.prompts import render
from drift_assets.language.tasks import Extract
from drift_assets.settings import load_settings


def written(folder: Path, text: str) -> Path:
    file = folder / "types.yaml"
    file.write_text(text, "utf-8")
    return file


def test_types_come_with_their_descriptions_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, "ship: anything that\n  floats\nPERSON:\n")

    settings = load_settings(types_file=file)

    assert settings.types == ("SHIP", "PERSON")
    assert settings.type_meanings == ("anything that floats", "")
    sent = render(Extract(text="x", types=settings.types, meanings=settings.type_meanings)).input
    assert sent.startswith("Types: \n- SHIP: anything that floats\n- PERSON\n\nPassage:")


def test_a_list_of_names_is_enough(tmp_path: Path) -> None:
    settings = load_settings(types_file=written(tmp_path, "- SHIP\n- Person\n"))

    assert (settings.types, settings.type_meanings) == (("SHIP", "PERSON"), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no type"),
        ("just words", "holds no type"),
        ("SHIP: [a, b]", "has the entry 'SHIP', whose name or description is no text"),
        ("1: a number", "has the entry 1, whose name"),
        ("SHIP: {", "is no YAML"),
        ("SHIP: " + "x" * 600, "describes SHIP in over 500 characters"),
        ("A SHIP: floats", "'A SHIP' is no type name"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        load_settings(types_file=written(tmp_path, text))
    assert "DRIFT_TYPES_FILE" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_told() -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_types(Path("nowhere.yaml"))


def test_types_are_given_in_one_place(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="both set; keep one"):
        load_settings(types_file=written(tmp_path, "- SHIP"), types="PERSON")
