"""Names of one thing: decided once, merged, split by the user, kept over runs, and paid for in proportion."""

from __future__ import annotations

from typing import Any

import pytest

from drift_assets.assets.resolution import PAIRS_PER_CALL, merge_list
from drift_assets.errors import RunStopped
from drift_assets.graph.resolution import tell
from drift_tests.assets.bench import HARBOUR, Bench

# The service joins names with the same last word.
QUILL = "Ada Quill sailed to Port Merrin. Captain Quill met Tobias Lund."
LUND = "Quill wrote to Tobias Lund. Tobias Lund leads the Merrin Museum."
# Of names that are mentioned as often the fullest is the key.
QUILLS = {"CAPTAIN QUILL": ["ADA QUILL", "CAPTAIN QUILL", "QUILL"]}
CORPUS = {"quill.txt": QUILL, "lund.txt": LUND, "harbour.txt": HARBOUR}


def names(bench: Bench) -> dict[str, list[str]]:
    """The names of each entity that has several."""
    return {
        merge["entity"]: sorted(merge["names"]) for merge in bench.on_stage(lambda s: merge_list(s.graph))["merges"]
    }


def say(bench: Bench, first: str, second: str, *, same: bool) -> None:
    bench.on_stage(lambda stage: tell(stage.graph, same=same, pairs=[(first, second)]))


def test_names_that_are_decided_to_be_one_are_one_entity_with_all_their_sources(bench: Bench) -> None:
    bench.write(CORPUS)
    report = bench.index(until="entities")["entities"]
    assert names(bench) == QUILLS
    (aliases,) = bench.values("MATCH (e:__Entity__ {name: 'CAPTAIN QUILL'}) RETURN e.aliases")
    assert set(aliases) == {"Ada Quill", "Captain Quill", "Quill"}
    assert bench.values("MATCH (e:__Entity__ {name: 'CAPTAIN QUILL'})<-[:MENTIONS]-(c) RETURN count(DISTINCT c)") == [2]
    assert report.facts["merged_names"] == 2
    assert report.facts["resolution_calls"] == len(bench.service.of("resolve")) > 0
    assert report.tables["merges"][0]["names"].count("QUILL") == 3
    assert "Quill" in report.tables["merges"][0]["reasons"]


def test_a_second_run_asks_nothing_and_a_new_text_only_of_the_names_that_it_changes(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index(until="entities")
    bench.service.forget()
    bench.index(until="entities")
    assert bench.service.requests == []
    bench.write({"more.txt": "Reeve saw the Blue Ferry."})
    bench.index(until="entities")
    (request,) = bench.service.of("resolve")
    assert "Martha Reeve" in request.input
    assert "Quill" not in request.input


def test_what_only_a_gone_document_called_so_is_called_so_no_more(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index(until="entities")
    bench.write({"quill.txt": None})
    bench.index(until="entities")
    assert names(bench) == {}
    assert bench.values("MATCH (e:__Entity__ {name: 'QUILL'}) RETURN e.aliases") == [["Quill"]]
    assert bench.values("MATCH (d:__Decision__) RETURN d.id") == []


def test_the_user_splits_and_merges_and_later_runs_keep_to_it(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index(until="entities")
    before = bench.content()
    bench.service.forget()
    say(bench, "QUILL", "ADA QUILL", same=False)
    say(bench, "TOBIAS LUND", "PORT MERRIN", same=True)
    first = bench.on_stage(lambda stage: merge_list(stage.graph))["told"]
    bench.index(until="entities")
    assert [told["done"] for told in first] == [False, False]
    assert names(bench)["PORT MERRIN"] == ["PORT MERRIN", "TOBIAS LUND"]
    assert all("ADA QUILL" not in group for group in names(bench).values() if "QUILL" in group)
    bench.write({"more.txt": "Ada Quill met Quill."})
    bench.index(until="entities", types=("SHIP",))
    assert all("ADA QUILL" not in group for group in names(bench).values() if "QUILL" in group)
    bench.write({"more.txt": None})
    say(bench, "QUILL", "ADA QUILL", same=True)
    say(bench, "TOBIAS LUND", "PORT MERRIN", same=False)
    bench.index(until="entities")
    assert names(bench) == QUILLS

    def untold(content: Any) -> list[str]:
        rows = [repr(row) for part in content for row in part]
        return [row for row in rows if "__Decision__" not in row and "__Index__" not in row]

    assert untold(bench.content()) == untold(before)


def test_an_index_without_decisions_comes_up_to_date_without_an_extraction(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index(until="entities", resolve=False)
    assert names(bench) == {}
    assert bench.service.of("resolve") == []
    bench.service.forget()
    bench.index(until="entities")
    assert bench.service.of("extract") == []
    assert names(bench) == QUILLS


def verdicts(count: int, leave: set[int]) -> dict[str, Any]:
    return {
        "verdicts": [
            {"number": number, "same": False, "reason": "no"} for number in range(1, count + 1) if number not in leave
        ]
    }


def test_pairs_that_an_answer_leaves_out_are_asked_again_by_themselves(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.script("resolve", verdicts(3, leave={2}))
    report = bench.index(until="entities")["entities"]
    first, second = bench.service.of("resolve")
    assert first.input.count("one document names both") > second.input.count("one document names both") == 1
    assert report.failed == 0


def test_a_refused_pair_is_kept_as_failed_and_the_others_are_decided(bench: Bench) -> None:
    bench.write(CORPUS)
    for number in (1, 2):
        bench.service.fail(number, "refusal", on="resolve")
    report = bench.index(until="entities", concurrency=1)["entities"]
    (item,) = report.failures
    assert " = " in item.item
    assert item.lasting
    bench.service.forget()
    assert bench.index(until="entities")["entities"].failed == 1
    assert bench.service.requests == []
    bench.retry()
    assert bench.index(until="entities")["entities"].failed == 0
    assert names(bench) == QUILLS


def test_a_run_that_is_stopped_pays_no_decision_again(bench: Bench) -> None:
    people = [f"{first} Dorn{last}" for last in "abcdef" for first in ("Captain", "Old", "Ada")]
    bench.write({f"{n}.txt": f"{name} met {name.split()[-1]}." for n, name in enumerate(people)})
    bench.index(until="entities", resolve=False)
    bench.service.forget()
    bench.service.fail(2, "insufficient_quota", on="resolve")
    with pytest.raises(RunStopped):
        bench.index(until="entities", concurrency=1)
    bench.index(until="entities", concurrency=1)
    asked = [request.input for request in bench.service.of("resolve")]
    assert len(asked) > 2
    assert len(asked) - 1 == len(set(asked))
    assert all(text.count("one document names both") <= PAIRS_PER_CALL for text in asked)
