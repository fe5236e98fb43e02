"""The language tasks without a language model: names, statements and ranked source sentences."""

from __future__ import annotations

from drift_assets.language.extractive.model import ExtractiveLanguageModel

__all__ = ["ExtractiveLanguageModel"]
