"""What earlier runs said, as far as it tells of the next."""

from __future__ import annotations

import dagster as dg
import pytest

from drift_assets.runs.recent import last_brought_up, last_said, stage_figures

ENTITIES = dg.AssetKey(["drift", "entities"])
MINE, OTHER, RULES = "openai:mine", "openai:other", "extractive"


def report(instance: dg.DagsterInstance, **said: int | str) -> None:
    instance.report_runless_asset_event(dg.AssetMaterialization(ENTITIES, metadata=said))


@pytest.fixture
def told(instance: dg.DagsterInstance) -> dg.DagsterInstance:
    report(instance, language_calls=1, input_tokens=10, language_model=MINE)
    report(instance, language_calls=2, input_tokens=20, language_model=OTHER)
    report(instance, language_calls=4, input_tokens=0, language_model=RULES)
    report(instance, language_calls=8, input_tokens=80, language_model=MINE)
    # Of a version that did not say which model it asked.
    report(instance, language_calls=16, input_tokens=160)
    report(instance, language_calls=32, input_tokens=0)
    report(instance, language_calls=0, input_tokens=0, language_model=MINE)
    return instance


def test_figures_of_another_model_or_mode_do_not_count(told: dg.DagsterInstance) -> None:
    def calls(origin: str) -> float:
        return stage_figures(told, ("entities",), origin=origin)["entities"]["language_calls"]

    assert (calls(MINE), calls(OTHER), calls(RULES)) == (25, 18, 36)


def test_a_model_that_was_never_asked_has_no_figures(instance: dg.DagsterInstance) -> None:
    report(instance, language_calls=4, input_tokens=0, language_model=RULES)

    assert stage_figures(instance, ("entities", "reports"), origin=MINE) == {"entities": {}, "reports": {}}


def test_what_was_said_last_is_of_the_last_run_with_any(told: dg.DagsterInstance) -> None:
    assert last_said(told, ENTITIES, "language_calls") == {"language_calls": 32, "input_tokens": 0}
    assert last_said(told, dg.AssetKey(["drift", "reports"]), "language_calls") == {}


def test_an_asset_was_brought_up_when_its_run_began(instance: dg.DagsterInstance) -> None:
    @dg.asset(key=ENTITIES)
    def entities() -> dg.MaterializeResult[None]:
        return dg.MaterializeResult()

    assert last_brought_up(instance, ENTITIES) is None
    run_id = dg.materialize([entities], instance=instance).run_id
    record = instance.get_run_record_by_id(run_id)
    assert record is not None
    assert last_brought_up(instance, ENTITIES) == record.start_time
