"""The names of properties and relationships are known to the server before the first of them is written."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

import pytest

from drift_assets.graph import names
from drift_assets.graph.address import Address
from drift_assets.settings import load_settings
from drift_tests.assets.bench import CORPUS, Bench
from drift_tests.database import driver, query
from drift_tests.graph.writing import on
from drift_tests.openai_server import openai_server
from drift_tests.scripted import ScriptedLanguageModel
from drift_tests.search.archive import INDEX, STAGES, begin, embedder, follow_ups, work


def used(address: Address) -> dict[str, set[str]]:
    """Names in use, by what they name."""
    rows = query(address, "MATCH (n) UNWIND keys(n) AS name RETURN DISTINCT name")
    ties = query(address, "MATCH ()-[r]->() RETURN DISTINCT type(r) AS type, keys(r) AS names")
    return {
        "properties": {row["name"] for row in rows} | {name for row in ties for name in row["names"]},
        "relationships": {row["type"] for row in ties},
    }


def unknown(address: Address) -> set[str]:
    found = used(address)
    return found["properties"] - set(names.PROPERTIES.split()) | found["relationships"] - set(
        names.RELATIONSHIPS.split()
    )


def test_those_of_an_index_are_listed(clean_address: Address, tmp_path: Path) -> None:
    with openai_server() as service:
        bench = Bench(clean_address, service, tmp_path)
        bench.write(CORPUS)
        bench.index()
    assert unknown(clean_address) == set(), "add them to drift_assets/graph/names.py"


def test_those_of_a_search_are_listed(clean_address: Address) -> None:
    async def search() -> None:
        search_id = await begin(clean_address, {})
        model = ScriptedLanguageModel(follow_ups)
        await work(clean_address, search_id, tuple(STAGES), model, embedder(), load_settings())

    INDEX.write(clean_address)
    asyncio.run(search())
    assert unknown(clean_address) == set(), "add them to drift_assets/graph/names.py"


def test_the_server_is_told_them(clean_address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = uuid.uuid4().hex
    monkeypatch.setattr(names, "PROPERTIES", f"property_{fresh}")
    monkeypatch.setattr(names, "RELATIONSHIPS", f"TYPE_{fresh}")

    def unheard_of() -> list[str]:
        with driver(clean_address) as opened:
            told = opened.execute_query(f"EXPLAIN MATCH ()-[r:TYPE_{fresh}]->() RETURN r.property_{fresh} AS it")
        return sorted(one.gql_status for one in told.summary.gql_status_objects if one.raw_classification)

    assert unheard_of() == ["01N51", "01N52"]
    on(clean_address, names.make_known)
    assert unheard_of() == []
