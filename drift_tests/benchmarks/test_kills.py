from pathlib import Path

import pytest

from benchmarks.home import Home
from benchmarks.kills import Chosen, Outcome, measure, moments, shown
from drift_assets.graph.address import Address

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


def test_a_killed_index_ends_as_the_undisturbed_one(home: Home, clean_address: Address, document: Path) -> None:
    outcome = measure(home, clean_address, document, Chosen(latency=0.1, seed=3, kills=1))

    assert len(outcome.killed_at) == 1
    assert outcome.differences == ()
    assert 0 <= outcome.repeated <= outcome.allowed == 16


def test_moments_follow_from_the_seed_and_lie_in_order_within_the_index() -> None:
    drawn = moments(100, Chosen(0.3, 1, 3))

    assert drawn == moments(100, Chosen(0.3, 1, 3)) != moments(100, Chosen(0.3, 2, 3))
    assert [moment.requests for moment in drawn] == sorted({moment.requests for moment in drawn})
    assert all(0 < moment.requests < 100 and 0 <= moment.after <= 1.2 for moment in drawn)


def test_the_figures_show_what_was_made_again() -> None:
    outcome = Outcome(undisturbed=40, disturbed=50, killed_at=(9, 30), differences=("+ a line",))

    assert shown(outcome).splitlines()[2:] == ["| 40 | 9, 30 | 50 | 10 | 32 | 1 |", "+ a line"]
