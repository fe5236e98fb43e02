"""What a search is asked to do, as plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from drift_assets.errors import SettingsError
from drift_assets.language.usage import Limits

LONGEST_QUESTION = 4_000
LANGUAGE = r"^[^\W\d_][\w '()-]{0,59}$"
LEVELS = r"^(any|\d{1,2}(-\d{1,2})?)$"
Method = Literal["drift", "local", "vector", "global"]
Unsupported = Literal["keep", "mark", "remove"]
Template = Literal["nearest", "random", "off"]
Stage = Literal["local", "reduce"]
METHODS: tuple[Method, ...] = get_args(Method)
Preset = Literal["quick", "default", "thorough", "article"]
# What a search of each size sets instead of the defaults; `article` reads as the article's code does.
PRESETS: Mapping[Preset, Mapping[str, Any]] = {
    "quick": {"depth": 1, "communities": 3, "follow_ups": 2},
    "default": {},
    "thorough": {"depth": 3, "communities": 10, "entities": 10, "chunks": 5, "follow_ups": 5, "parallel": 8},
    "article": {
        "depth": 2,
        "communities": 5,
        "entities": 5,
        "chunks": 3,
        "reports": 3,
        "relationships": 3,
        "follow_ups": 3,
        "parallel": 5,
        "hybrid": False,
        "refine": False,
    },
}


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The numbers are the article's; what each means and may be stands in `search/config.py`."""

    question: str
    method: Method = "drift"
    depth: int = 2
    communities: int = 5
    hyde: Template = "nearest"
    seed: int = 0
    folds: int = 0
    entities: int = 5
    chunks: int = 3
    reports: int = 3
    levels: str = "any"
    relationships: int = 3
    follow_ups: int = 3
    parallel: int = 5
    response_type: str = "multiple paragraphs"
    answer_language: str | None = None
    min_score: float = 0.0
    min_answers: int = 1
    unsupported: Unsupported = "mark"
    judge_support: bool = False
    hybrid: bool = True
    refine: bool = True
    evidence_tokens: int | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    max_seconds: float | None = None
    late_seconds: float | None = None
    within: str | None = None
    where: tuple[str, ...] = ()
    after: str | None = None
    replay: str | None = None
    replay_from: Stage = "reduce"

    @property
    def level_bounds(self) -> tuple[int, int] | None:
        """The lowest and the highest level of community that reports are read of, 0 the coarsest; None: all."""
        return level_bounds(self.levels)

    @property
    def form(self) -> str:
        """The form of the answer as a model is told it, with its language where one is asked for."""
        return f"{self.response_type}, in {self.answer_language}" if self.answer_language else self.response_type

    @property
    def limits(self) -> Limits:
        """The limits that the meter of a search holds."""
        return Limits(calls=self.max_calls, tokens=self.max_tokens, cost_usd=self.max_cost_usd)

    def limited(self, limits: Limits) -> SearchOptions:
        """The same, with the limits of the settings where the search has none of its own."""
        return replace(
            self,
            max_calls=self.max_calls or limits.calls,
            max_tokens=self.max_tokens or limits.tokens,
            max_cost_usd=self.max_cost_usd or limits.cost_usd,
        )

    def to_json(self) -> str:
        """As stored with the search."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> SearchOptions:
        """As read from a stored search; fields of other versions are ignored."""
        known = cls.__dataclass_fields__
        stored = {name: value for name, value in json.loads(text).items() if name in known}
        return cls(**{**stored, "where": tuple(stored.get("where", ()))})


def checked_language(language: str) -> str:
    """The same when it can be the name of a language; raises SettingsError when it cannot."""
    if re.fullmatch(LANGUAGE, language) is None:
        raise SettingsError(f"{language[:80]!r} names no language: write it as a word, such as German")
    return language


def level_bounds(levels: str) -> tuple[int, int] | None:
    """The two numbers of a well-formed `levels`; None for any."""
    if levels == "any":
        return None
    lowest, _, highest = levels.partition("-")
    return int(lowest), int(highest or lowest)


def checked_levels(levels: str) -> str:
    """The same when it names levels; raises SettingsError when it does not."""
    if re.fullmatch(LEVELS, levels) is None:
        raise SettingsError(f"{levels!r} names no levels: any, one such as 1, or a range such as 0-1")
    bounds = level_bounds(levels)
    if bounds is not None and bounds[0] > bounds[1]:
        raise SettingsError(f"{levels!r} names no levels: the coarser of a range stands first, {bounds[1]}-{bounds[0]}")
    return levels


def checked_question(question: str) -> str:
    """The question without white space at its ends. Raises SettingsError when it is blank or too long."""
    stripped = question.strip()
    if not any(character.isalnum() for character in stripped):
        raise SettingsError("the question is blank: ask something in words")
    if len(stripped) > LONGEST_QUESTION:
        raise SettingsError(
            f"the question has {len(stripped):,} characters; at most {LONGEST_QUESTION:,} are allowed: shorten it"
        )
    return stripped
