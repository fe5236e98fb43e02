"""What a killed index costs: kill -9 at random moments, then the same graph, and few calls made twice.

    python -m benchmarks.kills FOLDER --seed 1

A server on loopback speaks the OpenAI protocol and counts. One index goes undisturbed; the next, from nothing again, is
killed three times and then left to end. Neo4j lives on.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.graph import differences, dump
from benchmarks.home import Home, fresh_home
from benchmarks.machine import machine
from benchmarks.output import say
from benchmarks.service import Service, service
from drift_assets.demo import corpus_folder
from drift_assets.graph.address import Address
from drift_assets.local import server
from drift_assets.markdown import figures_table
from drift_assets.settings import load_settings

COLUMNS = ("calls undisturbed", "killed after calls", "calls with kills", "made again", "allowed", "differences")
# Eight in flight, and eight that are finished and not yet written.
LOST_CALLS = 16
POLL_SECONDS = 0.02
LONGEST_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Chosen:
    """Seconds of a call, what the moments are drawn from, and how many there are."""

    latency: float
    seed: int
    kills: int


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


def measure(home: Home, address: Address, folder: Path, chosen: Chosen) -> Outcome:
    """Index undisturbed, then once more from nothing and killed on the way. `home` uses the server at `address`."""
    with service(chosen.latency) as openai:
        _served(home, openai).drift("index", str(folder), "--json")
        undisturbed = openai.counts().requests
    expected = dump(address)
    home.drift("reset", "--yes")
    with service(chosen.latency) as openai:
        indexing = _served(home, openai)
        kills = [_kill(indexing, openai, folder, moment) for moment in moments(undisturbed, chosen)]
        indexing.drift("index", str(folder), "--json")
        disturbed = openai.counts().requests
    killed_at = tuple(kill for kill in kills if kill is not None)
    return Outcome(undisturbed, disturbed, killed_at, tuple(differences(expected, dump(address))))


def _served(home: Home, openai: Service) -> Home:
    return replace(home, settings={**home.settings, **openai.settings})


def _kill(home: Home, openai: Service, folder: Path, moment: Moment) -> int | None:
    """Start an index and kill it at the moment, but not before its own first request.

    Returns how many requests the service had had by then; None when the index had come to its end.
    """
    first = openai.counts().requests + 1
    process = home.start("index", str(folder), "--json")
    until = time.monotonic() + LONGEST_SECONDS
    while openai.counts().requests < max(first, moment.requests) and process.poll() is None:
        if time.monotonic() > until:
            break
        time.sleep(POLL_SECONDS)
    try:
        process.wait(moment.after)
    except subprocess.TimeoutExpired:
        process.kill()
    _, errors = process.communicate()
    if process.returncode > 0:
        raise RuntimeError(f"the index failed before it was killed:\n{errors}")
    return openai.counts().requests if process.returncode else None


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
    options = parser.parse_args(arguments)
    say(f"On {machine()}\n")
    with fresh_home() as home:
        address = server.start(load_settings(home=home.folder))
        chosen = Chosen(options.latency, options.seed, options.kills)
        say(shown(measure(home, address, options.folder.resolve(), chosen)))


if __name__ == "__main__":
    main()
