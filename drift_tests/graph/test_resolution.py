"""Names that move between entities with all that they brought, and decisions that are kept."""

from __future__ import annotations

from typing import Any

from drift_assets.graph import chunks, entities, resolution
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.failures import Failure, count_failures, failures, try_again
from drift_assets.graph.resolution import DecisionRow, Move, StoredName
from drift_tests.database import query
from drift_tests.graph.writing import describe, extraction, on, values, write_graph

SAID = {
    "a": [extraction("one", ["Ada Quill:PERSON", "Bob"], [("Ada Quill", "Bob"), ("Bob", "Ada Quill")])],
    "b": [extraction("two", ["Quill:PERSON", "Bob", "Ada Quill"], [("Quill", "Bob"), ("Quill", "Ada Quill")])],
}
JOIN, SPLIT = Move("ADA QUILL", "ADA QUILL", "QUILL"), Move("ADA QUILL", "QUILL", "ADA QUILL")


def content(address: Address) -> list[Any]:
    """All entities and what is said of them."""
    return [
        values(address, "MATCH (e:__Entity__) RETURN e.name, e.aliases, e.description, e.type ORDER BY e.name"),
        values(
            address,
            "MATCH (c)-[m:MENTIONS]->(e) RETURN c.id, e.name, m.name, m.description "
            "ORDER BY c.id, e.name, coalesce(m.name, '')",
        ),
        values(
            address,
            "MATCH (a)-[r:RELATIONSHIP]->(b) RETURN a.name, b.name, r.source, r.target, r.chunk_id, r.description "
            "ORDER BY a.name, b.name, r.chunk_id",
        ),
        values(address, "MATCH (a)-[p:SUMMARIZED_RELATIONSHIP]->(b) RETURN a.name, b.name, p.weight ORDER BY a.name"),
    ]


def test_a_merged_name_brings_all_that_was_said_and_a_split_takes_it_back(clean_address: Address) -> None:
    async def write(graph: Graph) -> None:
        await write_graph(graph, SAID)

    async def join(graph: Graph) -> int:
        await resolution.move_names(graph, [JOIN])
        return await describe(graph)

    async def split(graph: Graph) -> int:
        await resolution.move_names(graph, [SPLIT])
        return await describe(graph)

    on(clean_address, write)
    before = content(clean_address)
    assert on(clean_address, join) == 1
    named, mentions, statements, pairs = content(clean_address)
    assert [row[0] for row in named] == ["BOB", "QUILL"]
    assert named[1][1] == ["Ada Quill", "Quill"]
    assert [row[:3] for row in mentions] == [
        ("a/one/1", "BOB", None),
        ("a/one/1", "QUILL", "ADA QUILL"),
        ("b/two/1", "BOB", None),
        ("b/two/1", "QUILL", None),
        ("b/two/1", "QUILL", "ADA QUILL"),
    ]
    assert ("QUILL", "QUILL", None, "ADA QUILL") in [row[:4] for row in statements]
    assert pairs == [("BOB", "QUILL", 3.0)]
    assert on(clean_address, split) == 0
    assert content(clean_address) == before


def test_a_later_text_of_a_merged_name_is_said_of_the_entity_it_stands_at(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[StoredName]:
        await write_graph(graph, SAID)
        await resolution.move_names(graph, [JOIN])
        await entities.write_extractions(
            graph, [extraction("one", ["Ada Quill", "Eve"], [("Eve", "Ada Quill")])], version="v2"
        )
        await describe(graph)
        return await resolution.stored_names(graph)

    assert on(clean_address, work) == [
        StoredName("ADA QUILL", "QUILL", 2),
        StoredName("BOB", "BOB", 1),
        StoredName("EVE", "EVE", 1),
        StoredName("QUILL", "QUILL", 1),
    ]
    assert values(clean_address, "MATCH ({name: 'EVE'})-[r:RELATIONSHIP]->(e) RETURN e.name, r.source, r.target") == [
        ("QUILL", None, "ADA QUILL")
    ]


def test_what_only_a_gone_document_supported_goes_and_the_rest_stays(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[resolution.Merge]:
        await write_graph(graph, SAID)
        await resolution.move_names(graph, [JOIN])
        await describe(graph)
        merged = await resolution.merges(graph)
        await chunks.adopt_corpus(graph, corpus="c", demo=False, gone=["a"])
        await chunks.delete_orphans(graph)
        await describe(graph)
        return merged

    (merge,) = on(clean_address, work)
    assert (merge.entity, merge.names) == ("QUILL", {"ADA QUILL": 2, "QUILL": 1})
    (quill,) = values(clean_address, "MATCH (e:__Entity__ {name: 'QUILL'}) RETURN e.description")
    assert quill == ["Ada Quill in two.", "Quill in two."]


def test_what_is_shown_of_a_name_is_its_own(clean_address: Address) -> None:
    async def work(graph: Graph) -> dict[str, resolution.KnownName]:
        await write_graph(graph, SAID)
        await resolution.move_names(graph, [JOIN])
        return await resolution.known_names(graph, await resolution.stored_names(graph))

    known = on(clean_address, work)
    assert (known["QUILL"].spelling, known["QUILL"].documents) == ("Quill", frozenset("b"))
    assert known["ADA QUILL"].documents == frozenset("ab")
    assert known["ADA QUILL"].types == ("PERSON", "")
    assert known["ADA QUILL"].descriptions == ("Ada Quill in one.", "Ada Quill in two.")


def test_decisions_are_kept_as_long_as_their_pair_is_looked_at_and_those_of_the_user_for_ever(
    clean_address: Address,
) -> None:
    row = DecisionRow("ADA QUILL", "QUILL", same=True, reason="A surname.", origin="scripted", key="k")

    async def work(graph: Graph) -> tuple[list[resolution.StoredDecision], list[resolution.StoredDecision]]:
        await resolution.write_decisions(graph, [row], {})
        await resolution.tell(graph, same=False, pairs=[("QUILL", "ADA QUILL")])
        both = await resolution.decisions(graph)
        await resolution.keep_decisions(graph, [("BOB", "EVE")])
        return both, await resolution.decisions(graph)

    both, left = on(clean_address, work)
    assert [(one.told, one.same, one.reason, one.key) for one in both] == [
        (False, True, "A surname.", "k"),
        (True, False, "", ""),
    ]
    assert left == both[1:]


def test_a_failed_decision_is_listed_and_makes_the_names_unresolved_when_it_is_to_be_tried_again(
    clean_address: Address,
) -> None:
    row = DecisionRow("ADA QUILL", "QUILL", same=True, reason="r", origin="scripted", key="k")

    async def work(graph: Graph) -> list[Any]:
        await resolution.set_resolved(graph, version="v")
        seen: list[Any] = [
            await resolution.is_resolved(graph, version="v"),
            await resolution.is_resolved(graph, version="w"),
        ]
        await resolution.write_decisions(graph, [], {row: Failure("refused", lasting=True)})
        seen += [await resolution.is_resolved(graph, version="v"), await count_failures(graph)]
        seen += [(item.item, item.reason, item.lasting) for item in await failures(graph, limit=9)]
        await try_again(graph)
        seen.append(await resolution.is_resolved(graph, version="v"))
        await resolution.write_decisions(graph, [row], {})
        return [*seen, await resolution.is_resolved(graph, version="v"), await count_failures(graph)]

    assert on(clean_address, work) == [True, False, True, 1, ("ADA QUILL = QUILL", "refused", True), False, True, 0]


def test_a_touched_entity_makes_the_names_unresolved(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[bool]:
        await write_graph(graph, SAID)
        await resolution.set_resolved(graph, version="v")
        seen = [await resolution.is_resolved(graph, version="v")]
        await entities.write_extractions(graph, [extraction("one", ["Eve"])], version="v2")
        return [*seen, await resolution.is_resolved(graph, version="v")]

    assert on(clean_address, work) == [True, False]


def test_vectors_of_names_are_kept_by_model_and_those_of_gone_names_go(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[Any]:
        lost = {"EVE": Failure("refused", lasting=True), "TOM": Failure("late", lasting=False)}
        await resolution.write_name_vectors(graph, {"ANN": [1.0, 0.0], "BOB": [0.0, 1.0]}, lost, model="m")
        await resolution.drop_names(graph, model="m", names=["ANN", "EVE", "TOM"])
        seen: list[Any] = [await resolution.name_vectors(graph)]
        await resolution.drop_names(graph, model="other", names=["ANN"])
        return [*seen, await resolution.name_vectors(graph)]

    assert on(clean_address, work) == [{"ANN": [1.0, 0.0], "EVE": None}, {}]


def test_old_mentions_without_a_name_are_of_their_entity(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[StoredName]:
        await write_graph(graph, {"a": [extraction("one", ["Ann"])], "b": [extraction("two")]})
        return await resolution.stored_names(graph)

    assert on(clean_address, work) == [StoredName("ANN", "ANN", 1)]
    assert query(clean_address, "MATCH ()-[m:MENTIONS]->() RETURN keys(m) AS keys")[0]["keys"].count("name") == 0
