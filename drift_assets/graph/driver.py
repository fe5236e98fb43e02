"""Neo4j's driver as it is used here: imported without what it does not need, its connections without delay."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from drift_assets.graph.address import Address

if TYPE_CHECKING:
    from neo4j import AsyncDriver

_CONNECT_SECONDS = 10.0
# Queries beyond these wait: to open one more connection takes longer than most queries.
_CONNECTIONS = 8


def load_driver() -> None:
    """The driver is imported, in a process of our own, in half a second instead of one and a half.

    It imports pandas and pyarrow where they are installed, to accept their tables as parameters; none are sent here.
    """
    hidden = [name for name in ("pandas", "pyarrow") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type] # None: the import fails, as if not installed
    try:
        import neo4j  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]


def open_driver(address: Address, retry_seconds: float) -> AsyncDriver:
    """A driver for the server, not yet connected; it tries transient errors again for so long.

    Raises the driver's ConfigurationError and ValueError.
    """
    from neo4j import AsyncGraphDatabase, NotificationMinimumSeverity

    _send_at_once()
    return AsyncGraphDatabase.driver(
        address.uri,
        auth=(address.username, address.password),
        connection_timeout=_CONNECT_SECONDS,
        connection_acquisition_timeout=60.0,
        max_connection_pool_size=_CONNECTIONS,
        max_transaction_retry_time=retry_seconds,
        notifications_min_severity=NotificationMinimumSeverity.OFF,
    )


class _TcpSocket(socket.socket):
    """A socket that says that it speaks TCP, which asyncio asks for before it lets small messages go at once."""

    __slots__ = ()

    def __init__(
        self,
        family: int = socket.AF_INET,
        type: int = socket.SOCK_STREAM,
        proto: int = socket.IPPROTO_TCP,
        fileno: int | None = None,
    ) -> None:
        super().__init__(family, type, proto, fileno)


def _send_at_once() -> None:
    """Connections do not hold small messages back.

    The driver (6.4) leaves this to asyncio and does not name its protocol. To open a connection then takes 40 ms more:
    its second message is held until the server acknowledges the first, for which it takes its time.
    """
    with suppress(ImportError):
        from neo4j._async_compat.network import _bolt_socket

        _bolt_socket.socket = _TcpSocket  # type: ignore[attr-defined]
