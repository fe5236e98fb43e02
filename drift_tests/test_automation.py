"""What runs the index, and when: the job's form, the schedule, the sensor and its memory."""

from __future__ import annotations

import os
from pathlib import Path

import dagster as dg
import pytest

from drift_assets.automation import corpus_changed, corpus_state, index_config, nightly
from drift_assets.definitions import defs
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
            found = corpus_changed.evaluate_tick(context)
        self.cursor = found.cursor if found.cursor is not None else self.cursor
        assert all(request.run_key is None for request in found.run_requests or [])
        return len(found.run_requests or []), found.skip_message or ""


def changed(path: Path, text: str = "Changed.") -> None:
    """The file has another text and another time, however fast this test is."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text)
    os.utime(path, ns=(before + 1_000, before + 1_000))


def test_the_flat_form_is_handed_to_the_first_asset() -> None:
    mapped = index_config.config_fn  # type: ignore[attr-defined]
    assert mapped({"folder": "letters", "replace": True, "allow_deletes": False}) == {
        "ops": {"drift__chunks": {"config": {"folder": "letters", "replace": True, "allow_deletes": False}}}
    }
    assert "folder" not in mapped({"replace": False, "allow_deletes": False})["ops"]["drift__chunks"]["config"]


def test_the_schedule_follows_its_setting() -> None:
    assert nightly(load_settings()).cron_schedule == "0 3 * * *"
    assert nightly(load_settings(schedule="30 1 * * 7")).cron_schedule == "30 1 * * 7"


def test_the_schedule_runs_the_index_as_it_is() -> None:
    schedule = nightly(load_settings())
    assert schedule.job_name == "index"
    with dg.DagsterInstance.ephemeral() as instance:
        [request] = schedule.evaluate_tick(dg.build_schedule_context(instance)).run_requests or []
    assert request.run_config == {}


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
