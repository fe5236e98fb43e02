"""What a killed index costs: kill -9 at random moments, then the same graph, and few calls made twice.

    python -m benchmarks.kills FOLDER --seed 1 --victims both

A server on loopback speaks the OpenAI protocol and counts. One index goes undisturbed; the next, from nothing again, is
killed three times and then left to end: the indexing process, the managed Neo4j below it, or both at once. An index
whose Neo4j was killed starts it again and goes on.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from benchmarks.graph import differences, dump
from benchmarks.home import Home, fresh_home
from benchmarks.machine import machine
from benchmarks.output import say
from benchmarks.service import Service, service
from drift_assets.demo import corpus_folder
from drift_assets.graph.address import Address
from drift_assets.local import server
from drift_assets.local.folder import ServerFolder, read_running
from drift_assets.markdown import figures_table
from drift_assets.settings import load_settings

COLUMNS = ("calls undisturbed", "killed after calls", "calls with kills", "made again", "allowed", "differences")
# Eight in flight, and eight that are finished and not yet written.
LOST_CALLS = 16
POLL_SECONDS = 0.02
LONGEST_SECONDS = 600.0
Victims = Literal["index", "neo4j", "both"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Seconds of a call, what the moments are drawn from, how many there are, and who is killed."""

    latency: float
    seed: int
    kills: int
    victims: Victims = "index"


@dataclass(frozen=True, slots=True)
class Moment:
    """When a process is killed: so many seconds after the service has had so many requests."""

    requests: int
    after: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Calls of the undisturbed index and of the killed one, when it was killed, and how the two graphs differ."""

    undisturbed: int
    disturbed: int
    killed_at: tuple[int, ...]
    differences: tuple[str, ...]

    @property
    def repeated(self) -> int:
        """Calls that were made again."""
        return self.disturbed - self.undisturbed

    @property
    def allowed(self) -> int:
        """Calls that may be made again."""
        return LOST_CALLS * len(self.killed_at)


def moments(calls: int, chosen: Chosen) -> list[Moment]:
    """Moments of an index of `calls` calls, in order: spread over all calls, and each over the time of a few."""
    chance = random.Random(chosen.seed)
    requests = sorted(chance.sample(range(1, calls), chosen.kills))
    return [Moment(number, chance.uniform(0, 4 * chosen.latency)) for number in requests]


def measure(home: Home, folder: Path, chosen: Chosen, locate: Callable[[], Address]) -> Outcome:
    """Index undisturbed, then once more from nothing and killed on the way.

    `locate` tells where the server that `home` uses is now. Neo4j can be killed only where it is the managed one of
    `home`.
    """
    with service(chosen.latency) as openai:
        _served(home, openai).drift("index", str(folder), "--json")
        undisturbed = openai.counts().requests
    expected = dump(locate())
    home.drift("reset", "--yes")
    with service(chosen.latency) as openai:
        indexing = _Indexing(_served(home, openai), openai, folder)
        kills = [indexing.kill(moment, chosen.victims) for moment in moments(undisturbed, chosen)]
        indexing.end()
        indexing.home.drift("index", str(folder), "--json")
        disturbed = openai.counts().requests
    killed_at = tuple(kill for kill in kills if kill is not None)
    return Outcome(undisturbed, disturbed, killed_at, tuple(differences(expected, dump(locate()))))


def _served(home: Home, openai: Service) -> Home:
    return replace(home, settings={**home.settings, **openai.settings})


@dataclass(slots=True)
class _Indexing:
    """An index that is started whenever it does not run."""

    home: Home
    openai: Service
    folder: Path
    process: subprocess.Popen[str] | None = None

    def kill(self, moment: Moment, victims: Victims) -> int | None:
        """Kill the victims at the moment, but not before the first request of the process or since the last kill.

        Returns how many requests the service had had by then; None when the index had come to its end.
        """
        first = self.openai.counts().requests + 1
        if self.process is None:
            self.process = self.home.start("index", str(self.folder), "--json")
        until = time.monotonic() + LONGEST_SECONDS
        while self.openai.counts().requests < max(first, moment.requests) and self.process.poll() is None:
            if time.monotonic() > until:
                break
            time.sleep(POLL_SECONDS)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(moment.after)
        if self.process.poll() is not None:
            self.end()
            return None
        server = _server(self.home) if victims != "index" else None
        if victims != "neo4j":
            self.process.kill()
        if server:
            os.kill(server, signal.SIGKILL)
        requests = self.openai.counts().requests
        if victims != "neo4j":
            self.end()
        return requests

    def end(self) -> None:
        """The process has ended: by a kill, or well."""
        if self.process is None:
            return
        _, errors = self.process.communicate(timeout=LONGEST_SECONDS)
        if self.process.returncode > 0:
            raise RuntimeError(f"the index failed where it was not killed itself:\n{errors}")
        self.process = None


def _server(home: Home) -> int:
    """The process of the managed Neo4j, once it answers: calls go on while it is being started again."""
    until = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < until:
        running = read_running(ServerFolder(home.folder / "neo4j"))
        if running and running.port:
            return running.pid
        time.sleep(POLL_SECONDS)
    raise RuntimeError("there is no managed Neo4j to be killed")


def shown(outcome: Outcome) -> str:
    """The figures, and the first of the differences."""
    row = [
        outcome.undisturbed,
        ", ".join(map(str, outcome.killed_at)),
        outcome.disturbed,
        outcome.repeated,
        outcome.allowed,
        len(outcome.differences),
    ]
    return "\n".join([figures_table(COLUMNS, [row]), *(line[:300] for line in outcome.differences[:10])])


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=corpus_folder(), help="documents (default: the demo's)")
    parser.add_argument("--latency", type=float, default=0.3, help="seconds of a call")
    parser.add_argument("--kills", type=int, default=3, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="chooses the moments")
    parser.add_argument("--victims", choices=get_args(Victims), default="index", help="who is killed")
    options = parser.parse_args(arguments)
    say(f"On {machine()}\n")
    with fresh_home() as home:
        chosen = Chosen(options.latency, options.seed, options.kills, options.victims)
        settings = load_settings(home=home.folder)
        say(shown(measure(home, options.folder.resolve(), chosen, lambda: server.start(settings))))


if __name__ == "__main__":
    main()
