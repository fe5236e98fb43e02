"""Documents and chunks as they are stored, moved, copied and deleted."""

from __future__ import annotations

import pytest

from drift_assets.graph import chunks
from drift_assets.graph.address import Address
from drift_assets.graph.chunks import StoredDocument
from drift_assets.graph.connection import Graph
from drift_assets.graph.entities import write_extractions
from drift_tests.database import query
from drift_tests.graph.writing import describe, document, extraction, on, values, write_graph

TEXTS = "MATCH (d:__Document__ {id: $id})<-[:PART_OF]-(c) RETURN c.position, c.text ORDER BY c.position"
FOLLOWING = "MATCH (a:__Chunk__)-[:NEXT_CHUNK]->(b) RETURN a.id, b.id ORDER BY a.id"
MENTIONED = "MATCH (c:__Chunk__)-[m:MENTIONS]->(e) RETURN c.id, e.name, m.description ORDER BY c.id, e.name"


def test_a_document_has_its_chunks_in_order(clean_address: Address) -> None:
    assert on(clean_address, lambda graph: chunks.write_documents(graph, [document("a", "one", "two", "three")])) == 3
    assert values(clean_address, TEXTS, id="a") == [(0, "one"), (1, "two"), (2, "three")]
    assert values(clean_address, FOLLOWING) == [("a/one/1", "a/two/1"), ("a/two/1", "a/three/1")]
    assert query(clean_address, "MATCH (d:__Document__) RETURN properties(d) AS d") == [
        {
            "d": {
                "id": "a",
                "title": "Title of a",
                "uri": "a",
                "content_hash": "hash of ('one', 'two', 'three')",
                "chunking": "cut",
                "tokens": 3,
                "metadata": "{}",
                "described": "",
            }
        }
    ]


def test_the_same_text_twice_in_a_document_is_two_chunks(clean_address: Address) -> None:
    on(clean_address, lambda graph: chunks.write_documents(graph, [document("a", "again", "other", "again")]))
    assert values(clean_address, TEXTS, id="a") == [(0, "again"), (1, "other"), (2, "again")]
    assert values(clean_address, FOLLOWING) == [("a/again/1", "a/other/1"), ("a/other/1", "a/again/2")]


def test_an_edit_in_the_middle_keeps_the_nodes_of_the_other_chunks(clean_address: Address) -> None:
    async def edit(graph: Graph) -> tuple[int, int]:
        await chunks.write_documents(graph, [document("a", "one", "two", "three")])
        query(clean_address, "MATCH (c:__Chunk__) WHERE c.text IN ['one', 'three'] SET c.mark = true")
        new = await chunks.write_documents(graph, [document("a", "one", "zwei", "drei", "three")])
        return new, await chunks.delete_orphans(graph)

    assert on(clean_address, edit) == (2, 1)
    assert values(clean_address, TEXTS, id="a") == [(0, "one"), (1, "zwei"), (2, "drei"), (3, "three")]
    assert values(clean_address, "MATCH (c:__Chunk__) WHERE c.mark RETURN c.text ORDER BY c.text") == ["one", "three"]
    assert values(clean_address, FOLLOWING) == [
        ("a/drei/1", "a/three/1"),
        ("a/one/1", "a/zwei/1"),
        ("a/zwei/1", "a/drei/1"),
    ]


@pytest.mark.parametrize("suffix", ["", "_2"])
def test_a_moved_text_keeps_what_is_known_of_it(clean_address: Address, suffix: str) -> None:
    async def move(graph: Graph) -> int:
        await write_graph(graph, {"old": [extraction("one", ["Ann", "Bob"], [("Ann", "Bob")])]})
        query(clean_address, f"MATCH (c:__Chunk__) SET c.embedded = 'm{suffix}', c.embedding{suffix} = [0.6, 0.8]")
        await chunks.adopt_corpus(graph, corpus="corpus", demo=False, gone=["old"])
        await chunks.write_documents(graph, [document("new", "one")])
        deleted = await chunks.delete_orphans(graph)
        await describe(graph)
        return deleted

    assert on(clean_address, move) == 1
    assert query(
        clean_address,
        f"MATCH (c:__Chunk__) RETURN c.id AS id, c.extraction AS extraction, c.origin AS origin, "
        f"c.embedded AS embedded, c.embedding{suffix} AS vector",
    ) == [
        {
            "id": "new/one/1",
            "extraction": "v1",
            "origin": "scripted",
            "embedded": f"m{suffix}",
            "vector": [0.6, 0.8],
        }
    ]
    assert values(clean_address, MENTIONED) == [
        ("new/one/1", "ANN", "Ann in one."),
        ("new/one/1", "BOB", "Bob in one."),
    ]
    assert values(clean_address, "MATCH (a)-[r:RELATIONSHIP]->(b) RETURN a.name, b.name, r.chunk_id, r.strength") == [
        ("ANN", "BOB", "new/one/1", 1.0)
    ]


def test_a_copied_text_says_it_as_well(clean_address: Address) -> None:
    async def copy(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann", "Bob"], [("Ann", "Bob")])]})
        await chunks.write_documents(graph, [document("b", "one", "one")])
        await describe(graph)

    on(clean_address, copy)
    assert [row[:2] for row in values(clean_address, MENTIONED)] == [
        (chunk, name) for chunk in ("a/one/1", "b/one/1", "b/one/2") for name in ("ANN", "BOB")
    ]
    assert values(clean_address, "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() RETURN p.weight, p.description") == [
        (3.0, ["Ann and Bob in one."])
    ]


def test_a_copy_counts_where_mentions_are_counted(clean_address: Address) -> None:
    async def copy(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann:PERSON"]), extraction("two", ["Ann:EVENT"])]})
        await chunks.write_documents(graph, [document("b", "one")])
        await describe(graph)

    on(clean_address, copy)
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.type") == ["PERSON"]


def test_chunks_that_change_places_follow_each_other_anew(clean_address: Address) -> None:
    async def turn(graph: Graph) -> int:
        await chunks.write_documents(graph, [document("a", "one", "two", "three")])
        return await chunks.write_documents(graph, [document("a", "three", "one", "two")])

    assert on(clean_address, turn) == 0
    assert values(clean_address, TEXTS, id="a") == [(0, "three"), (1, "one"), (2, "two")]
    assert values(clean_address, FOLLOWING) == [("a/one/1", "a/two/1"), ("a/three/1", "a/one/1")]


def test_what_only_a_deleted_document_supported_goes_and_what_others_support_stays(clean_address: Address) -> None:
    kept = {"a": [extraction("one", ["Ann", "Bob:PERSON"], [("Ann", "Bob")])]}
    lost = [extraction("two", ["Bob:LOCATION", "Eve"], [("Bob", "Ann"), ("Bob", "Eve")])]

    async def delete(graph: Graph) -> int:
        await write_graph(graph, {**kept, "b": [*lost, extraction("three", ["Bob:LOCATION"])]})
        await chunks.adopt_corpus(graph, corpus="corpus", demo=False, gone=["b"])
        await chunks.delete_orphans(graph)
        return await describe(graph)

    assert on(clean_address, delete) == 1, "Eve is gone"
    left = query(
        clean_address, "MATCH (n) WHERE NOT n:__Index__ RETURN labels(n) AS l, properties(n) AS p ORDER BY l, p"
    )
    ties = query(clean_address, "MATCH (a)-[r]->(b) RETURN type(r) AS t, properties(r) AS p ORDER BY t, p")
    query(clean_address, "MATCH (n) DETACH DELETE n")
    on(clean_address, lambda graph: write_graph(graph, kept))
    query_again = "MATCH (n) WHERE NOT n:__Index__ RETURN labels(n) AS l, properties(n) AS p ORDER BY l, p"
    assert left == query(clean_address, query_again)
    assert ties == query(clean_address, "MATCH (a)-[r]->(b) RETURN type(r) AS t, properties(r) AS p ORDER BY t, p")


def test_a_chunk_that_a_new_document_takes_over_outlives_its_old_one(clean_address: Address) -> None:
    async def work(graph: Graph) -> int:
        await chunks.write_documents(graph, [document("a", "one")])
        await chunks.adopt_corpus(graph, corpus="corpus", demo=False, gone=["a"])
        await chunks.write_documents(graph, [document("a", "one")])
        return await chunks.delete_orphans(graph)

    assert on(clean_address, work) == 0
    assert values(clean_address, TEXTS, id="a") == [(0, "one")]


def test_the_failure_of_a_text_is_not_taken_over(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await chunks.write_documents(graph, [document("a", "one")])
        query(clean_address, "MATCH (c:__Chunk__) SET c.failure = 'refused'")
        await chunks.write_documents(graph, [document("b", "one")])

    on(clean_address, work)
    assert values(clean_address, "MATCH (c:__Chunk__ {id: 'b/one/1'}) RETURN c.extraction, c.failure") == [(None, None)]


def test_the_corpus_and_its_lost_documents_change_together(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await chunks.write_documents(graph, [document("a", "one"), document("b", "two")])
        await chunks.adopt_corpus(graph, corpus="letters", demo=True, gone=["a"])

    on(clean_address, work)
    assert values(clean_address, "MATCH (i:__Index__) RETURN i.corpus, i.demo") == [("letters", True)]
    assert values(clean_address, "MATCH (d:__Document__) RETURN d.id") == ["b"]


def test_stored_documents_come_by_id_with_what_tells_their_state(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[StoredDocument]:
        await chunks.write_documents(graph, [document("b", "two"), document("a", "one")])
        return await chunks.stored_documents(graph)

    assert on(clean_address, work) == [
        StoredDocument("a", "hash of ('one',)", "cut"),
        StoredDocument("b", "hash of ('two',)", "cut"),
    ]


def test_a_sample_begins_with_the_first_document(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[list[dict[str, str | int]], int]:
        await chunks.write_documents(graph, [document("b", "two"), document("a", "x" * 200, "one")])
        return await chunks.chunk_sample(graph, 2), await chunks.count_chunks(graph)

    sample, count = on(clean_address, work)
    assert count == 3
    assert [(row["document"], row["position"], row["text"]) for row in sample] == [
        ("Title of a", 0, "x" * 160),
        ("Title of a", 1, "one"),
    ]


def test_a_re_extraction_of_one_text_leaves_the_others(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann"]), extraction("two", ["Ann", "Bob"])]})
        await write_extractions(graph, [extraction("one", ["Eve"])], version="v2")
        await describe(graph)

    on(clean_address, work)
    assert [row[:2] for row in values(clean_address, MENTIONED)] == [
        ("a/one/1", "EVE"),
        ("a/two/1", "ANN"),
        ("a/two/1", "BOB"),
    ]
