"""Time and peak memory of an index and of searches over it, by stage, without a key, from nothing.

    python -m benchmarks.index FOLDER --questions FILE

`drift index` begins in an empty DRIFT_HOME, so it starts Neo4j too. Questions are then asked with the server up, and
the first once more with the server down.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.home import Finished, Home, Step, fresh_home
from benchmarks.machine import machine
from benchmarks.output import say
from drift_assets.demo import corpus_folder
from drift_assets.evaluation.questions import read_questions
from drift_assets.markdown import figures_table

STAGES = ("chunks", "entities", "summaries", "communities", "reports", "embeddings")
OPS = ("check_index", "hyde", "primer", "local", "reduce")
ASKED = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """A command with the steps of its run."""

    finished: Finished
    steps: tuple[Step, ...]

    @property
    def seconds(self) -> float:
        """The whole command."""
        return self.finished.watched.seconds

    @property
    def steps_seconds(self) -> float:
        """From the start of the first step to the end of the last."""
        return self.steps[-1].ended - self.steps[0].began

    def spent(self, *names: str) -> float:
        """Seconds of these steps together."""
        return sum(step.seconds for step in self._named(names))

    def computed(self, *names: str) -> float:
        """Processor time in seconds while these steps ran."""
        return sum(self.finished.watched.computed(step.began, step.ended) for step in self._named(names))

    def peak(self, *names: str) -> int:
        """Largest memory in MB while these steps ran; without names, in the whole command."""
        watched = self.finished.watched
        spans = [(step.began, step.ended) for step in self._named(names)] or [(watched.began, watched.ended)]
        return round(max(watched.peak(began, ended) for began, ended in spans))

    def _named(self, names: Sequence[str]) -> list[Step]:
        return [step for step in self.steps if step.name in names]


def measure(home: Home, *arguments: str) -> Measured:
    """`drift` with these arguments, which bring about a run."""
    finished = home.drift(*arguments, "--json")
    return Measured(finished, tuple(home.steps(str(finished.output["run_id"]))))


def index_table(index: Measured) -> str:
    """Seconds, calls and memory of each stage of an index, and of what lies around them."""
    watched, stages = index.finished.watched, index.finished.output["stages"]
    first = index.steps[0].began
    rows: list[list[object]] = [
        ["before the first stage", first - watched.began, watched.computed(ended=first), 0, None]
    ]
    for name in STAGES:
        calls = stages[name]["language_calls"] + stages[name]["embedding_calls"]
        rows.append([name, index.spent(name), index.computed(name), calls, index.peak(name)])
    if watched.server_seconds is not None:
        rows[1][0] = f"chunks, of which Neo4j's start {watched.server_seconds:.1f} s"
    checks = [step.name for step in index.steps if step.name not in STAGES]
    rows.append(["checks", index.spent(*checks), index.computed(*checks), 0, index.peak(*checks)])
    spent, computed = (sum(float(str(row[n])) for row in rows) for n in (1, 2))
    rows.append(["between and after the stages", index.seconds - spent, watched.computed() - computed, 0, None])
    total = sum(index.finished.output["calls"].values())
    rows.append(["**the whole command**", index.seconds, watched.computed(), total, index.peak()])
    return figures_table(["stage", "seconds", "of processor", "calls", "peak MB"], rows)


def searches_table(searches: Sequence[Measured]) -> str:
    """Seconds and memory of each op, over several searches."""
    rows: list[list[object]] = []
    for op in OPS:
        spent = [search.spent(op) for search in searches]
        computed = median(search.computed(op) for search in searches)
        rows.append([op, median(spent), max(spent), computed, max(search.peak(op) for search in searches)])
    ops = [search.steps_seconds for search in searches]
    computed = median(search.computed(*OPS) for search in searches)
    rows.append(["**all ops**", median(ops), max(ops), computed, max(search.peak(*OPS) for search in searches)])
    whole = [search.seconds for search in searches]
    computed = median(search.finished.watched.computed() for search in searches)
    rows.append(
        ["**the whole command**", median(whole), max(whole), computed, max(search.peak() for search in searches)]
    )
    return figures_table(["op", "median seconds", "most seconds", "of processor", "peak MB"], rows)


def run(home: Home, folder: Path, questions: Sequence[str]) -> None:
    """Measures in an empty home, and shows, an index, one more, and searches."""
    index = measure(home, "index", str(folder.resolve()))
    held = index.finished.output
    names = ("documents", "chunks", "entities", "relationships", "communities", "embeddings")
    say("An index of " + ", ".join(f"{held[name]:,} {name}" for name in names) + ":\n")
    say(index_table(index))
    again = measure(home, "index", str(folder.resolve()))
    calls = sum(again.finished.output["calls"].values())
    say(f"\nOnce more, nothing having changed: {again.seconds:.1f} s, {calls} calls.")
    searches = [measure(home, "ask", question) for question in questions]
    say(f"\n{len(searches)} searches, the server up:\n")
    say(searches_table(searches))
    home.drift("neo4j", "stop")
    down = measure(home, "ask", questions[0])
    say(f"\nOne search, the server down: {down.seconds:.1f} s, its ops {down.steps_seconds:.1f} s.")


def spread(questions: Sequence[str], count: int) -> list[str]:
    """At most `count` of the questions, spread evenly over them."""
    count = min(count, len(questions))
    return [questions[n * len(questions) // count] for n in range(count)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.index", description=(__doc__ or "").split("\n")[0])
    demo = corpus_folder()
    parser.add_argument("folder", type=Path, nargs="?", default=demo, help="documents (default: the demo corpus)")
    parser.add_argument("--questions", type=Path, default=demo.parent / "questions.jsonl", help="JSONL of questions")
    parser.add_argument("--ask", type=int, default=ASKED, help=f"how many of them (default {ASKED})")
    options = parser.parse_args(arguments)
    asked = [question.question for question in read_questions(options.questions) if question.answerable]
    say(f"On {machine()}\n")
    with fresh_home() as home:
        run(home, options.folder, spread(asked, options.ask))


if __name__ == "__main__":
    main()
