"""How thorough this run of the tests is, and what it saw: `make soak` ends with the counts."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import hypothesis
import pytest

SEQUENCES, KILLS = 500, 20


@dataclass
class Soak:
    """`thorough` in the soak alone; `sequences` of changes and `kills` of each sort; what was seen is said by `say`."""

    config: pytest.Config
    thorough: bool
    sequences: int
    kills: int
    lines: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def say(self, line: str) -> None:
        """Show a line at once, with the minutes so far, in the soak; it is what a broken off soak leaves."""
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        capture = self.config.pluginmanager.get_plugin("capturemanager")
        if self.thorough and reporter and capture:
            with capture.global_and_fixture_disabled():
                reporter.write_line(f"\n[{(time.monotonic() - self.began) / 60:.1f} min] {line}")

    def conclude(self, line: str) -> None:
        """Keep a line for the end of the run."""
        self.say(line)
        self.lines.append(f"{line} ({(time.monotonic() - self.began) / 60:.1f} min after the start)")


def add_options(parser: pytest.Parser) -> None:
    """The numbers of the soak, so that it can be run in parts."""
    group = parser.getgroup("soak")
    group.addoption("--sequences", type=int, default=SEQUENCES, help="sequences of changes, with --hypothesis-seed")
    group.addoption("--kills", type=int, default=KILLS, help="moments for each sort of kill")


def soak_of(config: pytest.Config) -> Soak:
    """That of the command line."""
    thorough = hypothesis.settings.get_current_profile_name() == "soak"
    return Soak(config, thorough, config.getoption("--sequences"), config.getoption("--kills"))
