"""Where a Neo4j is and how to enter it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Address:
    """A Neo4j server, a user and the database that holds the index; the password is never shown."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str


# Run on the `system` database by the managed server at each of its starts; the file with the password is the truth.
SET_PASSWORD = "CREATE OR REPLACE USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED"
