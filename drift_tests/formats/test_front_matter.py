"""Front matter of Markdown documents."""

from __future__ import annotations

import json

import pytest

from drift_assets.formats.front_matter import front_matter


def test_yaml_is_read_with_times_in_iso_form() -> None:
    text = "---\nTitle: The Organ\nauthor: [Ada, Tom]\ndate: 2024-03-09\ndraft: false\nempty:\n---\n# Text\n"

    assert front_matter(text) == {"title": "The Organ", "author": ["Ada", "Tom"], "date": "2024-03-09", "draft": False}


def test_toml_is_read() -> None:
    assert front_matter('+++\nurl = "https://example.org"\ndate = 2024-03-09\n+++\n') == {
        "url": "https://example.org",
        "date": "2024-03-09",
    }


@pytest.mark.parametrize(
    "text",
    [
        "# Text\n---\na: b\n---\n",
        "---\njust a line\n---\n",
        "---\na: [\n---\n",
        "---\na: b\n",
        "---\ndate: 2024-13-09\n---\n",
        "---\na: !!python/object:os.system {}\n---\n",
        "---\na: &x [1, 1]\nb: [*x, *x]\n---\n",
    ],
)
def test_what_is_no_front_matter_is_left_alone(text: str) -> None:
    assert front_matter(text) == {}


def test_values_of_any_kind_can_be_stored_as_json() -> None:
    found = front_matter("---\na: .nan\nb: {c: 2024-03-09, 1: x}\nd: 2024-03-09 10:00:00\n---\n")

    assert json.loads(json.dumps(found, allow_nan=False)) == found
