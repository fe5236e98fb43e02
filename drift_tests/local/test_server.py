"""The managed server, started for real."""

from __future__ import annotations

from neo4j import GraphDatabase

from drift_assets.graph.address import Address


def test_the_server_answers_with_its_own_password(neo4j_server: Address) -> None:
    with GraphDatabase.driver(neo4j_server.uri, auth=(neo4j_server.username, neo4j_server.password)) as driver:
        records = driver.execute_query("CALL dbms.components() YIELD edition RETURN edition").records

    assert records[0]["edition"] == "community"
