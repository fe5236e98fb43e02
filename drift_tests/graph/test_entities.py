"""What chunks say, and what it amounts to, as it is stored."""

from __future__ import annotations

import pytest

from drift_assets.graph import chunks, entities
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.entities import ExtractionCounts, ExtractionRow, MentionRow, StaleText, StatementRow
from drift_assets.graph.failures import Failure
from drift_tests.database import query
from drift_tests.graph.writing import describe, document, extraction, on, values, write_graph

HOSTILE = "PERSON`) DETACH DELETE (n) //"

REFUSED = Failure("refused", lasting=True)


def test_a_text_is_stale_once_however_many_chunks_have_it(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, list[StaleText], list[StaleText]]:
        await chunks.write_documents(graph, [document("a", "one", "two", "one"), document("b", "one", "three")])
        return (
            await entities.count_stale_texts(graph, version="v1"),
            await entities.stale_texts(graph, version="v1", after="", limit=100),
            await entities.stale_texts(graph, version="v1", after="#one", limit=1),
        )

    count, first, second = on(clean_address, work)
    assert count == 3
    assert first == [StaleText("#one", "one"), StaleText("#three", "three"), StaleText("#two", "two")]
    assert second == [StaleText("#three", "three")]


def test_an_extraction_covers_every_chunk_with_its_text(clean_address: Address) -> None:
    async def work(graph: Graph) -> int:
        await chunks.write_documents(graph, [document("a", "one", "one"), document("b", "one", "two")])
        await entities.write_extractions(graph, [extraction("one", ["Ann"])], version="v1")
        return await entities.count_stale_texts(graph, version="v1")

    assert on(clean_address, work) == 1
    assert values(clean_address, "MATCH (c:__Chunk__) RETURN c.id, c.extraction, c.origin ORDER BY c.id") == [
        ("a/one/1", "v1", "scripted"),
        ("a/one/2", "v1", "scripted"),
        ("b/one/1", "v1", "scripted"),
        ("b/two/1", None, None),
    ]
    assert values(clean_address, "MATCH (c)-[:MENTIONS]->(:__Entity__ {name: 'ANN'}) RETURN count(c)") == [3]


def test_another_version_makes_every_text_stale_and_replaces_what_was_said(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, int]:
        await write_graph(graph, {"a": [extraction("one", ["Ann", "Bob"], [("Ann", "Bob")])]})
        stale = await entities.count_stale_texts(graph, version="v2")
        await entities.write_extractions(graph, [extraction("one", ["Ann", "Eve"])], version="v2")
        return stale, await describe(graph)

    assert on(clean_address, work) == (1, 1)
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.name ORDER BY e.name") == ["ANN", "EVE"]
    assert values(clean_address, "MATCH ()-[r:RELATIONSHIP|SUMMARIZED_RELATIONSHIP]->() RETURN type(r)") == []


def test_a_pair_of_which_nothing_is_said_any_more_is_gone(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann", "Bob"], [("Ann", "Bob")])]})
        await entities.write_extractions(graph, [extraction("one", ["Ann", "Bob"])], version="v2")
        await describe(graph)

    on(clean_address, work)
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.name ORDER BY e.name") == ["ANN", "BOB"]
    assert values(clean_address, "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() RETURN p.id") == []


def test_to_write_the_same_extraction_again_changes_nothing(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        for _ in range(2):
            await write_graph(graph, {"a": [extraction("one", ["Ann", "Bob"], [("Ann", "Bob")])]})

    on(clean_address, work)
    assert values(clean_address, "MATCH ()-[r]->() RETURN type(r), count(*) ORDER BY type(r)") == [
        ("MENTIONS", 2),
        ("PART_OF", 1),
        ("RELATIONSHIP", 1),
        ("SUMMARIZED_RELATIONSHIP", 1),
    ]


def test_an_entity_is_what_its_mentions_say(clean_address: Address) -> None:
    said = [extraction("one", ["Ann:PERSON"]), extraction("two", ["ann:PERSON"]), extraction("three", ["Ann:EVENT"])]
    on(clean_address, lambda graph: write_graph(graph, {"a": said}))
    assert query(clean_address, "MATCH (e:__Entity__) RETURN labels(e) AS l, e.aliases AS a, e.type AS t") == [
        {"l": ["__Entity__", "PERSON"], "a": ["Ann", "ann"], "t": "PERSON"}
    ]
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.description") == [
        ["Ann in one.", "Ann in three.", "ann in two."]
    ]
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.touched") == [None]


def test_a_type_that_loses_the_vote_loses_its_label(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann:PERSON", "Bob:PERSON"])]})
        await write_graph(graph, {"b": [extraction("two", ["Ann:EVENT"]), extraction("three", ["Ann:EVENT"])]})
        await write_graph(graph, {"a": [extraction("four", ["Bob"])]})
        await chunks.delete_orphans(graph)
        await describe(graph)

    on(clean_address, work)
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.name, labels(e), e.type ORDER BY e.name") == [
        ("ANN", ["__Entity__", "EVENT"], "EVENT"),
        ("BOB", ["__Entity__"], None),
    ]


def test_hostile_names_and_descriptions_are_data(clean_address: Address) -> None:
    row = ExtractionRow(
        "#one",
        HOSTILE,
        (MentionRow(HOSTILE.upper(), HOSTILE, "", HOSTILE), MentionRow("$X", "'; DROP", "", "{x}")),
        (StatementRow(HOSTILE.upper(), "$X", HOSTILE, 1.0),),
    )
    on(clean_address, lambda graph: write_graph(graph, {"a": [row]}))
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.name, e.aliases, labels(e) ORDER BY e.name") == [
        ("$X", ["'; DROP"], ["__Entity__"]),
        (HOSTILE.upper(), [HOSTILE], ["__Entity__"]),
    ]


def test_a_pair_is_stored_from_the_lesser_name_with_the_weight_of_both_directions(clean_address: Address) -> None:
    said = [extraction("one", ["Ann", "Bob"], [("Bob", "Ann")]), extraction("two", ["Ann", "Bob"], [("Ann", "Bob")])]
    on(clean_address, lambda graph: write_graph(graph, {"a": said}))
    assert values(
        clean_address, "MATCH (a)-[r:RELATIONSHIP]->(b) RETURN a.name, b.name, r.chunk_id ORDER BY a.name"
    ) == [
        ("ANN", "BOB", "a/two/1"),
        ("BOB", "ANN", "a/one/1"),
    ]
    assert values(
        clean_address, "MATCH (a)-[p:SUMMARIZED_RELATIONSHIP]->(b) RETURN a.name, b.name, p.weight, p.description"
    ) == [("ANN", "BOB", 2.0, ["Bob and Ann in one.", "Ann and Bob in two."])]


def test_a_change_marks_the_reports_above_and_the_clustering(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann"]), extraction("two", ["Bob"])]})
        query(
            clean_address,
            "MATCH (a {name: 'ANN'}), (b {name: 'BOB'}), (i:__Index__) SET i.clustering = 'c1' "
            "CREATE (a)-[:IN_COMMUNITY]->(:__Community__ {id: 'leaf'})-[:IN_COMMUNITY]->(:__Community__ {id: 'top'}), "
            "(b)-[:IN_COMMUNITY]->(:__Community__ {id: 'other'})",
        )
        await write_graph(graph, {"b": [extraction("three", ["Ann", "New"])]})

    on(clean_address, work)
    assert values(clean_address, "MATCH (m:__Community__) RETURN m.id, m.stale ORDER BY m.id") == [
        ("leaf", True),
        ("other", None),
        ("top", True),
    ]
    assert values(clean_address, "MATCH (i:__Index__) RETURN i.clustering") == [None]


@pytest.mark.parametrize(("name", "embedded"), [("Ann", "m"), ("ann", None)])
def test_a_vector_is_stale_when_the_name_that_is_shown_has_changed(
    clean_address: Address, name: str, embedded: str | None
) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann"])]})
        query(clean_address, "MATCH (e:__Entity__) SET e.embedded = 'm'")
        await write_graph(graph, {"b": [extraction("two", [name]), extraction("three", [name])]})

    on(clean_address, work)
    assert values(clean_address, "MATCH (e:__Entity__) RETURN e.aliases[0], e.embedded") == [(name, embedded)]


def test_a_failure_stands_on_every_chunk_with_the_text_until_it_is_extracted(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await chunks.write_documents(graph, [document("a", "one", "one", "two")])
        await entities.write_failed_extractions(graph, {"#one": REFUSED, "#two": REFUSED}, version="v1")
        await entities.write_extractions(graph, [extraction("two", ["Ann"])], version="v1")

    on(clean_address, work)
    assert values(clean_address, "MATCH (c:__Chunk__) RETURN c.text, c.failure ORDER BY c.text") == [
        ("one", "refused"),
        ("one", "refused"),
        ("two", None),
    ]


def test_a_text_that_failed_for_good_is_stale_for_another_version_only(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[list[str]]:
        await chunks.write_documents(graph, [document("a", "one", "two")])
        failed = {"#one": REFUSED, "#two": Failure("busy", lasting=False)}
        await entities.write_failed_extractions(graph, failed, version="v1")
        return [
            [text.text for text in await entities.stale_texts(graph, version=version, after="", limit=9)]
            for version in ("v1", "v2")
        ]

    assert on(clean_address, work) == [["two"], ["one", "two"]]


def test_a_failure_of_another_version_is_forgotten_when_the_extraction_is_up_to_date(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await write_graph(graph, {"a": [extraction("one", ["Ann"])]})
        await chunks.write_documents(graph, [document("b", "two")])
        await entities.write_failed_extractions(graph, {"#one": REFUSED, "#two": REFUSED}, version="v2")
        await entities.drop_old_failures(graph, version="v1")

    on(clean_address, work)
    assert values(clean_address, "MATCH (c:__Chunk__) RETURN c.text, c.failure ORDER BY c.text") == [
        ("one", None),
        ("two", "refused"),
    ]


def test_what_is_extracted_is_counted(clean_address: Address) -> None:
    async def work(graph: Graph) -> ExtractionCounts:
        said = extraction("one", ["Ann", "Bob"], [("Ann", "Bob"), ("Bob", "Ann")])
        await write_graph(graph, {"a": [said, extraction("two")], "b": [said]})
        await chunks.write_documents(graph, [document("c", "three")])
        return await entities.extraction_counts(graph, version="v1")

    assert on(clean_address, work) == ExtractionCounts(texts=2, entities=2, statements=4, empty=1)


def test_a_sample_shows_the_entities_that_are_mentioned_most(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[dict[str, str | int | None]]:
        await write_graph(graph, {"a": [extraction("one", ["Bob", "Eve", "Ann:PERSON"]), extraction("two", ["Eve"])]})
        return await entities.entity_sample(graph, 2)

    assert on(clean_address, work) == [
        {"name": "Eve", "type": None, "mentions": 2, "description": "Eve in one."},
        {"name": "Ann", "type": "PERSON", "mentions": 1, "description": "Ann in one."},
    ]
