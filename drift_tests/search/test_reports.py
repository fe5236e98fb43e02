"""Which reports a context holds."""

from __future__ import annotations

import pytest

from drift_assets.errors import SettingsError
from drift_assets.graph.address import Address
from drift_assets.graph.retrieval import Piece
from drift_assets.language.tasks import Hyde, Prime
from drift_assets.search.options import SearchOptions, checked_levels
from drift_assets.search.reports import adding
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import follow_ups, search


def report(id: str, text: str) -> Piece:
    return Piece("report", id, f"Report {id}", text, None)


LIGHT = report("light", "Reeve keeps the light and writes the log each night.")
SHORE = report("shore", "Reeve keeps the light each night.")
COAST = report("coast", "Drummond rows boats across the harbour; Reeve keeps the light.")
RELATED = {("light", "shore"), ("light", "coast")}


def test_a_report_and_its_parent_both_stand_only_where_each_adds_something() -> None:
    assert adding([LIGHT, SHORE, COAST], RELATED, 3) == [LIGHT, COAST]


def test_of_relatives_the_one_that_stands_first_stays() -> None:
    assert adding([SHORE, LIGHT], RELATED, 1) == [SHORE]


def test_reports_that_are_no_relatives_may_say_the_same() -> None:
    assert adding([LIGHT, SHORE], set(), 2) == [LIGHT, SHORE]


@pytest.mark.parametrize(("levels", "bounds"), [("any", None), ("1", (1, 1)), ("0-2", (0, 2))])
def test_levels_are_any_one_or_a_range(levels: str, bounds: tuple[int, int] | None) -> None:
    assert SearchOptions(question="?", levels=checked_levels(levels)).level_bounds == bounds


@pytest.mark.parametrize("levels", ["", "-1", "all", "1-", "1,2"])
def test_what_names_no_levels_is_refused(levels: str) -> None:
    with pytest.raises(SettingsError, match="names no levels"):
        checked_levels(levels)


def test_a_search_reads_reports_of_its_levels_only(archive: Address) -> None:
    result = search(archive, levels="0", depth=1)

    assert {source.id for source in result.evidence if source.kind == "report"} == {"shore"}


def test_the_sample_of_the_hypothetical_answer_is_random_by_its_seed_or_left_out(archive: Address) -> None:
    samples = []
    for seed in (1, 1, 2, 3, 4):
        language = ScriptedLanguageModel(follow_ups)
        search(archive, language=language, stages=("hyde",), hyde="random", seed=seed)
        samples.append(language.asked(Hyde)[0].template)
    assert samples[0] == samples[1]
    assert len(set(samples)) > 1

    language = ScriptedLanguageModel(follow_ups)
    result = search(archive, language=language, depth=0, hyde="off")
    assert language.asked(Hyde) == []
    assert (result.hyde, result.status) == ("", "complete")


def test_folds_of_the_primer_each_read_a_part_and_all_ask_on(archive: Address) -> None:
    language = ScriptedLanguageModel(follow_ups)

    result = search(archive, language=language, folds=3, depth=1, communities=3)

    primes = language.asked(Prime)
    assert [[e.title for e in task.evidence if e.kind == "report"] for task in primes] == [
        ["Report light"],
        ["Report shore"],
        ["Report sea"],
    ]
    assert [(q.id.partition(".")[2], q.status) for q in result.questions if q.round == 0] == [
        ("0.0", "answered"),
        ("0.1", "answered"),
        ("0.2", "answered"),
    ]
    assert [q.text for q in result.questions if q.status == "answered" and q.round == 1] == [
        "Who owned the boat?",
        "What does the log say?",
    ]
