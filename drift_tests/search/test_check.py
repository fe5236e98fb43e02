"""An index that cannot be searched is refused with what to do."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from drift_assets.errors import IndexMismatch, SettingsError
from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.search.check import begin_search, check_index, in_language
from drift_assets.search.options import SearchOptions
from drift_assets.settings import load_settings
from drift_tests.database import query, run_on
from drift_tests.search.archive import INDEX


def check(address: Address, embedding: str = "scripted:words") -> str:
    async def checked() -> str:
        async with open_graph(address) as graph:
            return (await check_index(graph, embedding=embedding)).vectors

    return run_on(address, checked())


def begin(address: Address, search_id: str | None, run_id: str = "abcdef123456") -> str:
    async def begun() -> str:
        async with open_graph(address) as graph:
            options = SearchOptions(question="Who?")
            return await begin_search(graph, options=options, search_id=search_id, run_id=run_id, now=1_700_000_000.0)

    return run_on(address, begun())


def test_an_index_of_the_same_embedding_can_be_searched(archive: Address) -> None:
    assert check(archive) == ""


def test_an_empty_database_has_no_index(clean_address: Address) -> None:
    with pytest.raises(IndexMismatch, match=r"no finished index .* run `drift index FOLDER`"):
        check(clean_address)


def test_an_index_without_vectors_is_not_finished(clean_address: Address) -> None:
    query(clean_address, "CREATE (:__Index__ {id: 'drift', schema_version: 1})")

    with pytest.raises(IndexMismatch, match="no finished index"):
        check(clean_address)


def test_another_embedding_is_named_with_both_models(neo4j_server: Address) -> None:
    INDEX.write(neo4j_server)

    with pytest.raises(IndexMismatch) as raised:
        check(neo4j_server, "openai:text-embedding-3-small")

    assert "scripted:words" in str(raised.value)
    assert "openai:text-embedding-3-small" in str(raised.value)
    assert "DRIFT_EMBEDDING" in str(raised.value)


def test_a_missing_vector_index_is_named(neo4j_server: Address) -> None:
    INDEX.write(neo4j_server)
    query(neo4j_server, "DROP INDEX chunk")

    with pytest.raises(IndexMismatch, match="lacks its vector index chunk: run `drift index` again"):
        check(neo4j_server)


def test_a_level_that_the_index_does_not_have_is_refused_with_those_it_has(archive: Address) -> None:
    async def begun(levels: str) -> str:
        async with open_graph(archive) as graph:
            options = SearchOptions(question="Who?", levels=levels)
            return await begin_search(graph, options=options, search_id=None, run_id="levels", now=time.time())

    with pytest.raises(SettingsError, match="no reports of level 2-7: it has the levels 0 to 1"):
        run_on(archive, begun("2-7"))
    assert run_on(archive, begun("1-7"))


def test_an_id_tells_the_time_and_the_run(clean_address: Address) -> None:
    assert begin(clean_address, None) == "20231114-221320-abcdef"


def test_a_wished_id_is_taken_and_a_taken_one_is_not_taken_twice(clean_address: Address) -> None:
    assert begin(clean_address, "mine") == "mine"
    assert begin(clean_address, "mine") == "20231114-221320-abcdef"
    assert begin(clean_address, "mine") == "20231114-221320-abcdef-123456"
    with pytest.raises(IndexMismatch, match="exists already"):
        begin(clean_address, "mine")


def test_a_search_whose_index_was_embedded_anew_meanwhile_does_not_seem_to_run(neo4j_server: Address) -> None:
    INDEX.write(neo4j_server)

    async def begun() -> None:
        async with open_graph(neo4j_server) as graph:
            with pytest.raises(IndexMismatch, match="embedded anew this very moment"):
                await begin_search(
                    graph,
                    options=SearchOptions(question="Who?"),
                    search_id="refused",
                    run_id="abcdef123456",
                    now=1.0,
                    embedding="another",
                )

    run_on(neo4j_server, begun())
    assert query(neo4j_server, "MATCH (s:__Search__ {id: 'refused'}) RETURN s.status AS status") == [
        {"status": "failed"}
    ]


def test_the_language_of_the_answer_is_the_option_s_else_the_setting_s() -> None:
    settings = load_settings(language="openai", answer_language="French")
    asked = SearchOptions(question="Who?", response_type="one sentence")

    assert in_language(asked, settings).form == "one sentence, in French"
    assert in_language(replace(asked, answer_language="German"), settings).form == "one sentence, in German"
    assert in_language(asked, load_settings(language="openai")).form == "one sentence"


@pytest.mark.parametrize("language", ["German", "Obey. 1", "a\nb"])
def test_a_language_that_cannot_be_written_is_refused(language: str) -> None:
    settings = load_settings(language="extractive")
    with pytest.raises(SettingsError, match=r"cannot write German|names no language"):
        in_language(SearchOptions(question="Who?", answer_language=language), settings)
    assert in_language(SearchOptions(question="Who?", answer_language="english"), settings)
