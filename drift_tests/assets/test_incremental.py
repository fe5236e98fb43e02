"""An index that is kept while documents and settings change equals a fresh one of today's corpus and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from drift_assets.graph.address import Address
from drift_assets.regrouping import modularity
from drift_tests.assets.world import STAGES, World, differences
from drift_tests.soak import Soak

MOST_DOCUMENTS, MOST_PARAGRAPHS = 6, 4
PATHS = [f"{folder}{name}.txt" for folder in ("", "old/") for name in ("ash", "birch", "cedar", "elm", "fir")]
PARAGRAPHS = [
    "Martha Reeve keeps the Fog Organ. The Fog Organ stands in Port Merrin.",
    "Martha Reeve wrote to Tobias Lund. Tobias Lund leads the Merrin Museum.",
    "Ada Quill sailed the Blue Ferry. The Blue Ferry met Tobias Lund in Port Merrin.",
    "Silas Wren built the Fog Organ for Port Merrin. Martha Reeve paid Silas Wren.",
    "Ann, Bea, Cid, Dan, Eva, Fay, Gus, Hal, Ida.",
    "Nothing with a name is told in this paragraph, which is there all the same and somewhat longer than the others.",
    "Ida and Ada Quill found the Blue Ferry. Later Fay found Silas Wren, whom the MERRIN MUSEUM had lost.",
    "MARTHA REEVE met Ann. Gus met Tobias Lund. Hal saw the Merrin Museum, and Bea saw the Fog Organ.",
    "Dan and Eva left Port Merrin. Silas Wren stayed.",
    "Captain Quill saw the Fog-Organ. Lund paid Mr. Wren. Tobias Lunde and Port Merrins are spelt otherwise.",
    "Reeve told Miss Quill of Lund. Wren met Tobias Lund, and Anna met Ann.",
    "The Museum lent Quill an Organ. Captain Lund left Martha Wren in Merrin.",
]
MODELS = ("gpt-5-mini", "other", "another")
# The last has vectors of another length, for which Neo4j builds its indexes and plans its queries anew: some seconds.
EMBEDDINGS = ("text-embedding-3-small", "other", "wide")
TASKS = ("extract", "resolve", "summarise", "report")
# What the user may say of names, known ones or not.
PAIRS = [
    ("LUND", "TOBIAS LUND"),
    ("MARTHA REEVE", "REEVE"),
    ("ADA QUILL", "MARTHA REEVE"),
    ("FOG ORGAN", "FOG-ORGAN"),
    ("CAPTAIN QUILL", "TOBIAS LUND"),
]
CHOICES: dict[str, list[Any]] = {
    "types": [("PERSON", "ORGANIZATION", "LOCATION"), ("PERSON", "PLACE")],
    "chunk_tokens": [32, 48, 200],
    "clustering": ["exact", "stable"],
    "max_community_size": [3, 10],
    "min_rating": [3.0, 8.0],
}
NUMBER = st.integers(0, 10_000)
PARAGRAPH = st.sampled_from(PARAGRAPHS)


class Keeping(RuleBasedStateMachine):
    """Changes one after the other, with an index run, a broken run or none between them; at the end, the comparison."""

    address: Address
    folder: Path
    embeddings: Sequence[str] = EMBEDDINGS
    seen: Counter[str]
    soak: Soak

    def __init__(self) -> None:
        super().__init__()
        self.world = World(self.address, self.folder).__enter__()

    @initialize(
        texts=st.lists(st.lists(PARAGRAPH, min_size=1, max_size=MOST_PARAGRAPHS), min_size=1, max_size=3),
        clustering=st.sampled_from(["exact", "stable"]),
    )
    def start(self, texts: list[list[str]], clustering: str) -> None:
        self.world.chosen["clustering"] = clustering
        self.world.documents = dict(zip(PATHS, texts, strict=False))
        self.world.index()

    def _some(self, number: int) -> str:
        paths = sorted(self.world.documents)
        return paths[number % len(paths)]

    def _free(self, number: int) -> str:
        paths = [path for path in PATHS if path not in self.world.documents]
        return paths[number % len(paths)]

    def _room(self) -> bool:
        return len(self.world.documents) < MOST_DOCUMENTS

    @precondition(_room)
    @rule(at=NUMBER, paragraphs=st.lists(PARAGRAPH, min_size=1, max_size=MOST_PARAGRAPHS))
    def add(self, at: int, paragraphs: list[str]) -> None:
        self.world.documents[self._free(at)] = paragraphs

    @precondition(_room)
    @rule(which=NUMBER, at=NUMBER)
    def duplicate(self, which: int, at: int) -> None:
        self.world.documents[self._free(at)] = list(self.world.documents[self._some(which)])

    @precondition(lambda self: len(self.world.documents) > 1)
    @rule(which=NUMBER)
    def delete(self, which: int) -> None:
        del self.world.documents[self._some(which)]

    @rule(which=NUMBER, at=NUMBER)
    def move(self, which: int, at: int) -> None:
        paragraphs = self.world.documents.pop(self._some(which))
        self.world.documents[self._free(at)] = paragraphs

    @rule(which=NUMBER, at=NUMBER, paragraph=PARAGRAPH)
    def insert(self, which: int, at: int, paragraph: str) -> None:
        paragraphs = self.world.documents[self._some(which)]
        paragraphs.insert(at % (len(paragraphs) + 1), paragraph)

    @rule(which=NUMBER, at=NUMBER, paragraph=PARAGRAPH)
    def replace(self, which: int, at: int, paragraph: str) -> None:
        paragraphs = self.world.documents[self._some(which)]
        paragraphs[at % len(paragraphs)] = paragraph

    @rule(which=NUMBER, at=NUMBER)
    def drop(self, which: int, at: int) -> None:
        paragraphs = self.world.documents[self._some(which)]
        if len(paragraphs) > 1:
            del paragraphs[at % len(paragraphs)]

    @rule(task=st.sampled_from(TASKS), text=st.sampled_from(["", "Be brief.", "Be exact."]))
    def change_prompt(self, task: str, text: str) -> None:
        self.world.note(task, text)

    @rule(name=st.sampled_from(MODELS))
    def change_model(self, name: str) -> None:
        self.world.chosen["model"] = name

    @rule(which=NUMBER)
    def change_embedding(self, which: int) -> None:
        self.world.chosen["embedding_model"] = self.embeddings[which % len(self.embeddings)]

    @rule(change=st.sampled_from(sorted(CHOICES)).flatmap(lambda n: st.tuples(st.just(n), st.sampled_from(CHOICES[n]))))
    def change_setting(self, change: tuple[str, Any]) -> None:
        name, value = change
        self.world.chosen[name] = value

    @rule(pair=st.sampled_from(PAIRS), same=st.booleans())
    def tell(self, pair: tuple[str, str], same: bool) -> None:
        self.world.tell(pair, same=same)

    @rule(until=st.sampled_from(STAGES))
    def index(self, until: str) -> None:
        self.world.index(until=until)
        self.seen["index runs"] += 1

    @rule(write=st.integers(1, 40), committed=st.booleans())
    def abort(self, write: int, committed: bool) -> None:
        ended = self.world.index(fail_at=write, committed=committed)
        self.seen["index runs" if ended else "runs broken off at a write"] += 1

    def teardown(self) -> None:
        try:
            if self.world.documents:
                self.compare()
                self.seen["sequences"] += 1
                if self.seen["sequences"] % 25 == 0:
                    self.soak.say(told(self.seen))
        finally:
            self.world.__exit__()

    def compare(self) -> None:
        world, exact = self.world, self.world.chosen["clustering"] == "exact"
        world.index()
        assert world.broken_rules() == []
        kept, graph, partition = world.content(communities=exact), world.weighted(), world.partition()
        world.wipe()
        world.index()
        assert differences(kept, world.content(communities=exact)) == []
        fresh = modularity(graph.edges, world.partition())
        assert modularity(graph.edges, partition) >= 0.99 * fresh


def told(seen: Counter[str]) -> str:
    """The counts so far."""
    return ", ".join(f"{count} {what}" for what, count in sorted(seen.items(), key=lambda item: item[0] != "sequences"))


def sequences(soak: Soak) -> settings:
    """A few sequences, the same at each run; or many, drawn anew at each run, and shortened when one fails."""
    return settings(
        max_examples=soak.sequences if soak.thorough else 10,
        stateful_step_count=12 if soak.thorough else 8,
        derandomize=not soak.thorough,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink] if soak.thorough else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


# Ten sequences take half a minute where nothing else runs; five hundred are for `make soak`.
@pytest.mark.timeout(36_000)
def test_an_index_kept_through_any_changes_equals_a_fresh_one(
    neo4j_server: Address, tmp_path: Path, soak: Soak
) -> None:
    class Here(Keeping):
        address, folder = neo4j_server, tmp_path / "corpus"
        embeddings = EMBEDDINGS if soak.thorough else EMBEDDINGS[:2]

    Here.seen, Here.soak = Counter(), soak
    run_state_machine_as_test(Here, settings=sequences(soak))
    soak.conclude(f"{told(Here.seen)}: each time the index equals a fresh one")
