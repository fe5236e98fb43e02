"""What an error of the Neo4j driver or server means, and what to do about it."""

from __future__ import annotations

from drift_assets.errors import GraphError, GraphRefused, GraphTooLarge, GraphUnavailable
from drift_assets.graph.address import Address

_AUTHENTICATION = {
    "Neo.ClientError.Security." + name
    for name in (
        "Unauthorized",
        "AuthenticationRateLimit",
        "AuthorizationExpired",
        "CredentialsExpired",
        "AuthProviderFailed",
        "AuthProviderTimeout",
    )
}
# The server calls these transient, so that its driver would send the same again for half a minute.
_TOO_LARGE = ("MemoryPoolOutOfMemoryError", "TransactionMemoryLimit", "TransactionOutOfMemoryError")


def translate(error: Exception, address: Address) -> GraphError:
    """The error of ours that says what a driver's or server's error means and what to do about it."""
    from neo4j import exceptions as driver

    code = str(getattr(error, "code", "") or "")
    says = _first_line(error)
    where = f"{address.uri} (database {address.database})"
    if isinstance(error, driver.AuthError) or code in _AUTHENTICATION:
        return GraphRefused(
            f"{address.uri} refused user {address.username!r}: check NEO4J_USERNAME and NEO4J_PASSWORD ({says})"
        )
    if code == "Neo.ClientError.Database.DatabaseNotFound":
        return GraphRefused(f"there is no database {address.database!r} at {address.uri}: set NEO4J_DATABASE")
    if isinstance(error, driver.Forbidden) or code.startswith("Neo.ClientError.Security."):
        return GraphRefused(
            f"user {address.username!r} lacks a right at {where}: {says}; "
            "the index needs a user who may write and create indexes and constraints"
        )
    if isinstance(error, driver.UnsupportedServerProduct):
        return GraphRefused(f"the server at {address.uri} is no Neo4j 5.26 or later: {says}; set NEO4J_URI to one")
    if isinstance(error, driver.ServiceUnavailable | driver.SessionExpired | driver.DatabaseUnavailable):
        return GraphUnavailable(f"Neo4j at {where} is not reachable: {says}; start it, check NEO4J_URI, then run again")
    if is_too_large(error):
        return GraphTooLarge(
            f"Neo4j at {where} has not the memory for a transaction of this size: {says}; give the server more memory "
            "(dbms.memory.transaction.total.max, db.memory.transaction.max), then run again"
        )
    if isinstance(error, driver.TransientError | driver.ConnectionPoolError):
        return GraphUnavailable(f"Neo4j at {where} is overloaded: {says}; check its load and memory, then run again")
    if isinstance(error, driver.ConfigurationError | ValueError):
        return GraphRefused(f"cannot connect to {address.uri}: {says}; check NEO4J_URI")
    return GraphError(f"Neo4j at {where} answered {code or type(error).__name__}: {says}; see the server's log")


def is_too_large(error: Exception) -> bool:
    """Whether the server had not the memory for the transaction."""
    return str(getattr(error, "code", "") or "").endswith(_TOO_LARGE)


def _first_line(error: Exception) -> str:
    # Errors that the driver itself makes have their text as an argument, and a placeholder as their message.
    text = str(error.args[0] if error.args else getattr(error, "message", "")).strip()
    return text.splitlines()[0][:300].rstrip(" .:;") if text else type(error).__name__
