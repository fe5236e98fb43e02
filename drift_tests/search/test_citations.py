"""Citations are read, checked and renumbered as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.search.citations import (
    cited_numbers,
    excerpt,
    keep_citations,
    quotation,
    renumber_citations,
    sentences,
)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It rains [1].", (1,)),
        ("It rains [4][1].", (4, 1)),
        ("It rains [1, 4; 9].", (1, 4, 9)),
        ("It rains [2-4].", (2, 3, 4)),
        ("It rains [2–3, 7].", (2, 3, 7)),
        ("Twice [3] and [3].", (3,)),
        ("Blanks [ 3 ].", (3,)),
        ("Not [one], [1a], [], (1), [-1] or 1.", ()),
        ("Too wide a range [1-99999].", (1, 99999)),
        ("Backwards [4-2].", (4, 2)),
        ("Wide brackets 【3】【4、5】 and 【7†source】.", (3, 4, 5, 7)),
    ],
)
def test_numbers_are_read_in_order_of_appearance(text: str, numbers: tuple[int, ...]) -> None:
    assert cited_numbers(text) == numbers


@pytest.mark.parametrize(
    ("text", "kept", "removed"),
    [
        ("A [1]. B [9].", "A [1]. B.", 1),
        ("A [1, 9].", "A [1].", 1),
        ("A [9][1].", "A [1].", 1),
        ("A [9] [8].", "A.", 2),
        ("A [1-3].", "A [1, 2].", 1),
        ("A [1;2].", "A [1;2].", 0),
        ("A 【1】. B 【9】. C 【2†source】.", "A [1]. B. C [2].", 1),
        ("No citation.", "No citation.", 0),
        ("[9]", "", 1),
    ],
)
def test_invented_numbers_are_taken_out_and_counted(text: str, kept: str, removed: int) -> None:
    assert keep_citations(text, {1, 2}) == (kept, removed)


def test_renumbering_gives_each_number_its_own_brackets() -> None:
    assert renumber_citations("A [7, 3]. B [3][8].", {7: 1, 3: 2}) == "A [1][2]. B [2]."


def test_the_excerpt_is_the_sentence_that_shares_most_with_the_citing_one() -> None:
    source = "The harbour froze. Clara Whitcombe wrote to the Gazette in May. Nobody answered her."

    assert excerpt("In May, Clara Whitcombe sent the Gazette a letter [2].", source) == (
        "Clara Whitcombe wrote to the Gazette in May."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ('He said "Go." She went.', ['He said "Go."', "She went."]),
        ("“Who stole the tarts?” said the King. “I did.”", ["“Who stole the tarts?” said the King.", "“I did.”"]),
        ('"Off with her head!" The Queen rose.', ['"Off with her head!"', "The Queen rose."]),
        ("He cried “Go.” She said no.", ["He cried “Go.”", "She said no."]),
        ("‘What is it?’\nAlice asked. He fled.", ["‘What is it?’ Alice asked.", "He fled."]),
        ("“Gone!”\n\nAlice said no more.", ["“Gone!”", "Alice said no more."]),
        ("Captain J. Hale met Mr. Reeve. They spoke.", ["Captain J. Hale met Mr. Reeve.", "They spoke."]),
        ("A line that is\nmerely full. Next.", ["A line that is merely full.", "Next."]),
        ("A heading\n\nA text", ["A heading", "A text"]),
        ("List:\n- one\n- two\n2. three", ["List:", "- one", "- two", "2. three"]),
        ("雨が降った。風も吹いた。", ["雨が降った。", "風も吹いた。"]),
        (" \n", []),
    ],
)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_long_excerpt_is_cut() -> None:
    assert len(excerpt("word", "word " * 200)) <= 300


@pytest.mark.parametrize(("before", "after"), [(0, 90), (60, 60), (90, 0)])
def test_what_is_cited_is_in_the_part_of_a_long_sentence_that_is_quoted(before: int, after: int) -> None:
    source = "and so on " * before + "Knave stole the tarts " + "and so on " * after
    quoted = excerpt("The Knave stole tarts [1].", source)
    assert "Knave stole the tarts" in quoted
    assert len(quoted) <= 300
    assert quoted.strip("…") in source
    assert (quoted.startswith("…"), quoted.endswith("…")) == (before > 0, after > 0)


@pytest.mark.parametrize(
    ("number", "quoted"),
    [(1, "A lamp failed. … It burned for a night."), (2, "Reeve lit it herself."), (3, "")],
)
def test_a_quotation_holds_what_the_citing_sentences_rest_on_in_the_order_of_the_source(
    number: int, quoted: str
) -> None:
    answer = "It burned [1]. Reeve lit it. [2] The lamp failed [1]. A lamp failed [1]."
    assert quotation(answer, number, "A lamp failed. Reeve lit it herself. It burned for a night.") == quoted


brackets = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(lambda numbers: f"[{', '.join(map(str, numbers))}]")
texts = st.lists(st.one_of(brackets, st.text(max_size=12)), max_size=12).map(" ".join)


@given(texts, st.sets(st.integers(0, 30)))
def test_no_number_outside_the_evidence_survives(text: str, allowed: set[int]) -> None:
    kept, removed = keep_citations(text, allowed)

    assert set(cited_numbers(kept)) <= allowed
    assert (removed == 0) == (set(cited_numbers(text)) <= allowed)


@given(texts, st.sets(st.integers(0, 30)))
def test_checking_twice_changes_nothing(text: str, allowed: set[int]) -> None:
    kept, _ = keep_citations(text, allowed)

    assert keep_citations(kept, allowed) == (kept, 0)


@given(texts)
def test_shown_numbers_run_from_one_in_order_of_appearance(text: str) -> None:
    shown = {number: n for n, number in enumerate(cited_numbers(text), 1)}

    assert cited_numbers(renumber_citations(text, shown)) == tuple(shown.values())
