"""A process that computes for the extractive language model, so that the spaCy pipeline holds no other interpreter.

It reads calls from standard input, each a pickled function with its arguments, and writes each result to standard
output. It ends when its input does, that is, however its parent ends, and when nothing was asked for a while: the
pipeline takes some 200 MB.
"""

from __future__ import annotations

import os
import pickle
import select
import sys
from typing import Any


def main() -> None:
    """Answer calls until there are no more, or none came for as many seconds as the command line says."""
    idle_seconds = float(sys.argv[1])
    calls, results = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get in between the results.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while select.select([calls], [], [], idle_seconds)[0]:
        try:
            function, given = pickle.load(calls)
        except EOFError:
            return
        result: tuple[Any, Exception | None]
        try:
            result = (function(*given), None)
        except Exception as error:  # noqa: BLE001 - every error belongs to the caller
            result = (None, error)
        pickle.dump(result, results)
        results.flush()


if __name__ == "__main__":
    main()
