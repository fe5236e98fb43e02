"""`python tiny_first_starts.py DRIFT_HOME`: ten processes at once open a fresh history and run a job in it.

All is imported before the processes part, so that they come to the opening together. Exits 0 when all succeeded.
"""

import os
import sys
import traceback

from drift_assets.runs.instance import open_instance
from drift_assets.runs.launch import execute
from drift_assets.settings import load_settings

from tiny_run import TINY  # isort: skip

PROCESSES = 10


def first_start(home: str) -> None:
    with open_instance(load_settings(home=home)) as instance:
        execute("index", {}, instance=instance, location=TINY).raise_for_failure()


def main() -> None:
    TINY.job("index").get_definition()
    children = []
    for _ in range(PROCESSES):
        child = os.fork()
        if child:
            children.append(child)
            continue
        try:
            first_start(sys.argv[1])
        # The child must end here whatever happens; the parent tells.
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))


if __name__ == "__main__":
    main()
