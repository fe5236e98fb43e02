"""The communities stage: the same graph, the same communities; a change, only what it changes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from drift_assets.assets.communities import communities_of, keep_or_renew
from drift_assets.assets.report import StageReport
from drift_assets.graph.communities import Placed, WeightedGraph
from drift_assets.settings import load_settings
from drift_tests.assets.bench import ALONE, CORPUS, ROW, Bench

MEMBERS = "MATCH (e:__Entity__)-[:IN_COMMUNITY]->(m) RETURN e.name, m.id, m.level ORDER BY e.name"


def index(bench: Bench, **overrides: Any) -> StageReport:
    """The stages up to communities; the report of the latter."""
    return bench.index(until="communities", **overrides)["communities"]


def test_every_entity_is_in_one_leaf(bench: Bench) -> None:
    bench.write({"row.txt": ROW, "alone.txt": ALONE})
    report = index(bench, max_community_size=3)
    members = bench.values(MEMBERS)
    assert [name for name, _, _ in members] == bench.values("MATCH (e:__Entity__) RETURN e.name ORDER BY e.name")
    leaves = (
        "MATCH (:__Entity__)-[:IN_COMMUNITY]->(m) WHERE EXISTS { (m)<-[:IN_COMMUNITY]-(:__Community__) } RETURN m.id"
    )
    assert bench.values(leaves) == []
    assert report.new == report.facts["communities"] + len(
        bench.values("MATCH (m:__Community__ {size: 1}) RETURN m.id")
    )
    assert bench.notes.stages["communities"] == [1, 1, 0]
    assert (report.picture or "").startswith("![entities, relationships and communities](data:image/svg+xml;base64,")


def test_other_settings_cluster_anew(bench: Bench) -> None:
    bench.write({"row.txt": ROW})
    levels = "MATCH (m:__Community__) RETURN m.level, m.size ORDER BY m.level, m.size"
    index(bench, max_community_size=100)
    assert bench.values(levels) == [(0, 2), (0, 3), (0, 4)]
    report = index(bench, max_community_size=3)
    assert bench.values(levels) == [(0, 2), (0, 3), (0, 4), (1, 2), (1, 2)]
    assert (report.new, report.reused, report.deleted) == (2, 3, 0)
    assert report.sample == [
        {"level": 0, "communities": 3, "largest": 4},
        {"level": 1, "communities": 2, "largest": 2},
    ]


def test_a_moved_file_keeps_every_community(bench: Bench) -> None:
    bench.write(CORPUS)
    first = index(bench)
    members = bench.values(MEMBERS)
    bench.write({"ferry.txt": None, "boats/ferry.txt": CORPUS["ferry.txt"]})
    report = index(bench)
    assert bench.values(MEMBERS) == members
    assert (report.new, report.reused, report.deleted) == (0, first.new, 0)


def test_without_a_relationship_each_entity_is_a_community_of_one(bench: Bench) -> None:
    bench.write({"a.txt": ALONE, "b.txt": "where is Ada Quill?"})
    report = index(bench)
    assert [(name, level) for name, _, level in bench.values(MEMBERS)] == [("ADA QUILL", 0), ("WREN", 0)]
    assert (report.new, report.facts["communities"], report.sample) == (2, 0, [])


def test_without_an_entity_there_is_no_community_and_no_error(bench: Bench) -> None:
    bench.write({"a.txt": "nothing with a name is told here."})
    assert index(bench).new == 0


RING = "Jon met Kay. Kay met Lew. Lew met Jon."


def test_by_default_a_new_document_changes_only_the_communities_around_it(bench: Bench) -> None:
    bench.write({"row.txt": ROW, "ring.txt": RING})
    first = index(bench)
    assert (first.facts["clustering"], first.facts["clustered"]) == ("stable", "afresh")
    before = bench.values("MATCH (m:__Community__) RETURN m.id")
    bench.write({"new.txt": "Lew met Mia."})
    report = index(bench)
    assert report.facts["clustered"] == "around what was touched"
    changed = "MATCH (e)-[:IN_COMMUNITY*1..]->(m) WHERE NOT m.id IN $ids RETURN DISTINCT e.name ORDER BY e.name"
    assert bench.values(changed, ids=before) == ["JON", "KAY", "LEW", "MIA"]
    assert bench.values("MATCH (i:__Index__) RETURN i.clustering_setting") == ["stable"]


def test_exact_clusters_afresh_and_the_index_says_so(bench: Bench) -> None:
    bench.write({"row.txt": ROW, "ring.txt": RING})
    index(bench, clustering="exact")
    bench.write({"new.txt": "Lew met Mia."})
    report = index(bench, clustering="exact")
    assert (report.facts["clustering"], report.facts["clustered"]) == ("exact", "afresh")
    assert bench.values("MATCH (i:__Index__) RETURN i.clustering_setting") == ["exact"]


def test_descriptions_alone_leave_the_clustering_as_it_is(bench: Bench) -> None:
    bench.write({"row.txt": ROW})
    index(bench)
    bench.write({"more.txt": "it is said that Ann sings."})
    report = index(bench)
    assert (report.new, report.deleted) == (0, 0)
    assert "clustered" not in report.facts


def test_what_has_drifted_too_far_is_clustered_afresh() -> None:
    names = [f"N{n:02}" for n in range(12)]
    edges = [(a, b, 1.0) for group in (names[:6], names[6:]) for a, b in combinations(group, 2)]
    weighted, settings = WeightedGraph(names, edges), load_settings()
    fresh = communities_of(weighted, settings)
    ids = {name: "odd" if n % 2 else "even" for n, name in enumerate(names)}
    drifted = Placed("v1", {name: (id_,) for name, id_ in ids.items()}, set())
    near = Placed("v1", {name: (found.id,) for found in fresh for name in found.members}, set())
    assert keep_or_renew(weighted, fresh, drifted, "v1", settings) == fresh
    assert keep_or_renew(weighted, fresh, near, "v1", settings) == fresh
    assert keep_or_renew(weighted, fresh, near, "v1", settings) is not fresh
    assert keep_or_renew(weighted, fresh, near, "v2", settings) is fresh
