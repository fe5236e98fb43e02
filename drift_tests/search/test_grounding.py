"""Quotations of an answer are traced to the chunks that say them."""

from __future__ import annotations

import asyncio

from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.graph.retrieval import chunks_below
from drift_assets.graph.searches import StoredPassage
from drift_assets.search.citations import Cited, cited_sentences, move_citations
from drift_assets.search.grounding import says, untraced
from drift_tests.database import query

REPORT = StoredPassage(2, "report", "r", "A report", None, "The bell was cast in 1881. It hangs in the tower.", 12)
CHUNK = StoredPassage(1, "chunk", "c", "A chunk", "a.txt", "The bell was\ncast in 1881.", 8)


def test_each_sentence_is_given_with_the_numbers_it_cites() -> None:
    cited = cited_sentences("The bell rang. [2] Nobody came. [1][3]")
    assert [(one.sentence, one.number) for one in cited] == [
        ("The bell rang.", 2),
        ("Nobody came.", 1),
        ("Nobody came.", 3),
    ]


def test_a_quotation_of_a_report_is_untraced_and_one_of_a_chunk_is_not() -> None:
    answer = "The bell was cast in 1881. [2] The bell was cast in 1881. [1] It is said to be cracked. [2]"
    found = untraced(answer, {1: CHUNK, 2: REPORT})
    assert [(q.cited.sentence, q.cited.number) for q in found] == [("The bell was cast in 1881.", 2)]


def test_line_breaks_and_quotes_do_not_hide_a_quotation() -> None:
    assert says("He said: “The bell was\n  cast in 1881.”", "The bell was cast in 1881.")
    assert not says("The bell was cast in 1882.", "The bell was cast in 1881.")


def test_a_few_letters_are_no_quotation() -> None:
    assert not says("Yes, it did.", "Yes, it did.")


def test_a_moved_citation_names_the_chunk_and_the_others_stay() -> None:
    answer = "The bell was cast. [2] It hangs. [2, 3]"
    first = cited_sentences(answer)[0]
    assert move_citations(answer, {first: 9}) == "The bell was cast. [9] It hangs. [2, 3]"


def test_a_number_that_would_stand_twice_stands_once() -> None:
    answer = "It hangs. [2][3] It rings. [2, 3]"
    moves = {cited: 7 for cited in cited_sentences(answer) if isinstance(cited, Cited)}
    assert move_citations(answer, moves) == "It hangs. [7][7] It rings. [7]"


def test_chunks_below_a_report_an_entity_and_a_relationship_are_found(clean_address: Address) -> None:
    query(
        clean_address,
        "CREATE (d:__Document__ {id: 'a.txt', title: 'A'}) "
        "CREATE (c:__Chunk__ {id: 'c', text: 'The bell hangs.', text_hash: '1'})-[:PART_OF]->(d) "
        "CREATE (o:__Chunk__ {id: 'o', text: 'The organ plays.', text_hash: '2'})-[:PART_OF]->(d) "
        "CREATE (x:__Chunk__ {id: 'x', text: 'Another bell.', text_hash: '3'})-[:PART_OF]->(d) "
        "CREATE (e:__Entity__ {name: 'BELL'})-[:SUMMARIZED_RELATIONSHIP {id: 'p'}]->(f:__Entity__ {name: 'ORGAN'}) "
        "CREATE (c)-[:MENTIONS]->(e), (o)-[:MENTIONS]->(f) "
        "CREATE (e)-[:IN_COMMUNITY]->(:__Community__ {id: 'leaf'})-[:IN_COMMUNITY]->(:__Community__ {id: 'top'})",
    )

    async def below(kind: str, id_: str, word: str) -> list[str]:
        async with open_graph(clean_address) as graph:
            return [piece.id for piece in await chunks_below(graph, kind=kind, id=id_, word=word)]  # type: ignore[arg-type]

    assert asyncio.run(below("report", "top", "bell")) == ["c"]
    assert asyncio.run(below("entity", "BELL", "bell")) == ["c"]
    assert asyncio.run(below("entity", "BELL", "organ")) == []
    assert asyncio.run(below("relationship", "p", "organ")) == ["o"]
