"""Dagster's instance below DRIFT_HOME: the history that the command line, the UI and the daemon share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from drift_assets.errors import SettingsError
from drift_assets.settings import Settings

if TYPE_CHECKING:
    from dagster import DagsterInstance

RENEWED = "# Written by drift, which renews this file as long as it begins with this line.\n"
CONFIG = (
    RENEWED
    + """\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 4
run_retries:
  enabled: true
  max_retries: 0
"""
)

# A run in this process writes to this process's terminal: captured output would take it away from there.
IN_PROCESS = {
    "compute_logs": {
        "module": "dagster._core.storage.noop_compute_log_manager",
        "class": "NoOpComputeLogManager",
    }
}


def history_folder(settings: Settings) -> Path:
    """The DAGSTER_HOME of this project."""
    return settings.home_folder / "dagster"


@contextmanager
def open_instance(settings: Settings) -> Iterator[DagsterInstance]:
    """The instance whose history lies in `history_folder`, made at the first use.

    Raises SettingsError when the folder cannot be written or the history in it cannot be read.
    """
    from dagster import DagsterInstance
    from dagster._core.instance.ref import InstanceRef

    folder = prepare_history(settings)
    # Two processes that create Dagster's SQLite files at the same time leave them broken for good.
    with _lock(folder), _explained(folder):
        instance = DagsterInstance.from_ref(InstanceRef.from_dir(str(folder), overrides=IN_PROCESS))
    with instance:
        yield instance


def prepare_history(settings: Settings) -> Path:
    """Create `history_folder` and its dagster.yaml; a dagster.yaml that someone made their own is left alone."""
    folder = history_folder(settings)
    try:
        settings.home_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(exist_ok=True)
        config = folder / "dagster.yaml"
        with _lock(folder):
            if not config.exists() or _outdated(config):
                config.write_text(CONFIG, encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"cannot write to {folder} ({error.strerror or error}); set DRIFT_HOME to another folder"
        ) from error
    return folder


def _lock(folder: Path) -> FileLock:
    return FileLock(folder / "open.lock")


def _outdated(config: Path) -> bool:
    text = config.read_text(encoding="utf-8")
    return text.startswith(RENEWED) and text != CONFIG


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    from dagster import DagsterInvalidConfigError
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except DagsterInvalidConfigError as error:
        first = error.errors[0].message if error.errors else str(error)
        raise SettingsError(f"{folder / 'dagster.yaml'} is not valid: {first}; correct it or remove it") from error
    except (DBAPIError, OSError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise SettingsError(
            f"cannot open the run history in {folder} ({cause}); move that folder away to begin a new one"
        ) from error
