"""The rules of the index: none is broken by a sound one, each is by a graph that was spoilt by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, LiteralString

import pytest

from drift_assets.graph import checks
from drift_assets.graph.address import Address
from drift_assets.graph.checks import MentionedName, Offenders
from drift_assets.graph.connection import Graph, Row, Transaction
from drift_tests.database import empty
from drift_tests.graph.writing import on, write_whole

Rule = Callable[[Graph], Awaitable[Offenders]]


def wrong_vectors(graph: Graph) -> Awaitable[Offenders]:
    return checks.wrong_vectors(graph, suffix="", dimensions=2, min_rating=3.0)


def foreign_vectors(graph: Graph) -> Awaitable[Offenders]:
    return checks.foreign_vectors(graph, suffix="", model="m")


def offline_indexes(graph: Graph) -> Awaitable[Offenders]:
    return checks.offline_indexes(graph, names=["entity", "community", "chunk"])


# How many things each rule looks at in the sound index.
RULES: dict[Rule, int] = {
    checks.empty_documents: 2,
    checks.orphan_chunks: 3,
    checks.broken_relationships: 1,
    checks.unmentioned_entities: 3,
    checks.names_alike: 3,
    checks.unsummarised: 3,
    checks.unsummarised_pairs: 1,
    checks.misplaced_communities: 2,
    checks.misplaced_entities: 3,
    checks.unreported_communities: 2,
    wrong_vectors: 8,
    foreign_vectors: 7,
    offline_indexes: 3,
}

SPOILT: list[tuple[Rule, LiteralString, str]] = [
    (checks.empty_documents, "MATCH (d {id: 'b'})<-[p:PART_OF]-() DELETE p", "b"),
    (checks.empty_documents, "MATCH (d {id: 'b'})<-[:PART_OF]-(c) SET c.text = ' \n'", "b"),
    (checks.orphan_chunks, "MATCH (d {id: 'b'})<-[p:PART_OF]-() DELETE p", "b/Tom and Ann/1"),
    (checks.orphan_chunks, "MATCH (d {id: 'b'}), (c {text: 'Nothing'}) CREATE (c)-[:PART_OF]->(d)", "a/Nothing/1"),
    (checks.broken_relationships, "MATCH (c {text: 'Ann meets Bob'}) DETACH DELETE c", "ANN – BOB"),
    (
        checks.broken_relationships,
        "MATCH (c {text: 'Ann meets Bob'})-[m:MENTIONS]->({name: 'BOB'}) DELETE m",
        "ANN – BOB",
    ),
    (checks.broken_relationships, "MATCH ()-[r:RELATIONSHIP]->() REMOVE r.chunk_id", "ANN – BOB"),
    (checks.unmentioned_entities, "MATCH ({name: 'BOB'})<-[m:MENTIONS]-() DELETE m", "BOB"),
    (checks.unsummarised_pairs, "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() REMOVE p.summary", "ANN – BOB"),
    (checks.misplaced_communities, "MATCH (m {id: 'tom'}) SET m.level = 1", "tom"),
    (
        checks.misplaced_communities,
        "MATCH (a {id: 'tom'}), (b {id: 'pair'}) CREATE (a)-[:IN_COMMUNITY]->(b)",
        "tom",
    ),
    (foreign_vectors, "MATCH (e {name: 'BOB'}) SET e.embedded = 'another'", "BOB"),
    (checks.unsummarised, "MATCH (e {name: 'BOB'}) REMOVE e.summary", "BOB"),
    (checks.unsummarised, "MATCH (e {name: 'BOB'}) SET e.description_hash = 'another'", "BOB"),
    (checks.misplaced_entities, "MATCH ({name: 'BOB'})-[i:IN_COMMUNITY]->() DELETE i", "BOB"),
    (checks.misplaced_entities, "MATCH (e {name: 'BOB'}), (m {id: 'tom'}) CREATE (e)-[:IN_COMMUNITY]->(m)", "BOB"),
    (
        checks.misplaced_entities,
        "MATCH (m {id: 'tom'}) CREATE (:__Community__ {id: 'below', size: 1})-[:IN_COMMUNITY]->(m)",
        "TOM",
    ),
    (checks.unreported_communities, "MATCH (m {id: 'pair'}) REMOVE m.title", "pair"),
    (checks.unreported_communities, "MATCH (m {id: 'tom'}) REMOVE m.summary", "tom"),
    (wrong_vectors, "MATCH (e {name: 'BOB'}) REMOVE e.embedding", "BOB"),
    (wrong_vectors, "MATCH (c {text: 'Nothing'}) SET c.embedding = [1.0, 0.0, 0.0]", "a/Nothing/1"),
    (wrong_vectors, "MATCH (m {id: 'pair'}) REMOVE m.embedding", "pair"),
    (wrong_vectors, "MATCH (m {id: 'pair'}) SET m.rating = 3.0", "pair"),
    (wrong_vectors, "MATCH (m {id: 'tom'}) SET m.embedding = [1.0, 0.0]", "tom"),
    (offline_indexes, "DROP INDEX community", "community"),
]


class Inside(Graph):
    """A graph as it is inside a transaction that is never committed."""

    def __init__(self, graph: Graph, transaction: Transaction) -> None:
        self.address, self.server, self._transaction = graph.address, graph.server, transaction

    async def read(self, query: LiteralString, **parameters: Any) -> list[Row]:
        """Rows of the transaction."""
        return await self._transaction.run(query, **parameters)


class RolledBack(Exception):
    """Ends a transaction without a trace."""


@pytest.fixture(scope="module")
def sound(neo4j_server: Address) -> Address:
    """A sound index, which no test here changes."""
    empty(neo4j_server)
    on(neo4j_server, write_whole)
    return neo4j_server


def spoilt(address: Address, spoil: LiteralString, rule: Rule) -> Offenders:
    """What the rule finds in the index spoilt by a statement."""
    found: list[Offenders] = []

    async def work(graph: Graph) -> None:
        async def inside(transaction: Transaction) -> None:
            await transaction.run(spoil)
            found.append(await rule(Inside(graph, transaction)))
            raise RolledBack

        with pytest.raises(RolledBack):
            await graph.write_together(inside)

    on(address, work)
    return found[0]


@pytest.mark.parametrize(("rule", "looked_at"), RULES.items(), ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_sound_index_breaks_no_rule(sound: Address, rule: Rule, looked_at: int) -> None:
    assert on(sound, rule) == Offenders(0, looked_at, ())


@pytest.mark.parametrize(("rule", "spoil", "offender"), SPOILT, ids=[f"{r.__name__}-{s}" for r, s, _ in SPOILT])
def test_each_way_to_spoil_it_is_found_and_named(
    sound: Address, rule: Rule, spoil: LiteralString, offender: str
) -> None:
    found = spoilt(sound, spoil, rule)
    assert (found.count, found.first) == (1, (offender,))


def test_figures_to_watch_count_also_in_a_sound_index(sound: Address) -> None:
    assert on(sound, checks.chunks_without_entities) == Offenders(1, 3, ("a/Nothing/1",))
    assert on(sound, checks.isolated_entities) == Offenders(1, 3, ("TOM",))


def test_names_that_differ_only_by_signs_are_found_together(sound: Address) -> None:
    found = spoilt(sound, "CREATE (:__Entity__ {name: 'B-O B'})", checks.names_alike)
    assert found == Offenders(2, 4, ("B-O B", "BOB"))


def test_an_index_without_a_document_is_an_offender(sound: Address) -> None:
    found = spoilt(sound, "MATCH (d:__Document__) DETACH DELETE d", checks.empty_documents)
    assert found == Offenders(1, 0, ("the index holds no document",))


def test_an_index_without_anything_else_breaks_no_rule(sound: Address) -> None:
    for rule in RULES.keys() - {checks.empty_documents, offline_indexes}:
        assert spoilt(sound, "MATCH (n) DETACH DELETE n", rule) == Offenders(0, 0, ())


def test_the_first_offenders_are_shown_in_order_and_all_are_counted(sound: Address) -> None:
    many = "UNWIND range(10, 40) AS n CREATE (:__Entity__ {name: 'N' + n})"
    found = spoilt(sound, many, checks.misplaced_entities)
    assert found == Offenders(31, 34, tuple(f"N{n}" for n in range(10, 20)))


def test_mentioned_names_come_with_the_text_that_mentions_them(sound: Address) -> None:
    assert on(sound, lambda graph: checks.mentioned_names(graph, limit=100)) == [
        MentionedName("a/Ann meets Bob/1", "Ann", "Ann meets Bob"),
        MentionedName("a/Ann meets Bob/1", "Bob", "Ann meets Bob"),
        MentionedName("b/Tom and Ann/1", "Ann", "Tom and Ann"),
        MentionedName("b/Tom and Ann/1", "Tom", "Tom and Ann"),
    ]
    assert len(on(sound, lambda graph: checks.mentioned_names(graph, limit=3))) == 3
