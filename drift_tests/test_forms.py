"""What the forms of the jobs say first, which is what the Launchpad and GraphQL show."""

from __future__ import annotations

from typing import Any

import dagster as dg
import pytest

from drift_assets.definitions import defs


@pytest.mark.parametrize(
    ("job", "config", "line"),
    [
        ("drift_search", {"question": " "}, "question is ' ': the question is blank: ask something in words"),
        ("drift_search", {"question": "Who?", "depth": 99}, "depth is 99: give at most 5"),
        ("drift_search", {"question": "Who?", "levels": "2-1"}, "levels is '2-1': '2-1' names no levels"),
        ("index", {"max_calls": 0}, "max_calls is 0: give at least 1"),
    ],
)
def test_a_form_says_first_which_value_is_refused(job: str, config: dict[str, Any], line: str) -> None:
    with dg.DagsterInstance.ephemeral() as instance, pytest.raises(dg.DagsterError) as raised:
        instance.create_run_for_job(defs.resolve_job_def(job), run_config=config)
    assert str(raised.value).startswith(line)
