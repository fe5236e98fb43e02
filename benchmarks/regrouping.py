"""How many communities are kept while a graph grows by one document after the other.

    python -m benchmarks.regrouping FOLDER

The folder is indexed without a key. Then the first half of its documents is clustered, and the others are added one at
a time, as the setting `stable` clusters them: most times what was touched is grouped anew, and where a fresh
clustering is better by over a hundredth, some of its communities are taken over. Beside that what a fresh clustering
would change each time.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.change import kept_home
from benchmarks.machine import machine
from benchmarks.output import say
from drift_assets.assets.communities import communities_of, keep_or_renew, keeping
from drift_assets.clustering import Community
from drift_assets.demo import corpus_folder
from drift_assets.graph.address import Address
from drift_assets.graph.communities import Placed, WeightedGraph
from drift_assets.local import server
from drift_assets.markdown import figures_table
from drift_assets.regrouping import chains_of, coarsest, modularity
from drift_assets.settings import Settings, load_settings
from drift_tests.database import query

COLUMNS = ("documents added", "times", "communities new %", "most %", "fresh ones new %", "least share of modularity")
_STATEMENTS = (
    "MATCH (d:__Document__)<-[:PART_OF]-(c:__Chunk__)-[:MENTIONS]->(e:__Entity__) "
    "RETURN DISTINCT d.id AS document, e.name AS first, NULL AS second, 0.0 AS weight "
    "UNION ALL MATCH (a:__Entity__)-[r:RELATIONSHIP]->(b:__Entity__) WHERE a <> b "
    "MATCH (:__Chunk__ {id: r.chunk_id})-[:PART_OF]->(d:__Document__) RETURN d.id AS document, "
    "a.name AS first, b.name AS second, coalesce(r.strength, 0.0) AS weight"
)


@dataclass(slots=True)
class Growing:
    """The graph of the documents added so far: its entities, and the weight of each pair."""

    names: set[str] = field(default_factory=set)
    weights: defaultdict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))

    def add(self, told: Sequence[tuple[str, str | None, float]]) -> set[str]:
        """What a document tells is in it too; returns the entities whose ties are others now."""
        new = {first for first, _, _ in told} - self.names
        pairs = {tuple(sorted((first, second))): 0.0 for first, second, weight in told if second and weight}
        for first, second, weight in told:
            if second:
                self.weights[min(first, second), max(first, second)] += weight
        self.names |= {name for first, second, _ in told for name in (first, second) if name}
        return new | {name for pair in pairs for name in pair}

    def weighted(self) -> WeightedGraph:
        """As it is clustered."""
        pairs = sorted((one, other, weight) for (one, other), weight in self.weights.items() if weight)
        return WeightedGraph(sorted(self.names), pairs)


@dataclass(frozen=True, slots=True)
class Added:
    """What one more document did: shares of communities that are new, and of a fresh clustering's modularity."""

    renewed: bool
    new: float
    fresh_new: float
    modularity: float


def grow(told: Mapping[str, Sequence[tuple[str, str | None, float]]], settings: Settings) -> Iterator[Added]:
    """The documents of the second half, added in their order to the clustered first half."""
    documents, graph = list(told), Growing()
    half = len(documents) // 2
    for document in documents[:half]:
        graph.add(told[document])
    found = communities_of(graph.weighted(), settings)
    for document in documents[half:]:
        relinked = graph.add(told[document])
        weighted = graph.weighted()
        fresh = communities_of(weighted, settings)
        placed = Placed("", chains_of(found), relinked)
        before, found = found, keep_or_renew(weighted, fresh, placed, "", settings)
        reached, possible = (modularity(weighted.edges, coarsest(one)) for one in (found, fresh))
        renewed = found != keeping(weighted, placed, settings)
        yield Added(renewed, _new(found, before), _new(fresh, before), reached / possible if possible else 1.0)


def _new(found: Sequence[Community], before: Sequence[Community]) -> float:
    known = {one.id for one in before}
    reported = [one for one in found if len(one.members) > 1]
    return sum(one.id not in known for one in reported) / len(reported) if reported else 0.0


def rows(added: Sequence[Added]) -> list[list[object]]:
    """A line for the times when nothing was taken over, and one for those when something was."""
    lines: list[list[object]] = []
    for what, renewed in (("what was touched", False), ("and fresh ones taken over", True)):
        some = [one for one in added if one.renewed == renewed]
        if some:
            new, fresh = [one.new for one in some], [one.fresh_new for one in some]
            shares = [100 * sum(new) / len(new), 100 * max(new), 100 * sum(fresh) / len(fresh)]
            lines.append([what, len(some), *shares, min(one.modularity for one in some)])
    return lines


def statements(address: Address, seed: int) -> dict[str, list[tuple[str, str | None, float]]]:
    """What each document tells of entities and pairs, the documents in an order that the seed draws."""
    told: dict[str, list[tuple[str, str | None, float]]] = defaultdict(list)
    for row in query(address, _STATEMENTS):
        told[row["document"]].append((row["first"], row["second"], row["weight"]))
    documents = sorted(told)
    random.Random(seed).shuffle(documents)
    return {document: sorted(told[document], key=str) for document in documents}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regrouping", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=corpus_folder(), help="documents (default: the demo's)")
    parser.add_argument("--seed", type=int, default=1, help="draws the order of the documents")
    parser.add_argument("--kept", type=Path, help="a folder for the index, used again and left there")
    options = parser.parse_args(arguments)
    say(f"On {machine()}\n")
    with kept_home(options.kept) as home:
        home.drift("index", str(options.folder.resolve()), "--json")
        settings = load_settings(home=home.folder)
        told = statements(server.neo4j_address(settings), options.seed)
        say(figures_table(COLUMNS, rows(list(grow(told, settings)))))


if __name__ == "__main__":
    main()
