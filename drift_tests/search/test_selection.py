"""Which documents a search reads, and that it reads no others."""

from __future__ import annotations

import asyncio

import pytest

from drift_assets.errors import SettingsError
from drift_assets.graph.address import Address
from drift_assets.graph.connection import open_graph
from drift_assets.search.config import SearchConfig
from drift_assets.search.options import SearchOptions
from drift_assets.search.selection import checked_where, lies_within, says, selected
from drift_tests.database import query
from drift_tests.search.archive import search


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("letters", True),
        ("./letters/", True),
        ("letters/1881", True),
        ("letters/1881/a.txt", True),
        (".", True),
        ("*.txt", True),
        ("letters/*/a.*", True),
        ("letter", False),
        ("a.txt", False),
        ("Letters", False),
        ("*.md", False),
    ],
)
def test_a_document_lies_in_its_folders_and_patterns(place: str, found: bool) -> None:
    assert lies_within("letters/1881/a.txt", place) is found


def test_the_rows_of_a_table_lie_in_it() -> None:
    assert lies_within("data/books.csv#7", "data/books.csv")
    assert not lies_within("data/books.csv2#7", "data/books.csv")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("author=lewis  carroll", True),
        ("Author = Lewis Carroll", True),
        ("author=Carroll", False),
        ("tags=novel", True),
        ("tags=poem", False),
        ("year=1865", True),
        ("draft=false", True),
        ("missing=", False),
    ],
)
def test_metadata_say_what_they_hold(line: str, found: bool) -> None:
    metadata = {"author": "Lewis Carroll", "tags": ["Novel", "children"], "year": 1865, "draft": False}
    assert says(metadata, line) is found


@pytest.mark.parametrize("line", ["author", "=Carroll", ""])
def test_what_names_no_metadata_is_refused(line: str) -> None:
    with pytest.raises(SettingsError, match="key=value"):
        checked_where([line])
    with pytest.raises(ValueError, match="key=value"):
        SearchConfig(question="Who?", where=[line])


def test_options_come_back_from_a_stored_search_as_they_were() -> None:
    options = SearchConfig(question="Who?", within="letters", where=["a=b", "c=d"]).options()
    assert options.where == ("a=b", "c=d")
    assert SearchOptions.from_json(options.to_json()) == options


def test_a_search_reads_nothing_but_the_documents_of_its_selection(archive: Address) -> None:
    everywhere = {piece.document for piece in search(archive, depth=1).evidence}
    assert everywhere > {"boat.txt"}
    for method, hybrid in (("drift", True), ("global", False)):
        result = search(archive, depth=1, method=method, hybrid=hybrid, within="boat.txt")
        assert {piece.document for piece in result.evidence} == {"boat.txt"}, (method, hybrid)


def test_a_selection_without_documents_is_told_with_the_metadata_that_there_are(archive: Address) -> None:
    query(archive, "MATCH (d:__Document__ {id: 'log.txt'}) SET d.metadata = $metadata", metadata='{"author": "Reeve"}')

    async def chosen(within: str | None, where: tuple[str, ...]) -> tuple[str, ...] | None:
        async with open_graph(archive) as graph:
            return await selected(graph, within, where)

    assert asyncio.run(chosen(None, ())) is None
    assert asyncio.run(chosen("*.txt", ("author=reeve",))) == ("log.txt",)
    assert asyncio.run(chosen(None, ("title=Title of log.txt",))) == ("log.txt",)
    with pytest.raises(SettingsError, match=r"no document of the index is in 'letters' and 'author=Ada'.*have author"):
        asyncio.run(chosen("letters", ("author=Ada",)))
