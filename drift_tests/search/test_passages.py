"""Which passages of the chunks found a question gets, and in which order."""

from __future__ import annotations

from drift_assets.graph.candidates import Candidate
from drift_assets.graph.retrieval import Piece
from drift_assets.search.passages import PASSAGE_TOKENS, Wanted, cut, rank, words_of
from drift_assets.tokens import count_tokens


def chunk(id: str, text: str, similarity: float = 0.5, position: int = -1) -> Candidate:
    return Candidate(Piece("chunk", id, f"Title of {id}", text, "one.txt"), position, similarity)


def ranked(question: str, *chunks: Candidate) -> list[str]:
    return [piece.id for piece in rank([Wanted(question)], chunks, len(chunks))]


def test_passages_are_parts_of_their_chunk_and_bear_its_id() -> None:
    text = "\n\n".join(
        f"The keeper wrote line {n} of the log, and nobody read what he had written. " * 3 for n in range(9)
    )

    passages = cut(Piece("chunk", "c", "Log", text, "log.txt"))

    assert len(passages) > 1
    assert all(piece.text in text and count_tokens(piece.text) <= PASSAGE_TOKENS for piece in passages)
    assert {(piece.id, piece.title, piece.document) for piece in passages} == {("c", "Log", "log.txt")}


def test_words_of_the_question_come_first_among_chunks_equally_near() -> None:
    assert ranked("Who lit the lamp?", chunk("a", "The boat was out."), chunk("b", "Reeve lit the lamp.")) == ["b", "a"]


def test_nearness_comes_first_among_chunks_with_the_same_words() -> None:
    assert ranked("Who rowed?", chunk("a", "He rowed.", 0.6), chunk("b", "She rowed.", 0.9)) == ["b", "a"]


def test_rare_words_count_more_than_those_that_all_have() -> None:
    others = [chunk(f"c{n}", "The lamp burned all night.") for n in range(4)]

    assert ranked("Did the lamp flicker?", *others, chunk("d", "It began to flicker in a gale."))[0] == "d"


def test_a_neighbour_of_what_holds_the_words_comes_before_a_stranger() -> None:
    found = ranked(
        "Who lit the lamp?",
        chunk("a", "Nothing is known.", position=1),
        chunk("b", "Snow fell for days.", position=7),
        chunk("c", "Reeve lit the lamp.", position=8),
    )

    assert found == ["c", "b", "a"]


def test_what_else_is_asked_for_gets_a_place() -> None:
    found = ranked(
        "lamp lamp oil",
        chunk("a", "lamp oil oil"),
        chunk("b", "lamp oil oil x"),
        chunk("c", "lamp lamp lamp x y"),
    )

    assert set(found) == {"a", "b", "c"}


def test_of_two_questions_the_heavier_one_decides() -> None:
    chunks = [chunk("a", "The boat was out."), chunk("b", "The lamp was lit.")]

    assert rank([Wanted("boat"), Wanted("lamp", 0.5)], chunks, 1)[0].id == "a"
    assert rank([Wanted("boat", 0.5), Wanted("lamp")], chunks, 1)[0].id == "b"


def test_nothing_found_gives_nothing() -> None:
    assert rank([Wanted("Who?")], [], 3) == []


def test_words_are_known_by_their_beginnings_and_unspaced_writing_by_pairs() -> None:
    assert words_of("Lighthouses, lighter") == ["light", "light"]
    assert words_of("灯台守") == ["灯台", "台守"]
