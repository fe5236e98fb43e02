"""Contexts: what fits, what comes first, and which number it has."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from drift_assets.graph.retrieval import Kind, Piece
from drift_assets.graph.searches import StoredPassage
from drift_assets.search.context import SHARES, assemble, evidence_of, halve, number_passages
from drift_assets.tokens import count_tokens


def piece(kind: Kind, id: str, text: str = "", words: int = 0) -> Piece:
    """A piece of about `words` tokens."""
    return Piece(kind, id, f"Title of {id}", text or " ".join([id] * max(1, words)), "one.txt")


def ids(pieces: list[Piece]) -> list[str]:
    return [piece.id for piece in pieces]


def test_kinds_stand_in_one_order_and_pieces_in_the_order_given() -> None:
    pieces = [
        piece("entity", "e"),
        piece("report", "r"),
        piece("chunk", "b"),
        piece("chunk", "a"),
        piece("relationship", "p"),
    ]

    assert ids(assemble(pieces, 1_000)) == ["b", "a", "r", "p", "e"]


def test_nothing_stands_twice() -> None:
    pieces = [
        piece("chunk", "a", "The lamp failed."),
        piece("chunk", "a", "The lamp failed."),
        piece("report", "r", "The  lamp\nfailed."),
        piece("entity", "a", "A lamp."),
    ]

    assert [(p.kind, p.id) for p in assemble(pieces, 1_000)] == [("chunk", "a"), ("entity", "a")]


def test_passages_of_one_chunk_stand_beside_each_other() -> None:
    assert len(assemble([piece("chunk", "a", "The lamp failed."), piece("chunk", "a", "It was dark.")], 1_000)) == 2


def test_blank_pieces_are_left_out() -> None:
    assert assemble([piece("entity", "e", " \n")], 1_000) == []
    assert assemble([], 1_000) == []


def test_each_kind_is_sure_of_its_share() -> None:
    chunks = [piece("chunk", f"c{n}", words=100) for n in range(20)]
    others = [piece("report", "r", words=50), piece("relationship", "p", words=20), piece("entity", "e", words=30)]

    taken = assemble([*chunks, *others], 1_000)

    assert {p.kind for p in taken} == set(SHARES)


def test_what_a_kind_does_not_use_goes_to_the_others() -> None:
    chunks = [piece("chunk", f"c{n}", words=100) for n in range(20)]
    size = sum(map(count_tokens, (chunks[0].title, chunks[0].text)))

    assert ids(assemble(chunks, 4 * size)) == ["c0", "c1", "c2", "c3"]


def test_a_piece_that_does_not_fit_makes_room_for_smaller_ones() -> None:
    pieces = [piece("chunk", "big", words=600), piece("chunk", "small", words=10)]

    assert ids(assemble(pieces, 500)) == ["small"]


def test_a_single_piece_that_is_too_long_is_cut_to_the_budget() -> None:
    [cut] = assemble([piece("chunk", "big", words=5_000)], 500)

    assert 400 < count_tokens(cut.text) <= 500


@given(
    st.lists(st.tuples(st.sampled_from(list(SHARES)), st.integers(0, 8), st.integers(1, 120)), max_size=25),
    st.integers(20, 600),
)
def test_no_context_exceeds_its_budget_and_none_is_empty_without_need(
    drawn: list[tuple[Kind, int, int]], budget: int
) -> None:
    pieces = [piece(kind, f"{kind}{n}", words=words) for kind, n, words in drawn]

    taken = assemble(pieces, budget)

    assert bool(taken) == bool(pieces)
    assert sum(count_tokens(p.text) for p in taken) <= budget
    assert len({(p.kind, p.id, p.text) for p in taken}) == len(taken)


def test_numbers_follow_first_appearance_and_are_kept() -> None:
    a, b, c = piece("chunk", "a"), piece("report", "b"), piece("chunk", "c")
    first, numbers = number_passages([[a, b], [b]], [])
    second, later = number_passages([[c, b, a]], first)

    assert numbers == [(1, 2), (2,)]
    assert [(p.number, p.source_id, p.tokens) for p in second] == [(3, "c", count_tokens("c"))]
    assert later == [(3, 2, 1)]


def test_a_text_that_changed_since_is_another_passage() -> None:
    known, _ = number_passages([[piece("chunk", "a", "before")]], [])

    new, numbers = number_passages([[piece("chunk", "a", "after")]], known)

    assert numbers == [(2,)]
    assert [p.text for p in new] == ["after"]


def passage(number: int, tokens: int) -> StoredPassage:
    [made], _ = number_passages([[piece("chunk", str(number))]], [])
    return replace(made, number=number, tokens=tokens)


def test_halving_keeps_the_first_half_of_the_tokens() -> None:
    passages = {n: passage(n, 10) for n in (7, 3, 5, 9)}

    assert halve((7, 3, 5, 9), passages) == (7, 3)


def test_halving_always_drops_something_and_keeps_something() -> None:
    passages = {1: passage(1, 90), 2: passage(2, 10), 3: passage(3, 0)}

    assert halve((1, 2), passages) == (1,)
    assert halve((2, 3), passages) == (2,)
    assert halve((1,), passages) == (1,)


def test_evidence_has_the_numbers_of_its_passages() -> None:
    [evidence] = evidence_of([4], {4: passage(4, 1)})

    assert (evidence.number, evidence.kind, evidence.title, evidence.text) == (4, "chunk", "Title of 4", "4")
