"""`python tiny_run.py DRIFT_HOME JOB CONFIG`: one run of a tiny job as the command line makes it, told as JSON."""

import json
import pathlib
import sys
from dataclasses import asdict

from drift_assets.interrupts import raise_on_signals
from drift_assets.runs.dead import close_dead_runs
from drift_assets.runs.instance import open_instance
from drift_assets.runs.launch import CodeLocation, execute
from drift_assets.settings import load_settings

TINY = CodeLocation("tiny_definitions", "defs", "tiny", str(pathlib.Path(__file__).parent))


def main() -> None:
    home, job, config = sys.argv[1:]
    raise_on_signals()
    with open_instance(load_settings(home=home)) as instance:
        closed = close_dead_runs(instance)
        outcome = execute(job, json.loads(config), instance=instance, location=TINY)
    sys.stdout.write(json.dumps({**asdict(outcome), "closed": closed}))
    outcome.raise_for_failure()


if __name__ == "__main__":
    main()
