import os
import sqlite3
import subprocess
import sys

import pytest

from drift_assets.errors import SettingsError
from drift_assets.runs.instance import CONFIG, history_folder, open_instance, prepare_history
from drift_tests.runs.processes import HERE, ROOT


def test_ten_first_starts_at_once_share_one_working_history(settings) -> None:
    command = [sys.executable, str(HERE / "tiny_first_starts.py"), str(settings.home_folder)]
    started = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert started.returncode == 0, started.stderr

    with open_instance(settings) as instance:
        assert [run.status.value for run in instance.get_runs()] == ["SUCCESS"] * 10
    for database in history_folder(settings).rglob("*.db"):
        with sqlite3.connect(database) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_nothing_is_reported_to_anybody(instance) -> None:
    assert not instance.telemetry_enabled
    assert not instance.nux_enabled


def test_runs_from_the_ui_are_queued(instance) -> None:
    assert type(instance.run_coordinator).__name__ == "QueuedRunCoordinator"
    assert instance.get_concurrency_config().run_queue_config.max_concurrent_runs == 4


def test_home_is_private(settings) -> None:
    prepare_history(settings)
    assert settings.home_folder.stat().st_mode & 0o077 == 0


def test_configuration_is_renewed_unless_someone_made_it_their_own(settings) -> None:
    config = prepare_history(settings) / "dagster.yaml"
    config.write_text(CONFIG + "retention: {}\n", encoding="utf-8")
    prepare_history(settings)
    assert config.read_text(encoding="utf-8") == CONFIG

    config.write_text("telemetry:\n  enabled: false\n", encoding="utf-8")
    prepare_history(settings)
    assert config.read_text(encoding="utf-8") == "telemetry:\n  enabled: false\n"


def test_a_configuration_that_dagster_refuses_is_named(settings) -> None:
    config = prepare_history(settings) / "dagster.yaml"
    config.write_text("telemetri: {}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r'dagster\.yaml is not valid: .*"telemetri".*'), open_instance(settings):
        pass


def test_a_home_that_cannot_be_made_is_named(settings) -> None:
    settings.home_folder.write_text("a file", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"cannot write to .*home/dagster .*set DRIFT_HOME"):
        prepare_history(settings)


def test_a_damaged_history_is_named_with_a_way_out(settings) -> None:
    with open_instance(settings):
        pass
    database = history_folder(settings) / "history" / "runs.db"
    database.write_bytes(os.urandom(8192))
    way_out = r"cannot open the run history in .*not a database.*move that folder away"
    with pytest.raises(SettingsError, match=way_out), open_instance(settings):
        pass


def test_the_instance_of_a_clone_is_configured_alike() -> None:
    def configured(text: str) -> str:
        return "\n".join(line for line in text.splitlines() if not line.startswith("#"))

    assert configured((ROOT / "dagster.yaml").read_text(encoding="utf-8")) == configured(CONFIG)
