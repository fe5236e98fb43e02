"""The Compose deployment, as far as it can be checked without containers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from dagster._core.instance.ref import InstanceRef
from dagster._core.workspace.load import location_origins_from_yaml_paths

ROOT = Path(__file__).parent.parent
COMPOSE = ROOT / "docker-compose.yml"
DEPLOYMENT: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = DEPLOYMENT["services"]
OURS = ("code", "webserver", "daemon")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
SECRETS = ("NEO4J_PASSWORD", "POSTGRES_PASSWORD")


def test_the_file_follows_the_schema_of_compose() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    done = subprocess.run(command, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_services_are_those_that_the_readme_names() -> None:
    assert set(SERVICES) == {"neo4j", "postgres", *OURS}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_watched_restarted_and_gains_no_rights(name: str) -> None:
    service = SERVICES[name]

    assert service["healthcheck"]["test"]
    assert service["restart"] == "unless-stopped"
    assert "no-new-privileges:true" in service["security_opt"]
    assert not service.get("privileged")


@pytest.mark.parametrize("name", SERVICES)
def test_a_port_is_reached_from_this_machine_alone(name: str) -> None:
    assert [port for port in SERVICES[name].get("ports", []) if not port.startswith("127.0.0.1:")] == []


def test_no_password_stands_in_the_files_and_none_is_started_without() -> None:
    lines = COMPOSE.read_text("utf-8").splitlines()
    given = [line for line in lines if re.search(r"(PASSWORD|AUTH|KEY|TOKEN)\w*:\s", line)]

    assert given
    assert [line for line in given if not re.search(r": (neo4j/)?\$\{(NEO4J|POSTGRES)_PASSWORD:\?[^}]+\}$", line)] == []
    assert not re.search(r"(PASSWORD|KEY|TOKEN)\s*=", DOCKERFILE)


@pytest.mark.parametrize("secret", SECRETS)
def test_the_example_names_each_password_without_giving_one(secret: str) -> None:
    assert re.search(rf"^# {secret}=$", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE)


def test_only_what_is_listed_can_enter_the_image() -> None:
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    copied = re.findall(r"^COPY (?:--\S+ )?(.+) \S+$", DOCKERFILE, re.MULTILINE)

    assert rules[0] == "*"
    assert ".env" not in " ".join(rules)
    assert {source.split("/")[0] for line in copied for source in line.split()} == {
        rule.removeprefix("!") for rule in rules if rule.startswith("!")
    }
    assert all((ROOT / source).exists() for line in copied for source in line.split())


def test_our_image_runs_as_a_plain_user() -> None:
    assert re.findall(r"^USER (\w+)$", DOCKERFILE, re.MULTILINE)[-1:] == ["drift"]
    assert all(SERVICES[name]["cap_drop"] == ["ALL"] and "user" not in SERVICES[name] for name in OURS)


def test_the_documents_are_read_only_and_data_outlives_the_containers() -> None:
    mounts = [volume for service in SERVICES.values() for volume in service.get("volumes", [])]

    assert "./corpus:/corpus:ro" in SERVICES["code"]["volumes"]
    assert SERVICES["code"]["environment"]["DRIFT_CORPUS"] == "/corpus"
    assert {mount.split(":")[0] for mount in mounts if not mount.startswith("./")} == set(DEPLOYMENT["volumes"])
    assert [mount for mount in mounts if mount.startswith("./") and not mount.endswith(":ro")] == []


def test_a_service_waits_until_what_it_needs_is_healthy() -> None:
    needs = {name: set(service.get("depends_on", ())) for name, service in SERVICES.items()}
    conditions = [rule["condition"] for service in SERVICES.values() for rule in service.get("depends_on", {}).values()]

    assert needs["code"] == {"neo4j", "postgres"}
    assert needs["webserver"] == needs["daemon"] == {"code", "postgres"}
    assert set(conditions) == {"service_healthy"}


def test_one_image_is_built_once_and_never_fetched() -> None:
    assert {SERVICES[name]["image"] for name in OURS} == {"drift-assets"}
    assert [name for name in SERVICES if "build" in SERVICES[name]] == ["code"]
    assert all(SERVICES[name]["pull_policy"] == "never" for name in OURS if name != "code")


def test_neo4j_is_the_one_that_is_managed_locally() -> None:
    from drift_assets.local.jars import NEO4J_VERSION

    assert SERVICES["neo4j"]["image"] == f"neo4j:{NEO4J_VERSION}-community"


def test_the_commands_name_files_of_the_image_and_the_port_of_the_code_location() -> None:
    (origin,) = location_origins_from_yaml_paths([str(ROOT / "docker" / "workspace.yaml")])

    assert (origin.location_name, origin.host, origin.port) == ("drift_assets", "code", 4000)
    assert SERVICES["code"]["command"][-4:] == ["--port", "4000", "--module-name", "drift_assets.definitions"]
    for name in ("webserver", "daemon"):
        assert "/opt/drift/dagster/workspace.yaml" in SERVICES[name]["command"]


def test_dagster_keeps_its_history_in_postgres(tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_bytes((ROOT / "docker" / "dagster.yaml").read_bytes())

    instance = InstanceRef.from_dir(str(tmp_path))

    stores = (instance.run_storage_data, instance.event_storage_data, instance.schedule_storage_data)
    assert {store.module_name for store in stores if store} == {"dagster_postgres"}
    assert instance.run_coordinator_data is not None
    assert instance.run_coordinator_data.class_name == "QueuedRunCoordinator"
    assert instance.settings["telemetry"] == {"enabled": False}


@pytest.mark.parametrize("name", OURS)
def test_what_the_history_needs_is_given_to_each_service_of_ours(name: str) -> None:
    named = set(re.findall(r"env: (\w+)", (ROOT / "docker" / "dagster.yaml").read_text("utf-8")))

    assert named == {"POSTGRES_HOST", "POSTGRES_PASSWORD"}
    assert named <= set(SERVICES[name]["environment"])
    assert "dagster-storage:/opt/drift/dagster/storage" in SERVICES[name]["volumes"]
