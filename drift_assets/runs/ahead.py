"""What a run waits for, begun while the run itself is still being prepared."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import suppress

from drift_assets.embedding.choose import begin_embedder
from drift_assets.errors import DriftError
from drift_assets.graph.connection import load_driver
from drift_assets.language.choose import begin_language
from drift_assets.local.server import neo4j_address
from drift_assets.settings import Settings


def begin_server(settings: Settings) -> Future[None]:
    """Neo4j is being started if need be; the result is there when it answers, or raises what `neo4j_address` raises."""
    begun: Future[None] = Future()

    def start() -> None:
        try:
            neo4j_address(settings)
            load_driver()
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            begun.set_exception(error)
        else:
            begun.set_result(None)

    # No run may be kept from ending by a server that is slow to start.
    threading.Thread(target=start, daemon=True, name="begin-server").start()
    return begun


def begin_models(settings: Settings) -> None:
    """The models of the settings are being loaded; whoever uses them meets their errors."""
    with suppress(DriftError):
        begin_language(settings)
        begin_embedder(settings)
