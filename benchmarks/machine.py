"""The machine on which figures were measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import psutil

from drift_assets import __version__
from drift_assets.local.jars import NEO4J_VERSION

PACKAGES = ("dagster", "neo4j", "spacy", "onnxruntime", "openai")


def machine() -> str:
    """Cores, memory, processor, versions and the present load, on one line.

    The load is the number of processes that want a core, over the last minute: well above 0 before a measurement
    begins, it says that the figures are those of a busy machine.
    """
    cores, memory = len(os.sched_getaffinity(0)), psutil.virtual_memory().total / 1e9
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{cores} cores ({_processor()}), {memory:.0f} GB, {platform.system()}, Python {platform.python_version()}, "
        f"drift-assets {__version__}, Neo4j {NEO4J_VERSION}, {versions}; load {os.getloadavg()[0]:.1f}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
