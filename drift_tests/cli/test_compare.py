import json
from dataclasses import replace

import pytest

from drift_assets.cli.compare import comparison_json, methods_named, show_comparison
from drift_assets.errors import SettingsError
from drift_assets.search.options import SearchOptions
from drift_assets.search.result import SearchResult, Source
from drift_assets.search.trace import NEAREST

SOURCE = Source(1, "c1", "chunk", "Tower", "tower.txt", "Reeve lit the lamp.", 5, gone=False, excerpt="Reeve lit it.")
RESULT = SearchResult(
    search_id="s1",
    run_id="r1",
    question="Who?",
    answer="Reeve did [1].",
    status="complete",
    origin="scripted",
    created=0.0,
    sources=(SOURCE,),
    evidence=(SOURCE,),
    questions=(),
    hyde="",
    notes=(),
    removed_citations=0,
    options=SearchOptions(question="Who?"),
    steps={},
)
RESULTS = {"drift": RESULT, "vector": replace(RESULT, answer="Nobody knows.", sources=(), status="not_found")}


def test_methods_are_named_once_each_whatever_the_blanks_and_case() -> None:
    assert methods_named(" Drift, vector,drift ", least=2) == ("drift", "vector")


@pytest.mark.parametrize(
    ("names", "said"),
    [("drift,bm25", "'bm25' is no method"), ("drift", "'drift' names too few methods"), (" ,", "too few methods")],
)
def test_what_is_no_comparison_is_refused_with_those_that_exist(names: str, said: str) -> None:
    with pytest.raises(SettingsError, match=f"{said}: name at least 2 of drift, local, vector, global"):
        methods_named(names, least=2)


def test_each_method_is_shown_with_its_sources_and_what_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    show_comparison(RESULTS)

    shown = capsys.readouterr().out
    assert "== drift\nReeve did [1].\n\n[1] Tower: “Reeve lit it.”\n" in shown
    assert "== vector\nNobody knows.\n" in shown
    assert shown.splitlines()[-3:] == [
        "method  status     sources  evidence tokens  calls  cost        seconds",
        "drift   complete   1        5                0      0.0000 USD  0.0",
        "vector  not found  0        5                0      0.0000 USD  0.0",
    ]


def test_each_answer_of_rules_says_that_it_need_not_answer(capsys: pytest.CaptureFixture[str]) -> None:
    by_rules = {name: replace(result, origin="extractive") for name, result in RESULTS.items()}

    show_comparison(by_rules)

    drift, vector = capsys.readouterr().out.split("== vector")
    assert NEAREST in drift
    assert NEAREST not in vector


def test_json_holds_one_object_per_method() -> None:
    found = json.loads(json.dumps(comparison_json("Who?", RESULTS)))

    assert found["question"] == "Who?"
    assert {name: one["status"] for name, one in found["methods"].items()} == {
        "drift": "complete",
        "vector": "not_found",
    }
