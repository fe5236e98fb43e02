"""Text of documents in Markdown: shown, never interpreted."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.markdown import escape, figures_table, table


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, as it is", "plain text, as it is"),
        ("a | b", r"a \| b"),
        ("**bold** _and_ `code`", r"\*\*bold\*\* \_and\_ \`code\`"),
        ("[click](http://example.org)", r"\[click\]\(http://example.org\)"),
        ("![](data:x)", r"\!\[\]\(data:x\)"),
        ("<script>", "&lt;script&gt;"),
        ("&lt;script&gt;", "&amp;lt;script&amp;gt;"),
        (r"\*", r"\\\*"),
        ("two\nlines\n\n# heading", r"two lines \# heading"),
    ],
)
def test_markdown_and_html_lose_their_meaning(text: str, shown: str) -> None:
    assert escape(text) == shown


@given(st.text())
def test_what_is_shown_is_the_text_with_its_white_space_folded(text: str) -> None:
    unescaped = html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escape(text)))
    assert unescaped == " ".join(text.split())
    assert "\n" not in escape(text)


def test_a_table_has_one_line_per_row_and_as_many_cells_as_columns() -> None:
    shown = table(["name", "says"], [["A|B", "line\nbreak"], ["", "|"]])
    assert shown.split("\n") == ["| name | says |", "| --- | --- |", r"| A\|B | line break |", r"|  | \| |"]


def test_numbers_stand_at_the_right_and_large_ones_have_fewer_places() -> None:
    assert figures_table(["name", "n"], [["a", 1_000], ["b", None], ["c", 12.345], ["d", 1.234]]).splitlines() == [
        "| name | n |",
        "| --- | --: |",
        "| a | 1,000 |",
        "| b | – |",
        "| c | 12.3 |",
        "| d | 1.23 |",
    ]
