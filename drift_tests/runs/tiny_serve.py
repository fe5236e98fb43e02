"""`python tiny_serve.py DRIFT_HOME`: serve the UI for the tiny code location; the first line is its address."""

import sys

from drift_assets.runs.dev import serve
from drift_assets.settings import load_settings

from tiny_run import TINY  # isort: skip


def main() -> None:
    def tell(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    serve(
        load_settings(home=sys.argv[1]),
        host="127.0.0.1",
        port=0,
        announce=tell,
        stopping=lambda: tell("stopping"),
        location=TINY,
    )


if __name__ == "__main__":
    main()
