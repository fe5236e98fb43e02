"""What runs the index, and when: the job's form, the schedule, the sensor and its memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import dagster as dg
import pytest

from drift_assets.assets.stage import run_limits
from drift_assets.automation import (
    corpus_changed,
    corpus_state,
    failure_message,
    index_config,
    is_to_be_told,
    nightly,
    tell,
)
from drift_assets.definitions import defs
from drift_assets.errors import LimitReached, SettingsError
from drift_assets.language.usage import Meter, Usage
from drift_assets.resources import DriftResource
from drift_assets.settings import load_settings


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text("First.")
    monkeypatch.setenv("DRIFT_CORPUS", str(folder))
    return folder


class Sensor:
    """Looks again and again, with its cursor."""

    def __init__(self) -> None:
        self.cursor: str | None = None

    def look(self) -> tuple[int, str]:
        """How many runs are asked for, and why not."""
        with dg.DagsterInstance.ephemeral() as instance:
            context = dg.build_sensor_context(
                instance, cursor=self.cursor, definitions=defs, resources={"drift": DriftResource()}
            )
            found = corpus_changed(load_settings()).evaluate_tick(context)
        self.cursor = found.cursor if found.cursor is not None else self.cursor
        assert all(request.run_key is None for request in found.run_requests or [])
        assert all(request.tags["drift/scheduled"] == "true" for request in found.run_requests or [])
        return len(found.run_requests or []), found.skip_message or ""


def changed(path: Path, text: str = "Changed.") -> None:
    """The file has another text and another time, however fast this test is."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text)
    os.utime(path, ns=(before + 1_000, before + 1_000))


def test_the_flat_form_is_handed_to_the_first_asset_and_its_limits_to_all() -> None:
    mapped = index_config.config_fn  # type: ignore[attr-defined]
    assert mapped({"folder": "letters", "replace": True, "allow_deletes": False, "max_calls": 7}) == {
        "ops": {"drift__chunks": {"config": {"folder": "letters", "replace": True, "allow_deletes": False}}},
        "resources": {"drift": {"config": {"max_calls": 7}}},
    }
    assert mapped({"replace": False, "allow_deletes": False}) == {
        "ops": {"drift__chunks": {"config": {"replace": False, "allow_deletes": False}}},
        "resources": {"drift": {"config": {}}},
    }


@pytest.mark.parametrize("limit", ["max_calls", "max_tokens", "max_cost_usd"])
def test_a_limit_given_with_a_run_wins_over_that_of_the_settings(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"DRIFT_{limit.upper()}", "100")
    assert getattr(DriftResource().settings(), limit) == 100
    assert getattr(DriftResource(**{limit: 200}).settings(), limit) == 200


@pytest.mark.parametrize("limit", ["max_calls", "max_tokens", "max_cost_usd"])
def test_the_form_refuses_a_limit_that_lets_nothing_through(limit: str) -> None:
    with pytest.raises(dg.DagsterInvalidConfigError, match=f"{limit} is 0.*: give"):
        dg.validate_run_config(defs.resolve_job_def("index"), {limit: 0})


def test_the_schedule_follows_its_setting() -> None:
    assert nightly(load_settings()).cron_schedule == "0 3 * * *"
    assert nightly(load_settings(schedule="30 1 * * 7")).cron_schedule == "30 1 * * 7"


def test_a_schedule_that_is_no_cron_line_is_told_by_its_variable() -> None:
    with pytest.raises(SettingsError, match="DRIFT_SCHEDULE=foo is no cron line such as"):
        nightly(load_settings(schedule="foo"))


def test_the_schedule_runs_the_index_as_it_is() -> None:
    schedule = nightly(load_settings())
    assert schedule.job_name == "index"
    with dg.DagsterInstance.ephemeral() as instance:
        [request] = schedule.evaluate_tick(dg.build_schedule_context(instance)).run_requests or []
    assert request.run_config == {}
    assert request.tags.items() >= {"drift/scheduled": "true", "dagster/max_retries": "2"}.items()


def test_the_state_changes_with_every_change_of_a_file(corpus: Path) -> None:
    states = [corpus_state(corpus)]
    (corpus / "b.txt").write_text("Second.")
    states.append(corpus_state(corpus))
    changed(corpus / "b.txt", "Third.!")
    states.append(corpus_state(corpus))
    (corpus / "b.txt").rename(corpus / "c.txt")
    states.append(corpus_state(corpus))
    (corpus / "c.txt").unlink()
    (corpus / "notes.doc").write_text("Not indexed.")
    assert len(set(states)) == 4
    assert corpus_state(corpus) == states[0]


def test_a_link_to_nothing_has_no_state(corpus: Path) -> None:
    before = corpus_state(corpus)
    (corpus / "gone.txt").symlink_to("nowhere")
    assert corpus_state(corpus) == before


def test_a_burst_of_changes_is_one_run(corpus: Path) -> None:
    sensor = Sensor()
    assert sensor.look() == (0, "the corpus is changing; waiting until it is still")
    changed(corpus / "b.txt")
    assert sensor.look()[0] == 0
    changed(corpus / "c.txt")
    assert sensor.look()[0] == 0
    assert sensor.look()[0] == 1
    assert sensor.look() == (0, "the corpus has not changed")
    assert sensor.look()[0] == 0


def test_each_later_change_is_a_run_of_its_own(corpus: Path) -> None:
    sensor = Sensor()
    runs = 0
    for number in range(3):
        changed(corpus / "a.txt", f"Text {number}.")
        runs += sum(sensor.look()[0] for _ in range(3))
    assert runs == 3


def test_a_corpus_that_returns_to_what_it_was_is_indexed_again(corpus: Path) -> None:
    sensor = Sensor()
    assert [sensor.look()[0] for _ in range(2)] == [0, 1]
    (corpus / "b.txt").write_text("Second.")
    assert [sensor.look()[0] for _ in range(2)] == [0, 1]
    (corpus / "b.txt").unlink()
    assert [sensor.look()[0] for _ in range(2)] == [0, 1]


def test_a_change_that_is_taken_back_before_it_is_still_is_no_run(corpus: Path) -> None:
    sensor = Sensor()
    assert [sensor.look()[0] for _ in range(2)] == [0, 1]
    (corpus / "b.txt").write_text("Second.")
    assert sensor.look()[0] == 0
    (corpus / "b.txt").unlink()
    assert [sensor.look()[0] for _ in range(3)] == [0, 0, 0]


def test_a_folder_that_is_away_is_told_and_forgets_nothing(corpus: Path) -> None:
    sensor = Sensor()
    assert [sensor.look()[0] for _ in range(2)] == [0, 1]
    corpus.rename(corpus.with_name("away"))
    runs, why = sensor.look()
    assert runs == 0
    assert "does not exist" in why
    corpus.with_name("away").rename(corpus)
    assert sensor.look() == (0, "the corpus has not changed")


def test_without_a_corpus_there_is_nothing_to_watch() -> None:
    assert Sensor().look() == (0, "DRIFT_CORPUS is not set")


SCHEDULED = {"drift/scheduled": "true"}


@pytest.mark.parametrize(
    ("tags", "own", "limit"),
    [({}, None, None), (SCHEDULED, None, 10.0), (SCHEDULED, 3.0, 3.0), (SCHEDULED, 30.0, 10.0), ({}, 30.0, 30.0)],
)
def test_a_run_that_nobody_waits_for_has_a_limit_on_its_cost(
    tags: dict[str, str], own: float | None, limit: float | None
) -> None:
    assert run_limits(load_settings(max_cost_usd=own), tags).cost_usd == limit


@pytest.mark.parametrize(
    ("tags", "own", "limit"),
    [({}, None, None), (SCHEDULED, None, 20_000_000), (SCHEDULED, 300, 300), (SCHEDULED, 30_000_000, 20_000_000)],
)
def test_a_run_that_nobody_waits_for_has_a_limit_on_its_tokens(
    tags: dict[str, str], own: int | None, limit: int | None
) -> None:
    assert run_limits(load_settings(max_tokens=own), tags).tokens == limit


def test_it_is_limited_where_no_price_is_known_and_says_by_what() -> None:
    meter = Meter(run_limits(load_settings(scheduled_max_tokens=100), SCHEDULED))
    meter.add(Usage(language_calls=1, input_tokens=100, cost_usd=None))

    with pytest.raises(LimitReached, match=r"100 tokens is reached.*\(DRIFT_SCHEDULED_MAX_TOKENS or DRIFT_MAX_TOKENS"):
        meter.begin(Usage(language_calls=1))


def failed_run(**tags: str) -> dg.DagsterRun:
    return dg.DagsterRun("index", run_id="11111111-2222", tags=tags)


def test_a_failure_is_one_line_with_its_reason_and_attempts() -> None:
    line = failure_message(failed_run(**{"dagster/retry_number": "2"}), "no connection\n  to Neo4j")
    assert line == "drift: the index run 11111111-2222 failed for good (attempt 3): no connection to Neo4j"
    assert failure_message(failed_run(), None).endswith("(attempt 1): no reason is known")


@pytest.mark.parametrize(
    ("tags", "told"),
    [({}, False), (SCHEDULED, True), ({**SCHEDULED, "dagster/will_retry": "true"}, False)],
)
def test_only_a_failure_that_nobody_else_knows_is_told(tags: dict[str, str], told: bool) -> None:
    assert is_to_be_told(failed_run(**tags)) == told


def test_the_command_is_told_on_its_standard_input(tmp_path: Path) -> None:
    program = tmp_path / "told.py"
    program.write_text(f"import sys; open({str(tmp_path / 'told.txt')!r}, 'w').write(sys.stdin.read())")
    tell(f"{sys.executable} {program}", "a line; $(echo no shell)")
    assert (tmp_path / "told.txt").read_text() == "a line; $(echo no shell)\n"
    tell(None, "nobody is told")


@pytest.mark.parametrize("command", ["/no/such/program", f"{sys.executable} -c 'raise SystemExit(3)'", "'"])
def test_a_command_that_cannot_be_told_is_an_error_that_names_the_setting(command: str) -> None:
    with pytest.raises(SettingsError, match="DRIFT_ON_FAILURE"):
        tell(command, "a line")
