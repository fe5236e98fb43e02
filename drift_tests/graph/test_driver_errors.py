"""Every error of the driver and the server is told in a line that says what to do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from neo4j import exceptions

from drift_assets.errors import GraphError, GraphRefused, GraphTooLarge, GraphUnavailable
from drift_assets.graph.address import Address
from drift_assets.graph.driver_errors import translate

SECRET = "a-secret-password"
NOWHERE = Address("bolt://127.0.0.1:9", "neo4j", SECRET, "neo4j")

# The classes of the driver's errors that mean something of their own; any other one is a GraphError.
MEANINGS: dict[type[Exception], type[GraphError]] = {
    exceptions.AuthError: GraphRefused,
    exceptions.TokenExpired: GraphRefused,
    exceptions.Forbidden: GraphRefused,
    exceptions.ConfigurationError: GraphRefused,
    exceptions.AuthConfigurationError: GraphRefused,
    exceptions.CertificateConfigurationError: GraphRefused,
    exceptions.UnsupportedServerProduct: GraphRefused,
    exceptions.ServiceUnavailable: GraphUnavailable,
    exceptions.RoutingServiceUnavailable: GraphUnavailable,
    exceptions.ReadServiceUnavailable: GraphUnavailable,
    exceptions.WriteServiceUnavailable: GraphUnavailable,
    exceptions.IncompleteCommit: GraphUnavailable,
    exceptions.SessionExpired: GraphUnavailable,
    exceptions.TransientError: GraphUnavailable,
    exceptions.DatabaseUnavailable: GraphUnavailable,
    exceptions.NotALeader: GraphUnavailable,
    exceptions.ForbiddenOnReadOnlyDatabase: GraphUnavailable,
    exceptions.ConnectionPoolError: GraphUnavailable,
    exceptions.ConnectionAcquisitionTimeoutError: GraphUnavailable,
}
# What can only follow from a wrong query or a defect of ours, or from the server's own trouble.
DEFECTS = {
    "Neo4jError",
    "ClientError",
    "CypherSyntaxError",
    "CypherTypeError",
    "ConstraintError",
    "DatabaseError",
    "DriverError",
    "SessionError",
    "TransactionError",
    "TransactionNestingError",
    "ResultError",
    "ResultFailedError",
    "ResultConsumedError",
    "ResultNotSingleError",
    "BrokenRecordError",
}


def classes(of: type[Exception]) -> Iterator[type[Exception]]:
    yield of
    for below in of.__subclasses__():
        yield from classes(below)


ALL = sorted({*classes(exceptions.Neo4jError), *classes(exceptions.DriverError)}, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_of_the_driver_has_its_meaning(kind: type[Exception]) -> None:
    assert (kind in MEANINGS) != (kind.__name__ in DEFECTS), "an error that nobody has thought of yet"
    error = kind.__new__(kind)
    Exception.__init__(error, "what happened\nin two lines")
    ours = translate(error, NOWHERE)
    assert type(ours) is MEANINGS.get(kind, GraphError)
    assert "\n" not in str(ours)
    assert NOWHERE.uri in str(ours)
    assert SECRET not in str(ours)


@pytest.mark.parametrize(
    ("code", "kind", "advice"),
    [
        ("Neo.ClientError.Security.Unauthorized", GraphRefused, "check NEO4J_USERNAME and NEO4J_PASSWORD"),
        ("Neo.ClientError.Security.AuthenticationRateLimit", GraphRefused, "check NEO4J_USERNAME and NEO4J_PASSWORD"),
        ("Neo.ClientError.Security.CredentialsExpired", GraphRefused, "check NEO4J_USERNAME and NEO4J_PASSWORD"),
        ("Neo.ClientError.Security.Forbidden", GraphRefused, "a user who may write and create indexes"),
        ("Neo.ClientError.Database.DatabaseNotFound", GraphRefused, "set NEO4J_DATABASE"),
        ("Neo.TransientError.General.DatabaseUnavailable", GraphUnavailable, "start it, check NEO4J_URI"),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", GraphTooLarge, "give the server more memory"),
        ("Neo.DatabaseError.General.UnknownError", GraphError, "see the server's log"),
    ],
)
def test_an_error_of_the_server_says_what_to_do(code: str, kind: type[GraphError], advice: str) -> None:
    made = exceptions.Neo4jError._basic_hydrate(neo4j_code=code, message="because it is so.\nAnd more.")
    error = translate(made, NOWHERE)
    assert type(error) is kind
    assert advice in str(error)
