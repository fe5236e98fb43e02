"""Every error the project raises on purpose; each message says what happened, to what, and what to do.

DriftError
├── SettingsError          a setting is missing or invalid
├── CorpusError            the corpus folder cannot be indexed as it is
├── ServerError            the managed Neo4j cannot be brought, started or reached
├── GraphError             Neo4j refuses or cannot do what was asked
│   ├── GraphUnavailable     unreachable for now (transient)
│   ├── GraphTooLarge        the transaction is too large for the server's memory: split
│   ├── GraphRefused         password, database, rights, version
│   ├── ForeignGraph         the database holds a graph that is not ours
│   ├── IndexMismatch        there is no index yet, or it does not fit the settings
│   └── IndexBusy            another run is writing the index (transient)
├── CallError              a language or embedding call did not bring a valid result
│   ├── CallUnavailable      wait and ask again (transient)
│   ├── CallTooLong          input or output too long: split, never ask again alike
│   ├── ItemFailed           this item fails for good, the others go on
│   │   └── WrongVectors       the service brought vectors that do not fit (transient)
│   └── RunStopped           no call can succeed: stop the run
├── LimitReached           a limit on calls, tokens, cost or seconds that the user set
└── RunFailed              a Dagster run ended without success
"""

from __future__ import annotations


class DriftError(Exception):
    """Base of all; `str()` is one line for the person at the terminal."""

    transient = False


class SettingsError(DriftError):
    """A setting is missing or invalid; the message names the variable, the value and what is allowed."""


class CorpusError(DriftError):
    """The corpus folder is missing, empty, another one, or lost too much at once."""


class ServerError(DriftError):
    """The managed Neo4j could not be downloaded, verified, started or stopped."""


class GraphError(DriftError):
    """Neo4j refused a query or answered with an error."""


class GraphUnavailable(GraphError):
    """Neo4j is not reachable now; the same call may succeed later."""

    transient = True


class GraphTooLarge(GraphError):
    """The server has not the memory for one transaction of this size; it is split before this is told."""


class GraphRefused(GraphError):
    """Wrong password, no such database, missing rights, or a server that is too old."""


class ForeignGraph(GraphError):
    """The database holds nodes with our labels that this project did not write."""


class IndexMismatch(GraphError):
    """No index exists yet, or its embedding model or schema differs from the settings."""


class IndexBusy(GraphError):
    """Another run is writing the index; the message names it."""

    transient = True


class CallError(DriftError):
    """A language or embedding call brought no valid result."""


class CallUnavailable(CallError):
    """Rate limit, server error or time-out; `retry_after` is the server's wish in seconds."""

    transient = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message, retry_after)
        self.retry_after = retry_after

    def __str__(self) -> str:
        return str(self.args[0])


class CallTooLong(CallError):
    """Input or output exceeds what the model takes; the work must be split."""


class ItemFailed(CallError):
    """Refusal, content filter, an own 4xx, or output invalid after the re-ask: this item fails for good."""


class WrongVectors(ItemFailed):
    """Too few vectors, of another dimension, or not finite: a slip of the service's, not of the text."""

    transient = True


class RunStopped(CallError):
    """Wrong key, unknown model, quota used up: no further call can succeed."""


class LimitReached(DriftError):
    """A limit on calls, tokens, cost or seconds was reached; finished work is kept."""


class RunFailed(DriftError):
    """A Dagster run ended without success; the message names the run and the failed step."""
