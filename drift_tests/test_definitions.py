"""The code location: what it holds, what loading it takes, how it joins others."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from typing import Any

import dagster as dg
import pytest

from drift_assets.assets.versions import STAGES
from drift_assets.definitions import defs
from drift_assets.settings import load_settings

INDEX = ["chunks", "entities", "summaries", "communities", "reports", "embeddings"]
CHECKS = {
    "answers": {"search_quality"},
    "chunks": {"documents_not_empty", "no_orphan_chunks"},
    "entities": {
        "relationships_whole",
        "entities_mentioned",
        "names_in_chunks",
        "chunks_with_entities",
        "entities_connected",
        "names_distinct",
        "answers_well_formed",
    },
    "summaries": {"entities_summarised", "relationships_summarised", "answers_well_formed"},
    "communities": {"one_leaf_community", "levels_whole", "leaves_small"},
    "reports": {"communities_reported", "answers_well_formed"},
    "embeddings": {"vectors_in_place", "vectors_of_one_model", "indexes_online", "nothing_stale", "no_failed_items"},
}
HEAVY = {"spacy", "jpype", "pandas", "openai", "numpy", "onnxruntime", "neo4j", "tokenizers", "graspologic_native"}
LOADING = """
import json, sys
from drift_assets.definitions import defs
print(json.dumps({"modules": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


def key(name: str) -> dg.AssetKey:
    return dg.AssetKey(["drift", name])


def loaded(environment: dict[str, str], code: str = LOADING) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


def test_the_assets_follow_each_other_in_the_order_of_the_data() -> None:
    graph = defs.resolve_asset_graph()
    above = {node.key: {parent for parent in node.parent_keys} for node in graph.asset_nodes}
    assert above == {
        key("chunks"): set(),
        **{key(later): {key(earlier)} for earlier, later in pairwise(INDEX)},
        key("answers"): {key("embeddings")},
    }


def test_every_stage_says_what_state_exists_afterwards() -> None:
    for spec in defs.resolve_all_asset_specs():
        if spec.key.path[-1] in INDEX:
            assert spec.group_name == "drift_index"
            assert "neo4j" in spec.kinds
            assert spec.description
            assert spec.description.endswith(".")


def test_the_code_versions_are_those_of_the_stages() -> None:
    versions = {spec.key.path[-1]: spec.code_version for spec in defs.resolve_all_asset_specs()}
    assert {name: versions[name] for name in INDEX} == {name: STAGES[name](load_settings()) for name in INDEX}


def test_each_asset_has_its_checks() -> None:
    found: dict[str, set[str]] = {}
    for check in defs.resolve_asset_graph().asset_check_keys:
        found.setdefault(check.asset_key.path[-1], set()).add(check.name)
    assert found == CHECKS


def test_the_jobs_run_in_process() -> None:
    repository = defs.get_repository_def()
    jobs = {job.name: job for job in repository.get_all_jobs() if not job.name.startswith("__")}
    assert jobs.keys() == {"index", "drift_search"}
    assert all(job.executor_def.name == "in_process" for job in jobs.values())


def test_the_index_job_does_all_stages_with_all_checks() -> None:
    job = defs.resolve_job_def("index")
    assert job.asset_layer.selected_asset_keys == {key(name) for name in INDEX}
    assert {node.name for node in job.nodes} == {f"drift__{name}{kind}" for name in INDEX for kind in ("", "_checks")}
    checks = {(key.asset_key.path[-1], key.name) for key in job.asset_layer.asset_graph.asset_check_keys}
    assert {(asset, name) for asset in INDEX for name in CHECKS[asset]} <= checks


def test_schedule_and_sensor_are_stopped() -> None:
    repository = defs.get_repository_def()
    assert [(s.name, s.default_status) for s in repository.schedule_defs] == [
        ("nightly_index", dg.DefaultScheduleStatus.STOPPED)
    ]
    assert [(s.name, s.default_status) for s in repository.sensor_defs] == [
        ("corpus_changed", dg.DefaultSensorStatus.STOPPED),
        ("index_failed", dg.DefaultSensorStatus.STOPPED),
    ]


def test_loading_needs_no_environment_and_no_heavy_module() -> None:
    done = loaded({})
    assert done.returncode == 0, done.stderr
    modules = set(json.loads(done.stdout)["modules"])
    assert "dagster" in modules
    assert modules & HEAVY == set()


def test_an_invalid_setting_is_named_when_the_definitions_load() -> None:
    done = loaded({"DRIFT_CONCURRENCY": "many"})
    assert done.returncode != 0
    assert "DRIFT_CONCURRENCY is 'many'" in done.stderr


@pytest.fixture
def theirs() -> dg.Definitions:
    @dg.asset(key=["sales", "orders"])
    def orders() -> None: ...

    @dg.asset(deps=[dg.AssetKey(["drift", "embeddings"])], key=["sales", "answers"])
    def answers() -> None: ...

    class Theirs(dg.ConfigurableResource[Any]):
        name: str = "theirs"

    return dg.Definitions(
        assets=[orders, answers], jobs=[dg.define_asset_job("sales")], resources={"warehouse": Theirs()}
    )


def test_the_definitions_join_those_of_another_project(theirs: dg.Definitions) -> None:
    merged = dg.Definitions.merge(defs, theirs)
    keys = {spec.key.to_user_string() for spec in merged.resolve_all_asset_specs()}
    assert {"sales/orders", "sales/answers", "drift/answers", "drift/chunks"} <= keys
    dg.Definitions.validate_loadable(merged)
    assert merged.resolve_job_def("index").asset_layer.selected_asset_keys == {key(name) for name in INDEX}
