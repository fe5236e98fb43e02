"""What the index and a search add to the time that their calls take, with a service of fixed latency.

    python -m benchmarks.protocol FOLDER

A server on loopback speaks the OpenAI protocol and takes the same time for each call. The index is held against the
time that its calls need when always as many are in flight as may be, a search against its longest chain of calls, each
of which needs the answer of the one before. Neo4j is up already.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.home import Finished, Home, fresh_home
from benchmarks.machine import machine
from benchmarks.output import say
from benchmarks.service import Counts, service
from drift_assets.demo import DEMO_QUESTIONS, corpus_folder
from drift_assets.markdown import figures_table
from drift_assets.search.options import SearchOptions

AT_ONCE = 8
ADDED_SECONDS = 15.0
INDEX_FACTOR = 1.3
SEARCH_FACTOR = 1.2


@dataclass(frozen=True, slots=True)
class Held:
    """A measured time in seconds beside the ideal and the allowed one, and what the service saw.

    `before` are the seconds from the start of the command to its first call.
    """

    what: str
    counts: Counts
    ideal: float
    measured: float
    allowed: float
    before: float = 0.0

    def row(self) -> list[object]:
        """As a line of the table."""
        ratio = self.measured / self.ideal
        kept = "yes" if self.measured <= self.allowed else "no"
        numbers = [self.counts.requests, self.counts.most_at_once, self.before, self.ideal, self.measured, ratio]
        return [self.what, *numbers, self.allowed, kept]


COLUMNS = ("what", "calls", "most at once", "first call after s", "ideal s", "measured s", "ratio", "allowed s", "kept")


def measure_index(home: Home, folder: Path, latency: float) -> Held:
    """An index of `folder` in an empty home."""
    with service(latency) as openai:
        finished = replace(home, settings={**home.settings, **openai.settings}).drift("index", str(folder), "--json")
        counts = openai.counts()
    _check_calls(finished.output, counts)
    ideal = counts.requests * latency / AT_ONCE
    what = f"index, {latency:g} s a call"
    allowed = INDEX_FACTOR * ideal + ADDED_SECONDS
    return Held(what, counts, ideal, finished.watched.seconds, allowed, _before(finished, counts))


def measure_search(home: Home, question: str, latency: float, which: str) -> Held:
    """A search over the index that stands; its time is that from the start of its first op to the end of its last."""
    with service(latency) as openai:
        asking = replace(home, settings={**home.settings, **openai.settings})
        finished = asking.drift("ask", question, "--json")
        output, counts = finished.output, openai.counts()
    _check_calls(output, counts)
    steps = home.steps(str(output["run_id"]))
    chain = longest_chain(counts.by_task, output["questions"], SearchOptions(question="").parallel)
    ideal = chain * latency
    what = f"{which} search, {latency:g} s a call, chain of {chain}"
    measured = steps[-1].ended - steps[0].began
    return Held(what, counts, ideal, measured, SEARCH_FACTOR * ideal, _before(finished, counts))


def _before(finished: Finished, counts: Counts) -> float:
    return (counts.first_at or finished.watched.ended) - finished.watched.began


def longest_chain(by_task: Mapping[str, int], questions: Sequence[Mapping[str, Any]], parallel: int) -> int:
    """Calls of a search that must follow each other when `parallel` local searches run at once.

    All need the answer of the one before (vectors, the hypothetical answer, the primer, in each round the vectors of
    its questions and their refining, the final answer) but the local searches of a round.
    """
    asked = Counter(question["round"] for question in questions if question["status"] in ("answered", "failed"))
    others = sum(number for name, number in by_task.items() if name != "answer")
    return others + sum(math.ceil(number / parallel) for name, number in asked.items() if name > 0)


def run(home: Home, folder: Path, question: str, index_latency: float, search_latency: float) -> list[Held]:
    """Measures both in an empty home whose server is up, shows them, and returns them.

    Neo4j plans the queries of the first search, and its Java compiles on the way, so two more are measured too.
    """
    held = [measure_index(home, folder.resolve(), index_latency)]
    for which, asked in (("first", question), ("second", DEMO_QUESTIONS[1]), ("third", question)):
        held.append(measure_search(home, asked, search_latency, which))
    say(figures_table(COLUMNS, [one.row() for one in held]))
    by_task = ", ".join(f"{number:,} {task}" for task, number in held[0].counts.by_task.items())
    say(f"\nCalls of the index: {by_task}.")
    return held


def _check_calls(output: Mapping[str, Any], counts: Counts) -> None:
    """What the command reports must be what the service saw, or neither figure can be trusted."""
    reported = sum(output["calls"].values())
    if reported != counts.requests:
        raise RuntimeError(f"{reported} calls were reported, the service saw {counts.requests}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.protocol", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=corpus_folder(), help="documents (default: the demo's)")
    parser.add_argument("--question", default=DEMO_QUESTIONS[0], help="the question of the search")
    parser.add_argument("--index-latency", type=float, default=0.3, help="seconds of a call of the index")
    parser.add_argument("--search-latency", type=float, default=1.0, help="seconds of a call of the search")
    options = parser.parse_args(arguments)
    say(f"On {machine()}\n")
    with fresh_home(DRIFT_CONCURRENCY=str(AT_ONCE)) as home:
        home.drift("neo4j", "start")
        run(home, options.folder, options.question, options.index_latency, options.search_latency)


if __name__ == "__main__":
    main()
