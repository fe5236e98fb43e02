"""Neo4j's driver as it is used here."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys

from drift_assets.graph.address import Address
from drift_assets.graph.driver import open_driver


def test_the_driver_is_loaded_without_the_libraries_of_tables() -> None:
    program = (
        "import sys; from drift_assets.graph.driver import load_driver; load_driver(); "
        "print({'pandas', 'pyarrow'} & set(sys.modules)); import pandas"
    )
    seen = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "set()"


def test_its_connections_do_not_hold_small_messages_back(neo4j_server: Address) -> None:
    async def options() -> list[int]:
        async with open_driver(neo4j_server, 0.0) as driver:
            await driver.verify_connectivity()
            connections = [one for held in driver._pool.connections.values() for one in held]
            sockets = [one.socket._socket for one in connections]
            return [one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in sockets]

    assert asyncio.run(options()) == [1]
