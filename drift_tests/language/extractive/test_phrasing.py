"""Names stand in sentences as the text writes them."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.phrasing import enumerated, with_article

TEXT = "The Queen called Mira Solano. Mira feared the\nQueen. A Queen is seldom kind."


@pytest.mark.parametrize(
    ("name", "written"),
    [("Queen", "the Queen"), ("Mira Solano", "Mira Solano"), ("lamp", "the lamp"), ("Oslo", "Oslo")],
)
def test_names_have_their_article_where_the_text_writes_it(name: str, written: str) -> None:
    assert with_article(name, TEXT) == written


@pytest.mark.parametrize(
    ("things", "written"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (list("abc"), "a, b and c")]
)
def test_things_are_listed_with_a_last_and(things: list[str], written: str) -> None:
    assert enumerated(things) == written
