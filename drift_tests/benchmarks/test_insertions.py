import pytest

from benchmarks.insertions import SENTENCE, filled, insert_sentences, inserted, without_line_breaks

TEXTS = {
    name: "\n\n".join(f"Ship {name}{n} left the harbour at dawn. Its {n} men sang.\nNobody waved." for n in range(60))
    for name in "ab"
}


def test_every_insertion_renews_at_least_the_chunk_that_holds_it_and_never_all() -> None:
    felt = insert_sentences(TEXTS, places=8, seed=1, max_tokens=64)

    assert len(felt.renewed) == 8
    assert all(1 <= count < felt.chunks / 2 for count in felt.renewed)
    assert felt.chunks >= felt.filled > 10
    assert felt == insert_sentences(TEXTS, places=8, seed=1, max_tokens=64)
    assert felt != insert_sentences(TEXTS, places=8, seed=2, max_tokens=64)


@pytest.mark.parametrize(
    ("place", "expected"),
    [(0, "One. New. Two? “Three.” Four"), (5, "One. Two? New. “Three.” Four"), (25, "One. Two? “Three.” Four New.")],
)
def test_a_sentence_is_put_between_two_others(place: int, expected: str) -> None:
    assert inserted("One. Two? “Three.” Four", place, "New.") == expected


def test_a_text_without_line_breaks_has_the_same_words() -> None:
    plain = without_line_breaks(TEXTS)

    assert all("\n" not in text for text in plain.values())
    assert [text.split() for text in plain.values()] == [text.split() for text in TEXTS.values()]


def test_filling_leaves_hardly_any_room() -> None:
    assert filled("A word. " * 100, 60) == pytest.approx(300 / 60, abs=1)


def test_the_row_tells_ratio_average_and_most() -> None:
    felt = insert_sentences({"a": SENTENCE}, places=2, seed=1, max_tokens=64)

    assert felt.row("it") == ["it", 1, 1, 1.0, 2, 1.0, 1]
