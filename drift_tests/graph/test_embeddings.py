"""Vectors: which texts lack one, on which nodes they stand, and the indexes over them."""

from __future__ import annotations

import pytest

from drift_assets.errors import GraphError
from drift_assets.graph import embeddings, former
from drift_assets.graph.address import Address
from drift_assets.graph.connection import Graph
from drift_assets.graph.embeddings import KINDS, FailedVector, Kind, StaleVector, VectorRow
from drift_assets.graph.failures import Failure
from drift_assets.graph.schema import await_online, index_state
from drift_tests.database import query
from drift_tests.graph.writing import extraction, on, values, write_graph

VECTORS = (
    "MATCH (n) WHERE n.embedding IS NOT NULL "
    "RETURN coalesce(n.name, n.id), [x IN n.embedding | round(x, 1)], n.embedded"
)
INDEXES = (
    "SHOW VECTOR INDEXES YIELD name, labelsOrTypes, properties, state, options "
    "RETURN name, labelsOrTypes[0], properties[0], options.indexConfig['vector.dimensions'], state ORDER BY name"
)


async def people(graph: Graph) -> None:
    """Two entities, three chunks of two texts, and reports rated 2, 3 and 8 beside one of a single entity."""
    one = extraction("one", ["Ann", "Bob"])
    await write_graph(graph, {"a": [one, extraction("two")], "b": [one]})
    await graph.write("MATCH (e:__Entity__ {name: 'ANN'}) SET e.summary = 'A smith.'")
    await graph.write(
        "UNWIND [['low', 2, 2.0], ['edge', 2, 3.0], ['high', 2, 8.0], ['single', 1, 9.0]] AS row "
        "CREATE (:__Community__ {id: row[0], size: row[1], rating: row[2], title: 'T', summary: 'S'})"
    )
    await graph.write("CREATE (:__Community__ {id: 'unwritten', size: 2})")


async def stale(graph: Graph, model: str = "m", min_rating: float = 3.0) -> list[StaleVector]:
    found = []
    for kind in KINDS:
        found += await embeddings.stale_vectors(graph, kind, model=model, min_rating=min_rating, after="", limit=10)
    return found


async def write(
    graph: Graph, *vectors: tuple[Kind, str, list[float]], model: str = "m", suffix: embeddings.Suffix = ""
) -> int:
    return await embeddings.write_vectors(
        graph, [VectorRow(*vector) for vector in vectors], [], model=model, suffix=suffix
    )


def test_texts_without_a_vector_are_stale_each_once(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[list[StaleVector], int]:
        await people(graph)
        return await stale(graph), await embeddings.count_stale_vectors(graph, model="m", min_rating=3.0)

    found, count = on(clean_address, work)
    assert found == [
        StaleVector("entity", "ANN", "Ann: A smith."),
        StaleVector("entity", "BOB", "Bob: "),
        StaleVector("community", "high", "T: S"),
        StaleVector("chunk", "#one", "one"),
        StaleVector("chunk", "#two", "two"),
    ]
    assert count == len(found)


@pytest.mark.parametrize("kind", KINDS)
def test_stale_ones_come_in_pages_by_key(clean_address: Address, kind: Kind) -> None:
    async def work(graph: Graph) -> tuple[list[str], list[str]]:
        await people(graph)
        every = [item.key for item in await stale(graph, min_rating=-1.0) if item.kind == kind]
        paged: list[str] = []
        while page := await embeddings.stale_vectors(
            graph, kind, model="m", min_rating=-1.0, after=paged[-1] if paged else "", limit=1
        ):
            paged += [item.key for item in page]
        return every, paged

    every, paged = on(clean_address, work)
    assert len(every) > 1
    assert every == sorted(every) == paged


def test_a_vector_stands_on_the_node_it_is_of_and_on_every_chunk_with_its_text(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, list[StaleVector]]:
        await people(graph)
        written = await write(
            graph,
            ("entity", "BOB", [0.0, 1.0]),
            ("community", "high", [0.6, 0.8]),
            ("chunk", "#one", [1.0, 0.0]),
        )
        return written, await stale(graph)

    written, left = on(clean_address, work)
    assert written == 4
    assert sorted(values(clean_address, VECTORS)) == [
        ("BOB", [0.0, 1.0], "m"),
        ("a/one/1", [1.0, 0.0], "m"),
        ("b/one/1", [1.0, 0.0], "m"),
        ("high", [0.6, 0.8], "m"),
    ]
    assert [item.key for item in left] == ["ANN", "#two"]


def test_a_text_that_failed_for_good_is_stale_once_it_or_the_model_is_another(clean_address: Address) -> None:
    async def work(graph: Graph) -> list[list[str]]:
        await people(graph)

        async def names(model: str) -> list[str]:
            found = await embeddings.stale_vectors(graph, "entity", model=model, min_rating=0, after="", limit=9)
            return [item.key for item in found]

        [ann] = [
            item
            for item in await embeddings.stale_vectors(graph, "entity", model="m", min_rating=0, after="", limit=9)
            if item.key == "ANN"
        ]
        lost = [FailedVector(ann, Failure("odd", lasting=True))]
        await embeddings.write_vectors(graph, [], lost, model="m", suffix="")
        seen = [await names("m"), await names("other")]
        await graph.write("MATCH (e {name: 'ANN'}) SET e.summary = 'Another one.'")
        return [*seen, await names("m")]

    same, other_model, other_text = on(clean_address, work)
    assert "ANN" not in same
    assert "ANN" in other_model
    assert "ANN" in other_text


def test_a_failure_says_why_until_the_next_success(clean_address: Address) -> None:
    failed = "MATCH (n) WHERE n.embed_failure IS NOT NULL RETURN coalesce(n.name, n.id), n.embed_failure"

    async def work(graph: Graph) -> list[object]:
        await people(graph)
        failure = Failure("odd", lasting=False)
        lost = [
            FailedVector(StaleVector("entity", "ANN", ""), failure),
            FailedVector(StaleVector("community", "high", ""), failure),
            FailedVector(StaleVector("chunk", "#one", ""), failure),
        ]
        await embeddings.write_vectors(graph, [], lost, model="m", suffix="")
        seen = sorted(values(clean_address, failed))
        await write(graph, ("entity", "ANN", [0.0, 1.0]), ("chunk", "#one", [1.0, 0.0]))
        return seen

    assert on(clean_address, work) == [("ANN", "odd"), ("a/one/1", "odd"), ("b/one/1", "odd"), ("high", "odd")]
    assert values(clean_address, failed) == [("high", "odd")]


def test_failures_are_forgotten_where_nothing_is_to_be_embedded_any_more(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await people(graph)
        await write(graph, ("entity", "BOB", [0.0, 1.0]))
        await graph.write("MATCH (n) WHERE NOT n:__Index__ SET n.embed_failure = 'odd'")
        await embeddings.drop_old_failures(graph, model="m", min_rating=3.0)

    on(clean_address, work)
    assert sorted(
        values(
            clean_address,
            "MATCH (n:__Entity__|__Chunk__|__Community__) WHERE n.embed_failure IS NOT NULL "
            "RETURN coalesce(n.name, n.id)",
        )
    ) == ["ANN", "a/one/1", "a/two/1", "b/one/1", "high"]


def test_reports_rated_above_the_setting_are_embedded_and_all_where_none_is(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[float, float, list[str]]:
        await people(graph)
        high = await embeddings.rating_threshold(graph, min_rating=3.0)
        none = await embeddings.rating_threshold(graph, min_rating=8.0)
        return high, none, [item.key for item in await stale(graph, min_rating=none) if item.kind == "community"]

    assert on(clean_address, work) == (3.0, -1.0, ["edge", "high", "low"])


def test_a_report_that_is_not_to_be_embedded_loses_its_vector(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[int, list[str]]:
        await people(graph)
        await write(graph, *[("community", id_, [1.0, 0.0]) for id_ in ("low", "edge", "high", "single", "unwritten")])
        await write(graph, ("entity", "ANN", [1.0, 0.0]))
        dropped = await embeddings.drop_unrated_vectors(graph, min_rating=3.0, suffix="")
        return dropped, [item.key for item in await stale(graph, min_rating=-1.0)]

    dropped, left = on(clean_address, work)
    assert dropped == 4
    assert [row[0] for row in values(clean_address, VECTORS)] == ["ANN", "high"]
    assert {"low", "edge"} <= set(left), "they are embedded again when they are wanted again"


def test_the_three_indexes_are_over_the_vectors_of_their_suffix(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await embeddings.ensure_vector_indexes(graph, dimensions=3, suffix="_2")
        await await_online(graph)

    on(clean_address, work)
    assert values(clean_address, INDEXES) == [
        ("chunk_2", "__Chunk__", "embedding_2", 3, "ONLINE"),
        ("community_2", "__Community__", "embedding_2", 3, "ONLINE"),
        ("entity_2", "__Entity__", "embedding_2", 3, "ONLINE"),
    ]


def test_an_index_of_another_dimension_is_replaced(clean_address: Address) -> None:
    async def work(graph: Graph) -> None:
        await embeddings.ensure_vector_indexes(graph, dimensions=2, suffix="")
        await graph.write("DROP INDEX chunk")
        await embeddings.ensure_vector_indexes(graph, dimensions=3, suffix="")

    on(clean_address, work)
    assert [row[3] for row in values(clean_address, INDEXES)] == [3, 3, 3]


@pytest.mark.parametrize(
    "taken",
    [
        "CREATE VECTOR INDEX chunk FOR (n:Note) ON (n.embedding) OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE VECTOR INDEX theirs FOR (n:__Chunk__) ON (n.embedding) OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE INDEX chunk FOR (n:Note) ON (n.text)",
    ],
)
def test_an_index_of_others_in_the_way_is_left_and_told(clean_address: Address, taken: str) -> None:
    query(clean_address, taken)

    async def work(graph: Graph) -> None:
        with pytest.raises(GraphError, match=r"vector index chunk cannot be created.*SHOW INDEXES"):
            await embeddings.ensure_vector_indexes(graph, dimensions=2, suffix="")

    try:
        on(clean_address, work)
    finally:
        query(clean_address, "DROP INDEX " + taken.split(" FOR")[0].split()[-1])


def test_the_vectors_of_another_suffix_are_taken_into_use_and_the_old_ones_dropped(clean_address: Address) -> None:
    async def work(graph: Graph) -> tuple[dict[str, int], dict[str, int]]:
        await people(graph)
        await write(graph, ("entity", "ANN", [1.0, 0.0]), ("chunk", "#one", [1.0, 0.0]))
        await write(graph, ("entity", "ANN", [1.0, 0.0, 0.0]), ("chunk", "#two", [0.0, 0.0, 1.0]), suffix="_2")
        for suffix, dimensions in (("", 2), ("_2", 3)):
            await embeddings.ensure_vector_indexes(graph, dimensions=dimensions, suffix=suffix)
        await former.finish(graph, former.Switch(model="other", dimensions=3, suffix="_2"))
        await embeddings.drop_vectors(graph, suffix="")
        return await embeddings.count_vectors(graph, suffix=""), await embeddings.count_vectors(graph, suffix="_2")

    assert on(clean_address, work) == (
        {"entity": 0, "community": 0, "chunk": 0},
        {"entity": 1, "community": 0, "chunk": 1},
    )
    assert [row[0] for row in values(clean_address, INDEXES)] == ["chunk_2", "community_2", "entity_2"]
    state = on(clean_address, index_state)
    assert state is not None
    assert (state.embedding_model, state.dimensions, state.vectors) == ("other", 3, "_2")


@pytest.mark.parametrize("kind", KINDS)
def test_the_dimension_is_read_from_any_vector(clean_address: Address, kind: Kind) -> None:
    async def work(graph: Graph) -> tuple[int | None, int | None, int | None]:
        await people(graph)
        before = await embeddings.stored_dimensions(graph, suffix="")
        await write(graph, (kind, {"entity": "ANN", "community": "high", "chunk": "#one"}[kind], [0.6, 0.0, 0.8]))
        return (
            before,
            await embeddings.stored_dimensions(graph, suffix=""),
            await embeddings.stored_dimensions(graph, suffix="_2"),
        )

    assert on(clean_address, work) == (None, 3, None)
