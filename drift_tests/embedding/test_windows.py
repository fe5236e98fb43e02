"""Cutting and putting together loses nothing and keeps every limit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.embedding.windows import averaged, batches, halves, windows


@given(st.text(min_size=2, max_size=300))
def test_halves_are_the_text_and_none_is_empty(text: str) -> None:
    first, second = halves(text)
    assert first + second == text
    assert first
    assert second


def test_halves_are_cut_at_white_space_near_the_middle() -> None:
    assert halves("one two three four") == ("one two", " three four")
    assert halves("x" * 10) == ("x" * 5, "x" * 5)


@given(st.text(alphabet="ab é語", max_size=300), st.integers(4, 40))
def test_windows_are_the_text_in_pieces_that_fit(text: str, limit: int) -> None:
    pieces = windows(text, limit, lambda piece: len(piece.encode()))
    assert "".join(pieces) == text
    assert all(len(piece.encode()) <= limit for piece in pieces)


def test_a_text_that_fits_is_not_cut() -> None:
    assert windows("", 10, len) == [""]
    assert windows("a b c", 5, len) == ["a b c"]
    assert windows("語語語", 3, len) == ["語語語"]


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(1, 7), st.integers(1, 100))
def test_batches_cover_all_in_order_within_both_limits(sizes: list[int], most: int, limit: int) -> None:
    spans = list(batches(sizes, most, limit))
    assert [index for start, end in spans for index in range(start, end)] == list(range(len(sizes)))
    for start, end in spans:
        assert 0 < end - start <= most
        assert sum(sizes[start:end]) <= limit or end - start == 1


def test_batches_are_as_large_as_they_may_be() -> None:
    assert list(batches([4, 4, 4, 4, 4], 2048, 12)) == [(0, 3), (3, 5)]
    assert list(batches([1] * 5, 2, 100)) == [(0, 2), (2, 4), (4, 5)]
    assert list(batches([], 2, 100)) == []


def test_the_average_is_weighted_and_of_norm_one() -> None:
    vector = averaged([[1.0, 0.0], [0.0, 1.0]], [3, 1])
    assert math.hypot(*vector) == pytest.approx(1)
    assert vector[0] / vector[1] == pytest.approx(3)


def test_one_vector_is_its_own_average_and_opposite_ones_give_the_first() -> None:
    assert averaged([[0.6, 0.8]], [5]) == [0.6, 0.8]
    assert averaged([[1.0, 0.0], [-1.0, 0.0]], [1, 1]) == [1.0, 0.0]
