import random
from pathlib import Path
from typing import get_args

import pytest

from benchmarks.home import Home, fresh_home
from benchmarks.kills import Chosen, Outcome, Victims, measure, moments, shown
from drift_assets.demo import corpus_folder
from drift_assets.graph.address import Address
from drift_assets.local import server
from drift_assets.settings import load_settings
from drift_tests.soak import Soak

# Some seconds where nothing else runs, minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


def test_a_killed_index_ends_as_the_undisturbed_one(home: Home, clean_address: Address, document: Path) -> None:
    outcome = measure(home, document, Chosen(latency=0.1, seed=3, kills=1), lambda: clean_address)

    assert len(outcome.killed_at) == 1
    assert outcome.differences == ()
    assert 0 <= outcome.repeated <= outcome.allowed == 16


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("victims", get_args(Victims))
def test_nothing_is_lost_whoever_is_killed_at_whatever_moment(victims: Victims, soak: Soak) -> None:
    with fresh_home() as home:
        settings = load_settings(home=home.folder)
        chosen = Chosen(latency=0.3, seed=random.randrange(10**6), kills=soak.kills, victims=victims)
        outcome = measure(home, corpus_folder(), chosen, lambda: server.start(settings, lambda line: None))
        server.stop(settings, lambda line: None)
    soak.conclude(
        f"{victims} killed at {len(outcome.killed_at)} moments (seed {chosen.seed}): {outcome.repeated} calls made "
        f"again, {outcome.allowed} allowed; {len(outcome.differences)} differences to the undisturbed index"
    )
    assert outcome.differences == ()
    assert 0 <= outcome.repeated <= outcome.allowed


def test_moments_follow_from_the_seed_and_lie_in_order_within_the_index() -> None:
    drawn = moments(100, Chosen(0.3, 1, 3))

    assert drawn == moments(100, Chosen(0.3, 1, 3)) != moments(100, Chosen(0.3, 2, 3))
    assert [moment.requests for moment in drawn] == sorted({moment.requests for moment in drawn})
    assert all(0 < moment.requests < 100 and 0 <= moment.after <= 1.2 for moment in drawn)


def test_the_figures_show_what_was_made_again() -> None:
    outcome = Outcome(undisturbed=40, disturbed=50, killed_at=(9, 30), differences=("+ a line",))

    assert shown(outcome).splitlines()[2:] == ["| 40 | 9, 30 | 50 | 10 | 32 | 1 |", "+ a line"]
