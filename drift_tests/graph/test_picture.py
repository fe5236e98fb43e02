"""What a picture shows, on a graph in which a wrong choice would show others."""

from __future__ import annotations

from typing import TypeVar

import pytest

from drift_assets.graph.address import Address
from drift_assets.graph.picture import Drawn, around, find_entity, weightiest
from drift_tests.database import on, query
from drift_tests.search.archive import INDEX

T = TypeVar("T")


@pytest.fixture(scope="module")
def archive(neo4j_server: Address) -> Address:
    INDEX.write(neo4j_server)
    query(neo4j_server, "MATCH (e:__Entity__ {name: 'LAMP'}) SET e.type = 'ARTIFACT'")
    query(
        neo4j_server,
        "CREATE (:__Entity__ {name: 'WREN'})-[:IN_COMMUNITY]->(:__Community__ {id: 'w', level: 0, size: 1})",
    )
    return neo4j_server


def keys(drawn: Drawn) -> list[str]:
    return [entity.key for entity in drawn.entities]


def test_the_weightiest_entities_and_the_ties_between_them_are_shown(archive: Address) -> None:
    drawn = on(archive, lambda graph: weightiest(graph, nodes=3, ties=2))

    assert [(entity.key, entity.weight) for entity in drawn.entities] == [("REEVE", 13), ("LAMP", 9), ("DRUMMOND", 8)]
    assert [(tie.source, tie.target) for tie in drawn.ties] == [("LAMP", "REEVE"), ("DRUMMOND", "REEVE")]
    assert (drawn.all_entities, drawn.all_ties) == (6, 4)


def test_each_has_its_name_its_type_and_its_coarsest_community_of_several(archive: Address) -> None:
    drawn = on(archive, lambda graph: weightiest(graph, nodes=150, ties=450))

    lamp = next(entity for entity in drawn.entities if entity.key == "LAMP")
    assert (lamp.name, lamp.type, lamp.text) == ("Lamp", "ARTIFACT", "The lamp of the tower.")
    assert (lamp.community, lamp.report) == ("shore", "Report shore")
    assert next(entity for entity in drawn.entities if entity.key == "WREN").community is None


def test_around_an_entity_the_nearest_come_first(archive: Address) -> None:
    assert keys(on(archive, lambda graph: around(graph, "BOAT", nodes=150, ties=9))) == ["BOAT", "DRUMMOND", "REEVE"]
    assert keys(on(archive, lambda graph: around(graph, "REEVE", nodes=3, ties=9))) == ["REEVE", "LAMP", "LOG"]


def test_an_entity_is_found_by_its_name_and_else_names_like_it_are_told(archive: Address) -> None:
    assert on(archive, lambda graph: find_entity(graph, " drummond ")) == ("DRUMMOND", [])
    assert on(archive, lambda graph: find_entity(graph, "Drumond")) == (None, ["Drummond"])
    assert on(archive, lambda graph: find_entity(graph, "“?”")) == (None, [])
