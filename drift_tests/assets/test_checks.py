"""Every check of the catalogue passes on a sound index and fails on a spoilt one, naming the first offender."""

from __future__ import annotations

from typing import Any

import dagster as dg
import pytest

from drift_assets.assets.checks import CHECKS, TOLERATED_ABSENT, WELL_FORMED, absent_names
from drift_assets.graph.address import Address
from drift_assets.graph.checks import SHOWN, MentionedName
from drift_assets.resources import DriftResource
from drift_tests.database import empty, query
from drift_tests.graph.writing import on, write_whole

BY_NAME = {key.name: check for check in CHECKS for key in check.check_keys if key.name != WELL_FORMED.name}
WATCHED = {
    "names_in_chunks",
    "chunks_with_entities",
    "entities_connected",
    "names_distinct",
    "leaves_small",
    "nothing_stale",
}
FAILED = "MATCH (c:__Chunk__ {text: 'Nothing'}) SET c.failure = 'refused'"

# How to spoil the sound index for each check, how to mend it, and whom the check must name.
SPOILT = {
    "documents_not_empty": ("CREATE (:__Document__ {id: 'x'})", "MATCH (d {id: 'x'}) DELETE d", "x"),
    "no_orphan_chunks": ("CREATE (:__Chunk__ {id: 'x', embedding: [0.6, 0.8]})", "MATCH (c {id: 'x'}) DELETE c", "x"),
    "relationships_whole": (
        "MATCH ()-[r:RELATIONSHIP]->() SET r.kept = r.chunk_id, r.chunk_id = 'gone'",
        "MATCH ()-[r:RELATIONSHIP]->() SET r.chunk_id = r.kept REMOVE r.kept",
        "ANN – BOB",
    ),
    "names_in_chunks": (
        "MATCH (:__Chunk__ {text: 'Tom and Ann'})-[m:MENTIONS]->({name: 'TOM'}) SET m.spelling = 'Timothy'",
        "MATCH (:__Chunk__ {text: 'Tom and Ann'})-[m:MENTIONS]->({name: 'TOM'}) SET m.spelling = 'Tom'",
        "Timothy (chunk b/Tom and Ann/1)",
    ),
    "entities_mentioned": (
        "CREATE (:__Entity__ {name: 'X', embedding: [0.6, 0.8], embedded: 'm'})",
        "MATCH (e {name: 'X'}) DELETE e",
        "X",
    ),
    "names_distinct": (
        'CREATE (:__Entity__ {name: "T.O\'M"})',
        'MATCH (e {name: "T.O\'M"}) DELETE e',
        "TOM",
    ),
    "relationships_summarised": (
        "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() SET p.kept = p.summary REMOVE p.summary",
        "MATCH ()-[p:SUMMARIZED_RELATIONSHIP]->() SET p.summary = p.kept REMOVE p.kept",
        "ANN – BOB",
    ),
    "levels_whole": ("MATCH (m {id: 'tom'}) SET m.level = 1", "MATCH (m {id: 'tom'}) SET m.level = 0", "tom"),
    "leaves_small": (
        "MATCH (m {id: 'pair'}) SET m.kept = m.size, m.size = 99",
        "MATCH (m {id: 'pair'}) SET m.size = m.kept REMOVE m.kept",
        "pair: 99 entities on level 0",
    ),
    "vectors_of_one_model": (
        "MATCH (e {name: 'BOB'}) SET e.embedded = 'another'",
        "MATCH (e {name: 'BOB'}) SET e.embedded = 'm'",
        "BOB",
    ),
    "chunks_with_entities": (
        "MATCH (c {text: 'Tom and Ann'})-[m:MENTIONS]->(e) CREATE (c)-[k:KEPT]->(e) SET k = properties(m) DELETE m",
        "MATCH (c {text: 'Tom and Ann'})-[k:KEPT]->(e) CREATE (c)-[m:MENTIONS]->(e) SET m = properties(k) DELETE k",
        "a/Nothing/1",
    ),
    "entities_connected": (
        "MATCH (a)-[p:SUMMARIZED_RELATIONSHIP]->(b) CREATE (a)-[k:KEPT]->(b) SET k = properties(p) DELETE p",
        "MATCH (a)-[k:KEPT]->(b) CREATE (a)-[p:SUMMARIZED_RELATIONSHIP]->(b) SET p = properties(k) DELETE k",
        "ANN",
    ),
    "entities_summarised": (
        "MATCH (e {name: 'BOB'}) SET e.kept = e.summary REMOVE e.summary",
        "MATCH (e {name: 'BOB'}) SET e.summary = e.kept REMOVE e.kept",
        "BOB",
    ),
    "one_leaf_community": (
        "MATCH (e {name: 'BOB'}), (m {id: 'tom'}) CREATE (e)-[:IN_COMMUNITY]->(m)",
        "MATCH ({name: 'BOB'})-[i:IN_COMMUNITY]->({id: 'tom'}) DELETE i",
        "BOB",
    ),
    "communities_reported": (
        "MATCH (m {id: 'pair'}) SET m.kept = m.title REMOVE m.title",
        "MATCH (m {id: 'pair'}) SET m.title = m.kept REMOVE m.kept",
        "pair",
    ),
    "vectors_in_place": (
        "MATCH (m {id: 'tom'}) SET m.embedding = [1.0, 0.0]",
        "MATCH (m {id: 'tom'}) REMOVE m.embedding",
        "tom",
    ),
    "indexes_online": (
        "MATCH (i:__Index__) SET i.vectors = '_2'",
        "MATCH (i:__Index__) SET i.vectors = ''",
        "chunk_2",
    ),
    "no_failed_items": (
        FAILED,
        "MATCH (c:__Chunk__) REMOVE c.failure",
        "entities: a/Nothing/1: refused",
    ),
}


@pytest.fixture(scope="module")
def sound(neo4j_server: Address) -> Address:
    """A sound index; each test mends what it spoils."""
    empty(neo4j_server)
    on(neo4j_server, write_whole)
    return neo4j_server


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, neo4j_server: Address) -> None:
    monkeypatch.setenv("NEO4J_URI", neo4j_server.uri)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.password)


def evaluate(name: str) -> dg.AssetCheckResult:
    with dg.DagsterInstance.ephemeral() as instance:
        return result_of(BY_NAME[name], name, instance)


def result_of(check: Any, name: str, instance: dg.DagsterInstance) -> dg.AssetCheckResult:
    context = dg.build_asset_check_context(instance=instance)
    [result] = [one for one in check(context, drift=DriftResource()) if one.check_name == name]
    assert isinstance(result, dg.AssetCheckResult)
    return result


def test_every_check_has_its_way_to_fail() -> None:
    assert BY_NAME.keys() == SPOILT.keys() | {"nothing_stale"}


@pytest.mark.parametrize("name", SPOILT)
def test_a_check_passes_on_a_sound_index_and_names_the_first_offender_of_a_spoilt_one(
    sound: Address, name: str
) -> None:
    spoil, mend, offender = SPOILT[name]
    before = evaluate(name)
    query(sound, spoil)
    try:
        after = evaluate(name)
    finally:
        query(sound, mend)
    assert before.passed
    if name not in WATCHED:
        assert before.metadata["offenders"].value == 0
        assert "first" not in before.metadata
    assert not after.passed
    assert after.metadata["offenders"].value >= 1
    assert 0 < after.metadata["share"].value <= 1
    shown = after.metadata["first"].value.replace("\\", "")
    assert offender in shown
    assert after.severity == (dg.AssetCheckSeverity.WARN if name in WATCHED else dg.AssetCheckSeverity.ERROR)


@pytest.mark.parametrize("stage", ["entities", "summaries", "reports"])
def test_answers_that_had_to_be_mended_are_a_warning_that_names_the_first(sound: Address, stage: str) -> None:
    asset = dg.AssetKey(["drift", stage])
    [check] = [check for check in CHECKS if dg.AssetCheckKey(asset, WELL_FORMED.name) in check.check_keys]

    def report(**said: Any) -> dg.AssetCheckResult:
        instance.report_runless_asset_event(dg.AssetMaterialization(asset, metadata=said))
        return result_of(check, WELL_FORMED.name, instance)

    with dg.DagsterInstance.ephemeral() as instance:
        assert result_of(check, WELL_FORMED.name, instance).passed
        assert report(language_calls=100, repaired=3, asked_again=1, unparsed=1).passed
        named = dg.MetadataValue.json(["extract of Ada: repaired"])
        failed = report(language_calls=100, repaired=3, asked_again=2, unparsed=1, flawed_answers=named)
        # A run that asked nothing says nothing of the answers that the index was made from.
        later = report(language_calls=0, repaired=0, asked_again=0, unparsed=0)
        by_rules = report(language_calls=20, repaired=0, asked_again=0, unparsed=0)

    for result in (failed, later):
        assert not result.passed
        assert result.severity == dg.AssetCheckSeverity.WARN
        assert result.metadata["share"].value == 0.06
        assert "extract of Ada: repaired" in result.metadata["first"].value
    assert by_rules.passed


def test_an_index_by_other_versions_than_todays_is_stale_and_says_where(sound: Address) -> None:
    result = evaluate("nothing_stale")
    assert not result.passed
    assert result.severity == dg.AssetCheckSeverity.WARN
    assert "entities: 3 stale" in str(result.description)
    assert 0 < result.metadata["share"].value <= 1


def test_only_the_check_for_failed_items_blocks() -> None:
    blocking = {spec.name for check in CHECKS for spec in check.check_specs if spec.blocking}
    assert blocking == {"no_failed_items"}


def test_an_index_that_was_never_embedded_has_no_vectors_in_place(sound: Address) -> None:
    query(sound, "MATCH (i:__Index__) SET i.kept = i.dimensions REMOVE i.dimensions")
    try:
        result = evaluate("vectors_in_place")
    finally:
        query(sound, "MATCH (i:__Index__) SET i.dimensions = i.kept REMOVE i.kept")
    assert not result.passed
    assert result.description == "the index has no embedding model yet"


def mention(spelling: str, text: str) -> MentionedName:
    return MentionedName("c", spelling, text)


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("Fog Organ", "the fog\norgan of Port Merrin"),
        ("Fog Organ", "The FOG  ORGAN."),
        ("Merrin-Lund", "the Merrin-\nLund bridge"),
        ("Café", "the Cafe\u0301"),
        ("Straße", "the STRASSE"),
    ],
)
def test_a_name_occurs_whatever_its_case_and_line_breaks(spelling: str, text: str) -> None:
    assert absent_names([mention(spelling, text)]).count == 0


def test_names_that_do_not_occur_are_counted_and_the_first_are_shown() -> None:
    found = absent_names([mention(f"Name {n}", "Nobody.") for n in range(20)] + [mention("Ann", "Ann.")] * 20)
    assert (found.count, found.looked_at, len(found.first)) == (20, 40, SHOWN)
    assert found.first[0] == "Name 0 (chunk c)"


def test_a_few_absent_names_are_tolerated() -> None:
    assert 0 < TOLERATED_ABSENT < 0.1
