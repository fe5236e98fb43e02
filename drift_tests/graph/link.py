"""A line to Neo4j that can be cut: a proxy on loopback."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from drift_assets.graph.address import Address

# Bolt's message COMMIT, in a chunk of its own.
COMMIT = b"\x00\x02\xb0\x12\x00\x00"


@dataclass
class Link:
    """The line; `down` refuses it, `commits_to_cut` of the next commits arrive and their answers do not."""

    address: Address
    down: bool = False
    commits_to_cut: int = 0
    ends: list[socket.socket] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def cut(self) -> None:
        """Nobody is connected any more."""
        for end in self.ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def carry(self, source: socket.socket, target: socket.socket, *, watched: bool) -> None:
        """Everything from one end to the other, until one of them closes."""
        with suppress(OSError):
            while data := source.recv(65536):
                if watched and COMMIT in data and self.commits_to_cut:
                    self.commits_to_cut -= 1
                    # The answer finds nobody: this way is closed before the server can have committed.
                    source.shutdown(socket.SHUT_RDWR)
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@contextmanager
def link_to(address: Address) -> Iterator[Link]:
    """A line to the server at `address`; `Link.address` is its near end."""
    far = urlsplit(address.uri)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        link = Link(replace(address, uri=f"bolt://127.0.0.1:{listening.getsockname()[1]}"))

        def accept() -> None:
            while True:
                try:
                    near, _ = listening.accept()
                except OSError:
                    return
                if link.down:
                    near.close()
                    continue
                other = socket.create_connection((far.hostname, far.port))
                link.ends += [near, other]
                for source, target, watched in ((near, other, True), (other, near, False)):
                    carry = threading.Thread(
                        target=link.carry, args=(source, target), kwargs={"watched": watched}, daemon=True
                    )
                    link.threads.append(carry)
                    carry.start()

        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield link
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            accepting.join()
            link.cut()
            for thread in link.threads:
                thread.join()
            for end in link.ends:
                end.close()
