"""A document's title: its first heading, else its file's name made readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.titles import LONGEST_TITLE, title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# The Fog Organ\n\nText.", "The Fog Organ"),
        ("Some text first.\n\n## The Fog Organ ##\n", "The Fog Organ"),
        ("The Fog Organ\n=============\n\nText.", "The Fog Organ"),
        ("# The *Fog* **Organ** of `Merrin`\n", "The Fog Organ of Merrin"),
        ("# The [Fog Organ](https://example.org/organ)\n", "The Fog Organ"),
        ("# snake_case and _stress_\n", "snake_case and stress"),
        ("```sh\n# a comment\n```\n\n# The Fog Organ\n", "The Fog Organ"),
        ("---\nauthor: A\n# a comment\n---\n\n# The Fog Organ\n", "The Fog Organ"),
        ("---\n\n# The Fog Organ\n", "The Fog Organ"),
        ("#\n\n# The Fog Organ\n", "The Fog Organ"),
        ("# Les marées de l’été\n", "Les marées de l’été"),
        ("# 雾风琴\n\n正文。", "雾风琴"),
    ],
)
def test_a_markdown_title_is_the_first_heading_in_plain_words(text: str, expected: str) -> None:
    assert title(text, "notes/file_7.md") == expected


@pytest.mark.parametrize(
    "text", ["Just a line.\n", "#hashtag and text\n", "```\n# a comment\n```\n", "\n" * 500 + "x\n" * 500 + "# Late\n"]
)
def test_a_markdown_file_without_a_heading_is_called_by_its_name(text: str) -> None:
    assert title(text, "notes/harbour_log.md") == "harbour log"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Fog Organ\n\nIt was built in 1880.", "The Fog Organ"),
        ("\n\n      THE   FOG ORGAN\n\n\nIt was built.", "THE FOG ORGAN"),
        ("CHAPTER 1. Loomings.\n\nText.", "CHAPTER 1. Loomings."),
        ("# The Fog Organ\n\nText.", "The Fog Organ"),
        ("The Fog Organ", "The Fog Organ"),
    ],
)
def test_the_title_of_plain_text_is_a_first_line_that_reads_as_a_heading(text: str, expected: str) -> None:
    assert title(text, "organ.txt") == expected


@pytest.mark.parametrize(
    "text",
    [
        "It was built in 1880.\n\nAnd so on.",
        "The Fog Organ\nwas built in 1880.",
        "a line that goes on\n\nText.",
        "The organ was built in a year in which nobody thought of fog, and so it stood unused by all for long\n\nText.",
        "* * *\n\nText.",
    ],
)
def test_plain_text_that_begins_with_no_heading_is_called_by_its_name(text: str) -> None:
    assert title(text, "old/fog_organ.txt") == "fog organ"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fog-organ.txt", "fog organ"),
        ("Jean-Pierre.txt", "Jean-Pierre"),
        ("2024-05-01 report.txt", "2024-05-01 report"),
        ("a/b/Été à Noël.TXT", "Été à Noël"),
        ("v1.2.txt", "v1.2"),
        ("___.txt", "___.txt"),
    ],
)
def test_a_name_is_made_readable(name: str, expected: str) -> None:
    assert title("nothing like a heading.", name) == expected


@given(st.text(max_size=300), st.sampled_from(["a.txt", "a.md"]))
def test_a_title_is_one_line_of_bounded_length_and_never_empty(text: str, name: str) -> None:
    found = title(text, name)

    assert 0 < len(found) <= LONGEST_TITLE
    assert "\n" not in found
    assert found == found.strip()
