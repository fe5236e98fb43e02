"""What a run did and what the index holds, as the command line tells it."""

from __future__ import annotations

from drift_assets.assets.summary import index_holdings, index_status, spent, stale_items
from drift_assets.graph.holdings import Holdings
from drift_tests.assets.bench import CORPUS, Bench
from drift_tests.graph.writing import on


def test_what_the_stages_spent_is_added_up() -> None:
    entities = {"language_calls": 3, "embedding_calls": 0, "input_tokens": 9, "output_tokens": 4, "cost_usd": 0.5}
    embeddings = {"language_calls": 0, "embedding_calls": 2, "embedding_tokens": 7, "cost_usd": 0.25}
    assert spent({"drift/entities": entities, "drift/embeddings": embeddings}) == {
        "calls": {"language": 3, "embedding": 2},
        "tokens": {"input": 9, "output": 4, "embedding": 7},
        "cost_usd": 0.75,
    }


def test_a_cost_that_is_unknown_in_one_stage_is_unknown() -> None:
    assert spent({"a": {"cost_usd": 0.5}, "b": {}})["cost_usd"] is None
    assert spent({})["cost_usd"] == 0


def test_an_index_that_is_up_to_date_has_nothing_stale(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index()
    held, failed = bench.on_stage(lambda stage: index_holdings(stage.graph))
    assert (held.documents, held.chunks, held.entities, failed) == (3, 3, 7, 0)
    stale = bench.on_stage(lambda stage: stale_items(stage.graph, stage.settings))
    assert stale == dict.fromkeys(("chunks", "entities", "summaries", "communities", "reports", "embeddings"), 0)


def test_what_a_run_that_stopped_after_the_chunks_left_behind_is_stale(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index()
    bench.write({"harbour.txt": None})
    bench.index(until="chunks")
    stale = bench.on_stage(lambda stage: stale_items(stage.graph, stage.settings))
    assert (stale["chunks"], stale["entities"]) == (0, 3), "two are gone with their only text, one lost a mention"
    bench.index()
    assert bench.on_stage(lambda stage: stale_items(stage.graph, stage.settings))["entities"] == 0


def test_what_a_change_makes_stale_is_counted_by_stage(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.index()
    bench.write({"ferry.txt": None, "museum.txt": "Changed.", "new.txt": "New."})

    def stale(**overrides: object) -> dict[str, int | None]:
        return bench.on_stage(lambda stage: stale_items(stage.graph, stage.settings), **overrides)

    assert stale()["chunks"] == 3, "one gone, one changed, one new"
    assert stale(types=("SHIP",))["entities"] == 3
    assert stale(max_community_size=2)["communities"] == 1
    other = stale(embedding_model="other")
    assert other["embeddings"] == sum(bench.values("MATCH (n) WHERE n.embedded IS NOT NULL RETURN 1"))
    assert other["reports"] == 0


def test_the_status_tells_corpus_models_and_failures(bench: Bench) -> None:
    bench.write(CORPUS)
    bench.service.fail(1, "refusal", on="extract")
    bench.index(concurrency=1)
    status = bench.on_stage(lambda stage: index_status(stage.graph, stage.settings))
    assert status["corpus"] == str(bench.folder)
    assert (status["embedding_model"], status["dimensions"]) == ("openai:text-embedding-3-small", 16)
    assert status["index"]["documents"] == 3
    assert (status["failed"], [item["stage"] for item in status["failures"]]) == (1, ["entities"])
    assert status["stale"]["entities"] == 0


def test_without_an_index_there_is_nothing_to_tell(bench: Bench) -> None:
    async def unprepared(graph):  # type: ignore[no-untyped-def]
        await graph.write("MATCH (i:__Index__) DELETE i")
        return await index_status(graph, bench.settings()), await index_holdings(graph)

    status, (held, failed) = on(bench.address, unprepared)
    assert status == {"index": None}
    assert (held, failed) == (Holdings(0, 0, 0, 0, 0, 0, 0), 0)


def test_a_corpus_folder_that_is_away_leaves_its_state_unknown(bench: Bench) -> None:
    bench.write({"a.txt": "Text."})
    bench.index(until="chunks")
    bench.folder.rename(bench.folder.with_name("away"))
    assert bench.on_stage(lambda stage: stale_items(stage.graph, stage.settings))["chunks"] is None
