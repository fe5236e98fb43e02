"""Download pinned jars from the Maven repositories that jgo knows.

A jar is written beside its folder, checked, and moved in whole, so that whatever ends a download leaves only complete
jars behind, and the next download goes on from there. jgo's own download takes a truncated file for good and opens
two connections a file.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, local
from typing import TYPE_CHECKING

from drift_assets.errors import ServerError

if TYPE_CHECKING:
    import requests

    from drift_assets.local.jars import Jar

THREADS = 8
ATTEMPTS = 4
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 30.0
TIMEOUT_SECONDS = 20
SAY_EVERY = 50
BLOCK_BYTES = 1 << 16
ADVICE = "run the command again, or set NEO4J_URI to a server of your own"


def download(
    jars: Sequence[Jar], folder: Path, say: Callable[[str], None], repositories: Mapping[str, str] | None
) -> None:
    """The jars are below `folder`; the caller holds its lock.

    `repositories` are tried in order, address by name; None means those of jgo's settings file, then jgo's default.
    Raises ServerError when a jar cannot be had or is not the pinned one, OSError when it cannot be written.
    """
    scratch = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    addresses = _known_addresses() if repositories is None else list(repositories.values())
    work = _Download(addresses, scratch, folder)
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="jars")
    try:
        tasks = [pool.submit(work.bring, jar) for jar in jars]
        for number, task in enumerate(as_completed(tasks), start=1):
            _check(task)
            if number % SAY_EVERY == 0:
                say(f"  {number} of {len(jars)} files")
    finally:
        work.stopped.set()
        pool.shutdown(cancel_futures=True)
        shutil.rmtree(scratch, ignore_errors=True)


def _known_addresses() -> list[str]:
    from jgo.config import GlobalSettings
    from jgo.maven import MavenContext

    own, default = GlobalSettings.load().repositories, MavenContext().remote_repos
    return list((own | default).values())


@dataclass(frozen=True, slots=True)
class _Download:
    """What the threads of one download share; each keeps a session of its own, so that connections are used again."""

    addresses: Sequence[str]
    scratch: Path
    folder: Path
    stopped: Event = field(default_factory=Event)
    sessions: local = field(default_factory=local)

    def bring(self, jar: Jar) -> None:
        """Fetch, check and move in one jar; raises what the last attempt met."""
        import requests

        part, target = self.scratch / jar.path, self.folder / jar.path
        part.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, ATTEMPTS + 1):
            pause = FIRST_PAUSE_SECONDS * 3 ** (attempt - 1)
            try:
                self._fetch(jar, part)
            except requests.RequestException as error:
                if attempt == ATTEMPTS or self.stopped.is_set():
                    raise
                self.stopped.wait(max(pause, _wish(error)))
                continue
            if jar.is_at(part):
                target.parent.mkdir(parents=True, exist_ok=True)
                part.replace(target)
                return
        raise ServerError(
            f"the download of Neo4j failed: what came as {jar.coordinate} has not the pinned SHA-256 and was thrown"
            f" away; a proxy or mirror may have changed it: {ADVICE}"
        )

    def _fetch(self, jar: Jar, part: Path) -> None:
        for address in self.addresses:
            with self._session().get(
                f"{address.rstrip('/')}/{jar.path}", stream=True, timeout=TIMEOUT_SECONDS
            ) as response:
                if response.status_code == 404:
                    continue
                response.raise_for_status()
                with part.open("wb") as stream:
                    for block in response.iter_content(BLOCK_BYTES):
                        stream.write(block)
                return
        raise ServerError(
            f"the download of Neo4j failed: none of {', '.join(self.addresses)} has {jar.coordinate}: {ADVICE}"
        )

    def _session(self) -> requests.Session:
        import requests

        if not hasattr(self.sessions, "session"):
            self.sessions.session = requests.Session()
        session: requests.Session = self.sessions.session
        return session


def _wish(error: requests.RequestException) -> float:
    """The seconds that a busy repository asked us to wait, 0 when it did not; within our own bound."""
    asked = error.response.headers.get("Retry-After", "") if error.response is not None else ""
    return min(float(asked), LONGEST_PAUSE_SECONDS) if asked.isdecimal() else 0.0


def _check(task: Future[None]) -> None:
    import requests

    try:
        task.result()
    except requests.RequestException as error:
        reason = (str(error) or type(error).__name__).splitlines()[0][:300]
        raise ServerError(
            f"the download of Neo4j failed: {reason}; what came so far is kept: check the network and {ADVICE}"
        ) from error
