"""The real daemon watches a folder: a burst of changes is one index run, and who fails for good is told of once."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest

from drift_assets.runs.instance import open_instance
from drift_tests.cli.conftest import DOCUMENTS, Drift
from drift_tests.runs.webserver import Webserver

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]

ADDED = "# The wreck\n\nThe diver Martha Reeve found the wreck of the bridge of Merrin in 1951.\n"
# English alone is read without a model, so a corpus of another language is refused.
OTHER = "桥塌了。克拉拉建了这座桥。船长付了钱。河水很深。教授领导了调查。弗雷德里克离开了镇子。" * 20


@pytest.fixture(scope="module")
def told(drift: Drift) -> Path:
    return drift.folder / "told.txt"


@pytest.fixture(scope="module")
def web(drift: Drift, told: Path) -> Iterator[Webserver]:
    program = drift.folder / "tell.py"
    program.write_text(f"import sys; open({str(told)!r}, 'a').write(sys.stdin.read())")
    dev = drift.start(
        "dev",
        "--port",
        "0",
        DRIFT_CORPUS=str(drift.folder / "corpus"),
        DRIFT_SENSOR_SECONDS="2",
        DRIFT_SCHEDULED_RETRIES="1",
        DRIFT_ON_FAILURE=f"{sys.executable} {program}",
    )
    assert dev.stdout is not None
    address = re.match(r"Dagster answers at (http://127.0.0.1:\d+) ", dev.stdout.readline())
    assert address is not None
    server = Webserver(address.group(1), "drift_assets")
    for name in ("corpus_changed", "index_failed"):
        server.start_sensor(name)
    yield server
    dev.terminate()
    dev.communicate(timeout=60)


def runs(drift: Drift) -> list[dg.DagsterRun]:
    """All index runs, oldest first."""
    with open_instance(drift.settings) as instance:
        return list(instance.get_runs(dg.RunsFilter(job_name="index")))[::-1]


def wait_until(seen: Callable[[], object], seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(1)


def extracted(drift: Drift, run: dg.DagsterRun) -> int:
    """Language calls that the run's extraction took."""
    with open_instance(drift.settings) as instance:
        records = instance.get_records_for_run(run.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION).records
    made = {str(record.asset_key): record.asset_materialization for record in records}
    entities = made[str(dg.AssetKey(["drift", "entities"]))]
    assert entities is not None
    return int(str(entities.metadata["language_calls"].value))


def test_a_burst_of_changes_is_one_run_of_the_right_extent(drift: Drift, web: Webserver) -> None:
    wait_until(lambda: [run for run in runs(drift) if run.is_success])
    for number in range(5):
        (drift.folder / "corpus" / "wreck.md").write_text(ADDED + "Nobody saw it again. " * number)
        time.sleep(0.5)
    wait_until(lambda: len([run for run in runs(drift) if run.is_success]) == 2)
    time.sleep(6)
    first, second = runs(drift)
    assert second.tags["drift/scheduled"] == "true"
    assert extracted(drift, first) == len(DOCUMENTS)
    assert extracted(drift, second) == 1


def test_a_failing_run_is_tried_again_and_then_told_once(drift: Drift, web: Webserver, told: Path) -> None:
    for path in (drift.folder / "corpus").iterdir():
        path.write_text(OTHER, encoding="utf-8")
    wait_until(told.exists)
    time.sleep(6)
    failed = [run for run in runs(drift) if run.is_failure]
    assert len(failed) == 2
    [line] = told.read_text().splitlines()
    assert line.startswith(f"drift: the index run {failed[-1].run_id} failed for good (attempt 2): ")
