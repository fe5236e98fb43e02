"""Precision and recall of the merging of names, on an index, by pairs of names that a person judged.

    python -m benchmarks.resolution FOLDER benchmarks/alice-names.csv

The folder is indexed in an empty DRIFT_HOME without a key; `--home DRIFT_HOME` looks at an index that is there already,
such as one that a language model made. A pair counts when the index knows both names; the others are listed.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.home import Home, fresh_home
from benchmarks.machine import machine
from benchmarks.output import say
from drift_assets.cli.graph import with_graph
from drift_assets.graph.resolution import StoredName, stored_names
from drift_assets.markdown import figures_table
from drift_assets.names import entity_key
from drift_assets.settings import load_settings

COLUMNS = ("pairs", "known to the index", "merged", "kept apart")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two names, and whether a person says that they are of one thing."""

    first: str
    second: str
    same: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """The pairs that the index knows, with whether it has merged them, and those that it does not know."""

    merged: tuple[tuple[Pair, bool], ...]
    unknown: tuple[Pair, ...]

    def count(self, *, same: bool, merged: bool) -> int:
        """How many of these pairs ended so."""
        return sum(pair.same == same and done == merged for pair, done in self.merged)

    @property
    def precision(self) -> float | None:
        """Share of the merged pairs that are of one thing."""
        right, wrong = self.count(same=True, merged=True), self.count(same=False, merged=True)
        return right / (right + wrong) if right + wrong else None

    @property
    def recall(self) -> float | None:
        """Share of the known pairs of one thing that are merged."""
        right, missed = self.count(same=True, merged=True), self.count(same=True, merged=False)
        return right / (right + missed) if right + missed else None


def read_pairs(file: Path) -> list[Pair]:
    """The pairs of a CSV file with the columns same (yes or no), first and second."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [Pair(row["first"], row["second"], row["same"] == "yes") for row in csv.DictReader(lines)]


def judge(pairs: Sequence[Pair], standing: Mapping[str, str]) -> Judged:
    """The pairs held against the entity that each name stands at."""
    merged, unknown = [], []
    for pair in pairs:
        ends = [standing.get(entity_key(name)) for name in (pair.first, pair.second)]
        if None in ends:
            unknown.append(pair)
        else:
            merged.append((pair, ends[0] == ends[1]))
    return Judged(tuple(merged), tuple(unknown))


def report(pairs: Sequence[Pair], found: Judged) -> str:
    """The figures, and every pair that went wrong or is not known."""
    rows: list[list[object]] = []
    for same, what in ((True, "of one thing"), (False, "of two things")):
        ends = [found.count(same=same, merged=merged) for merged in (True, False)]
        rows.append([what, sum(pair.same == same for pair in pairs), sum(ends), *ends])
    lines = [figures_table(["", *COLUMNS], rows), ""]
    lines.append(f"Precision {_shown(found.precision)}, recall {_shown(found.recall)}.")
    for same, merged, what in ((False, True, "Merged, though two"), (True, False, "Kept apart, though one")):
        named = [f"{pair.first} / {pair.second}" for pair, done in found.merged if (pair.same, done) == (same, merged)]
        lines.append(f"{what}: {'; '.join(named) or 'none'}.")
    lines.append(f"Not both known: {'; '.join(f'{pair.first} / {pair.second}' for pair in found.unknown) or 'none'}.")
    return "\n".join(lines)


def _shown(share: float | None) -> str:
    return "–" if share is None else f"{share:.2f}"


def standing(home: Home) -> dict[str, str]:
    """The entity that each name of the home's index stands at."""
    names: list[StoredName] = with_graph(load_settings(home=home.folder), stored_names)
    return {one.name: one.entity for one in names}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.resolution", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="documents")
    parser.add_argument("pairs", type=Path, help="CSV of pairs: same, first, second")
    parser.add_argument("--home", type=Path, help="DRIFT_HOME of an index that is there already")
    options = parser.parse_args(arguments)
    pairs = read_pairs(options.pairs)
    say(f"On {machine()}\n")
    if options.home:
        say(report(pairs, judge(pairs, standing(Home(options.home.absolute())))))
        return
    with fresh_home() as home:
        home.drift("index", str(options.folder.resolve()), "--json")
        say(report(pairs, judge(pairs, standing(home))))


if __name__ == "__main__":
    main()
