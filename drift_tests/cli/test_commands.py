"""One index from its first run to its removal, by the commands; each test goes on where the one before it stopped."""

import asyncio
import json
import re
import signal
from typing import Any

import pytest
from dagster import RunsFilter

from drift_assets.cli.ask import show_answer
from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.runs.instance import open_instance
from drift_assets.search.result import SearchResult, search_result
from drift_tests.cli.conftest import DOCUMENTS, Drift
from drift_tests.runs.webserver import Webserver

QUESTION = "Who paid for the bridge of Merrin?"


@pytest.fixture(scope="module")
def indexed(drift: Drift) -> Any:
    return drift.json("index", "corpus")


@pytest.fixture(scope="module")
def asked(drift: Drift, indexed: Any) -> Any:
    found = drift.json("ask", QUESTION, "--depth", "1")
    assert found.pop("changed_files") == 0
    return found


def test_index_tells_what_the_index_holds_and_what_it_took(indexed: Any) -> None:
    assert indexed["documents"] == 2
    for kind in ("chunks", "entities", "relationships", "communities", "reports", "embeddings"):
        assert indexed[kind] > 0, kind
    assert indexed["calls"]["language"] > 0
    assert indexed["calls"]["embedding"] > 0
    assert set(indexed["tokens"]) == {"input", "output", "embedding"}
    assert indexed["cost_usd"] == 0
    assert indexed["failed"] == 0
    assert indexed["seconds"] > 0
    assert list(indexed["stages"]) == ["chunks", "entities", "summaries", "communities", "reports", "embeddings"]


def test_eval_scores_the_answers_to_a_file_by_several_methods(drift: Drift, indexed: Any) -> None:
    question = {"id": "q1", "question": QUESTION, "kind": "single", "must_mention": [["hale"]], "evidence": ["Hale"]}
    (drift.folder / "questions.jsonl").write_text(json.dumps(question), encoding="utf-8")

    found = drift.json("eval", "questions.jsonl", "--method", "vector,local", "--evidence-tokens", "400")

    assert {name: kinds["single"]["evidence_recall"] for name, kinds in found["methods"].items()} == {
        "vector": 1.0,
        "local": 1.0,
    }
    assert found["differences"][0]["method"] == "vector"
    assert found["failed"] == 0


def test_a_second_index_makes_no_call_and_says_so(drift: Drift, indexed: Any) -> None:
    again = drift.run("index", "corpus")
    assert again.returncode == 0
    assert "The index holds 2 documents, " in again.stdout
    assert "Nothing had to be asked: 0 calls" in again.stdout
    assert "entities: 0 to do" in again.stderr


def test_another_folder_is_refused_in_one_line(drift: Drift, indexed: Any) -> None:
    (drift.folder / "other").mkdir(exist_ok=True)
    (drift.folder / "other" / "a.md").write_text("Something else.", encoding="utf-8")
    refused = drift.run("index", "other", "--json")
    assert refused.returncode == 1
    assert refused.stdout == ""
    (line,) = [line for line in refused.stderr.splitlines() if line.startswith("error: ")]
    assert "--replace" in line
    assert "drift__chunks" in line


def test_ask_prints_the_answer_with_all_that_it_rests_on(asked: Any) -> None:
    assert "Hale" in asked["answer"]
    assert asked["question"] == QUESTION
    assert asked["status"] in ("complete", "partial")
    assert asked["origin"] == "extractive"
    assert asked["sources"]
    for source in asked["sources"]:
        assert {"number", "id", "kind", "title", "document", "text", "tokens"} <= set(source)
        assert source in asked["evidence"]
        if source["kind"] == "chunk":
            assert source["text"] in DOCUMENTS[source["document"]]
    assert {"id", "parent", "round", "text", "score", "status", "reason"} == set(asked["questions"][0])
    assert set(asked["tokens"]) == {"input", "output", "embedding", "evidence"}


def test_trace_shows_the_same_search_again(drift: Drift, asked: Any) -> None:
    assert drift.json("trace") == asked
    assert drift.json("trace", asked["search_id"]) == asked
    page = drift.run("trace").stdout
    assert page.startswith(f"# {QUESTION}")
    assert "## Sources" in page


def test_a_comparison_says_which_method_is_at_work(drift: Drift, indexed: Any) -> None:
    compared = drift.run("ask", QUESTION, "--compare", "local,vector")
    assert [line for line in compared.stderr.splitlines() if line.startswith("asking")] == [
        "asking by local (1 of 2)",
        "asking by vector (2 of 2)",
    ]


def test_ask_tells_of_files_that_changed_since_the_index(drift: Drift, asked: Any) -> None:
    draft = drift.folder / "corpus" / "draft.md"
    draft.write_text("A new letter.", encoding="utf-8")
    try:
        again = drift.run("ask", "--replay", asked["search_id"])
    finally:
        draft.unlink()
    assert again.stderr.splitlines()[-1] == "1 file changed since the index was made: `drift index` takes that in"


def test_trace_writes_a_page_with_what_each_question_took(drift: Drift, asked: Any) -> None:
    done = drift.run("trace", asked["search_id"], "--html", "trace.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "wrote trace.html\n")
    page = (drift.folder / "trace.html").read_text(encoding="utf-8")
    assert page.count("round 1, ") == len(
        [q for q in asked["questions"] if q["round"] == 1 and q["status"] == "answered"]
    )
    refused = drift.run("trace", "--html", "nowhere/trace.html")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)


def test_a_stored_search_is_answered_again_for_one_call(drift: Drift, asked: Any) -> None:
    again = drift.json("ask", "--replay", asked["search_id"], "--response-type", "one sentence")
    assert again["question"] == QUESTION
    assert (again["calls"]["language"], len(again["questions"])) == (1, len(asked["questions"]))
    assert drift.json("trace", asked["search_id"]) == asked
    assert drift.run("ask", QUESTION, "--replay", asked["search_id"]).returncode == 2


def test_graph_writes_a_page_of_the_entities(drift: Drift, indexed: Any) -> None:
    done = drift.run("graph", "amos grant", "--output", "grant.html")
    assert (done.returncode, done.stdout) == (0, "grant.html\n")
    page = (drift.folder / "grant.html").read_text(encoding="utf-8")
    assert "<h1>Around Amos Grant</h1>" in page
    assert page.count("<circle") >= 2
    missing = drift.run("graph", "Nobody")
    assert (missing.returncode, missing.stderr.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (("ask", QUESTION, "--in", "letters"), 1, "no document of the index is in 'letters'"),
        (("ask", QUESTION, "--where", "author=Nobody"), 1, "no document of the index is 'author=Nobody'"),
        (("ask", QUESTION, "--after", "never"), 1, "there is no search 'never' to ask after"),
        (("ask", QUESTION, "--levels", "7"), 1, "the index has no reports of level 7"),
        (("ask", QUESTION, "--levels", "3-1"), 2, "the coarser of a range stands first, 1-3"),
        (("ask", QUESTION, "--answer-language", "German"), 1, "cannot write German"),
        (("ask", QUESTION, "--from", "local"), 2, "--from says where a --replay goes on"),
        (("eval", "questions.jsonl", "--in", "letters"), 1, "no document of the index is in 'letters'"),
    ],
)
def test_what_cannot_be_asked_is_told_before_a_run(
    drift: Drift, asked: Any, command: tuple[str, ...], code: int, said: str
) -> None:
    (drift.folder / "questions.jsonl").write_text(
        json.dumps({"id": "q", "question": QUESTION, "kind": "single"}), encoding="utf-8"
    )
    with open_instance(drift.settings) as instance:
        before = instance.get_runs_count()
        refused = drift.run(*command)
        assert (refused.returncode, refused.stdout) == (code, "")
        assert said in " ".join(refused.stderr.replace("│", " ").split())
        assert instance.get_runs_count() == before


def test_eval_reads_the_documents_that_are_chosen(drift: Drift, asked: Any) -> None:
    question = {"id": "q1", "question": QUESTION, "kind": "single", "must_mention": [["hale"]], "evidence": ["Hale"]}
    (drift.folder / "chosen.jsonl").write_text(json.dumps(question), encoding="utf-8")

    found = drift.json("eval", "chosen.jsonl", "--method", "vector", "--in", "inquiry.md")

    assert found["methods"]["vector"]["single"]["evidence_recall"] == 0.0


def test_a_search_that_is_not_there_is_one_line(drift: Drift, asked: Any) -> None:
    missing = drift.run("trace", "never")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == "error: there is no search 'never': `drift status` lists the newest ones\n"


def test_an_answer_for_people_numbers_its_sources(
    drift: Drift, asked: Any, neo4j_server: Address, capsys: pytest.CaptureFixture[str]
) -> None:
    async def read() -> SearchResult:
        async with open_graph(neo4j_server) as graph:
            return await search_result(graph, asked["search_id"])

    show_answer(asyncio.run(read()))
    answer, _, sources = capsys.readouterr().out.partition("\nSources\n")
    assert answer.startswith(asked["answer"])
    assert "[1]" in answer
    assert sources.startswith(f"[1] {asked['sources'][0]['title']} (")
    assert f"`drift trace {asked['search_id']}` shows how" in sources


def test_status_tells_index_models_server_and_history(drift: Drift, indexed: Any, asked: Any) -> None:
    (drift.folder / "corpus" / "new.md").write_text("A third document of Clara Whitcombe.", encoding="utf-8")
    status = drift.json("status")
    assert status["index"]["documents"] == 2
    assert status["corpus"] == str(drift.folder / "corpus")
    assert status["stale"]["chunks"] == 1
    assert status["stale"]["entities"] == 0
    assert (status["failed"], status["failures"]) == (0, [])
    assert status["server"] == {"managed": False, "uri": drift.variables["NEO4J_URI"], "database": "neo4j"}
    assert status["models"] == {
        "index": "extractive",
        "search": "extractive",
        "embedding": "minilm:all-MiniLM-L6-v2",
    }
    assert status["settings"]["NEO4J_PASSWORD"] == {"value": "set", "origin": "environment"}
    assert status["settings"]["DRIFT_MODEL"] == {"value": "gpt-5-mini", "origin": "default"}
    assert {"index", "drift_search"} == {run["job"] for run in status["runs"]}
    assert asked["search_id"] in [search["search_id"] for search in status["searches"]]
    assert drift.variables["NEO4J_PASSWORD"] not in json.dumps(status)


def test_status_for_people_says_the_same(drift: Drift, asked: Any) -> None:
    page = drift.run("status").stdout
    assert f"Index of {drift.folder / 'corpus'}\n  holds: 2 documents, " in page
    assert "stale: 1 chunk; `drift index` works on it" in page
    assert QUESTION in page


def test_runs_stand_in_the_history_of_their_job(drift: Drift, indexed: Any, asked: Any) -> None:
    label = {".dagster/repository": "__repository__@drift_assets"}
    with open_instance(drift.settings) as instance:
        for job, told in (("index", indexed), ("drift_search", asked)):
            runs = instance.get_runs(RunsFilter(job_name=job, tags=label))
            assert told["run_id"] in [run.run_id for run in runs if run.is_success]


def test_dev_launches_a_search_and_re_executes_one_of_the_command_line(drift: Drift, asked: Any) -> None:
    dev = drift.start("dev", "--port", "0")
    assert dev.stdout is not None
    before = len(drift.json("status")["searches"])
    address = re.match(r"Dagster answers at (http://127.0.0.1:\d+) ", dev.stdout.readline())
    assert address is not None
    web = Webserver(address.group(1), "drift_assets")
    assert web.refusal("drift_search", question=QUESTION, depth=99).endswith(": depth is 99: give at most 5")
    launched = web.launch("drift_search", question=QUESTION, depth=0)
    again = web.re_execute(asked["run_id"])
    assert web.wait_for_end(launched) == "SUCCESS"
    assert web.wait_for_end(again["runId"]) == "SUCCESS"
    assert {launched, asked["run_id"], again["runId"]} <= set(web.runs_on_page_of("drift_search"))

    dev.send_signal(signal.SIGTERM)
    _, errors = dev.communicate(timeout=60)
    assert (dev.returncode, errors) == (
        0,
        "starting Dagster …\nstopping Dagster and what it runs …\nstopped\n",
    )
    questions = [search["question"] for search in drift.json("status")["searches"]]
    assert questions[: len(questions) - before] == [QUESTION] * 2


def test_reset_shows_before_it_removes(drift: Drift, asked: Any) -> None:
    shown = drift.run("reset").stdout
    assert "Document: 2 nodes" in shown
    assert "Nothing was removed." in shown

    assert "Removed from" in drift.run("reset", "--yes").stdout
    assert "There is no index" in drift.run("reset").stdout
    assert (drift.folder / "corpus" / "bridge.md").exists()
