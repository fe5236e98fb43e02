"""Amounts and names as people read them."""

from __future__ import annotations

import pytest

from drift_assets.wording import shown_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("letters/Käse 1.md", "letters/Käse 1.md"),
        ("two\nlines.md", "two\\nlines.md"),
        ("red\x1b[31m.md", "red\\x1b[31m.md"),
        ("at\u202f5\u2028pm.md", "at\u202f5\\u2028pm.md"),
    ],
)
def test_a_name_stands_on_one_line_and_steers_no_terminal(name: str, shown: str) -> None:
    assert shown_name(name) == shown
