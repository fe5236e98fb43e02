"""Results on standard output."""

from __future__ import annotations

import sys


def say(text: str = "") -> None:
    """A line on standard output, there at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
