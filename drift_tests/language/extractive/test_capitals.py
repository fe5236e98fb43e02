"""A capital is told apart by where it stands."""

from __future__ import annotations

import pytest

from drift_assets.language.extractive.capitals import count_case, is_capitalised, is_forced, is_shouted
from drift_assets.language.extractive.nlp import parse


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Ada", True),
        ("O'Brien", True),
        ("J.", True),
        ("ada", False),
        ("I've", False),
        ("Soo--oop", False),
    ],
)
def test_words_that_begin_with_a_capital_are_capitalised(word: str, expected: bool) -> None:
    token = next(token for token in parse((f"Then {word} came.",)) if token.idx == 5)
    assert (is_capitalised(token) and len(token) == len(word)) is expected


def test_a_capital_is_forced_where_a_sentence_or_a_quotation_begins() -> None:
    doc = parse(("Rain fell.", "She said: 'Stop Ada!'"))
    assert {token.text for token in doc if is_capitalised(token) and is_forced(token)} == {"Rain", "She", "Stop"}


def test_words_are_counted_by_how_they_are_written() -> None:
    case = count_case(parse(("Queen Ada met the Queen.", "The QUEEN was a queen.")))
    assert (case.forced["queen"], case.free["queen"], case.shouted["queen"], case.small["queen"]) == (1, 1, 1, 1)
    assert is_shouted(parse(("The QUEEN sat.",))[1])
