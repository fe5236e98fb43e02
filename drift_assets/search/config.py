"""The form of a search in Dagster: flat, described, bounded."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg
from pydantic import Field, field_validator

from drift_assets.errors import SettingsError
from drift_assets.search.options import (
    LANGUAGE,
    LEVELS,
    Method,
    SearchOptions,
    Stage,
    Template,
    Unsupported,
    checked_levels,
    checked_question,
)
from drift_assets.search.selection import checked_where


def _field(name: str, description: str, **bounds: Any) -> Any:
    return Field(getattr(SearchOptions(question=""), name), description=description, **bounds)


@contextmanager
def _as_invalid() -> Iterator[None]:
    """Pydantic tells of a ValueError by the name of its field."""
    try:
        yield
    except SettingsError as error:
        raise ValueError(str(error)) from None


class SearchConfig(dg.Config):
    """What to ask, how far to search, and what it may cost."""

    question: str = Field(description="The question, 1 to 4,000 characters.")
    method: Method = _field(
        "method",
        "drift; or for comparison local (one local search), vector (the nearest chunks), global (all near reports).",
    )
    depth: int = _field("depth", "Rounds of local searches after the primer.", ge=0, le=5)
    communities: int = _field("communities", "Reports that the primer reads.", ge=1, le=50)
    hyde: Template = _field(
        "hyde",
        "Sample for the hypothetical answer: the nearest report, a random one, or off to start from the question.",
    )
    seed: int = _field("seed", "Seed of the random sample.", ge=0)
    folds: int = _field(
        "folds", "Calls of the primer, each over a part of its reports; 0: as many as the reports need.", ge=0, le=20
    )
    levels: str = _field(
        "levels",
        "Levels of the reports to read, 0 the coarsest: any, one such as 1, or a range such as 0-1 (at most 1).",
        pattern=LEVELS,
    )
    entities: int = _field("entities", "Entities nearest to a question, around which its evidence lies.", ge=1, le=50)
    chunks: int = _field("chunks", "Chunks of the documents in a context, or as much in passages.", ge=0, le=50)
    reports: int = _field("reports", "Community reports in a local context, at most.", ge=0, le=50)
    relationships: int = _field("relationships", "Relationships in a local context, at most.", ge=0, le=50)
    follow_ups: int = _field(
        "follow_ups", "Follow-up questions taken from a local answer; the primer's are all asked.", ge=0, le=20
    )
    parallel: int = _field("parallel", "Local searches at once, and questions of a round after the first.", ge=1, le=32)
    response_type: str = _field(
        "response_type",
        'Form of the answer, such as "one sentence" or "list of 5 points".',
        min_length=1,
        max_length=200,
    )
    answer_language: str | None = _field(
        "answer_language",
        "Language that the answer is written in, such as German; empty: that of the question. "
        "Not in the extractive mode, which quotes English.",
        pattern=LANGUAGE,
    )
    min_score: float = _field(
        "min_score",
        "Intermediate answers scored below this (0-100) are left out, but not the best `min_answers`.",
        ge=0,
        le=100,
    )
    min_answers: int = _field(
        "min_answers", "Intermediate answers that are kept whatever their score, the best so many.", ge=1, le=50
    )
    unsupported: Unsupported = _field(
        "unsupported",
        "Sentences of the answer that what they cite does not support: keep, mark with [?], or remove them.",
    )
    judge_support: bool = _field(
        "judge_support",
        "Let the language model judge by one more call whether the sentences are supported; off: words and vectors do.",
    )
    hybrid: bool = _field(
        "hybrid",
        "Read passages found by vectors, by words and by entities; off: the chunks that mention most of the entities.",
    )
    refine: bool = _field(
        "refine",
        "Merge and sharpen follow-ups by a call when there are more than a round may ask; off: the first ones.",
    )
    evidence_tokens: int | None = _field(
        "evidence_tokens", "Most tokens of distinct evidence that all steps read together; empty: no limit.", ge=200
    )
    max_calls: int | None = _field("max_calls", "Most calls, language and embedding; empty: DRIFT_MAX_CALLS.", ge=1)
    max_tokens: int | None = _field("max_tokens", "Most tokens of all calls; empty: DRIFT_MAX_TOKENS.", ge=1)
    max_cost_usd: float | None = _field(
        "max_cost_usd", "Highest cost in USD, above 0; empty: DRIFT_MAX_COST_USD.", gt=0
    )
    max_seconds: float | None = _field(
        "max_seconds", "Longest time of the search in seconds, above 0; empty: no limit.", gt=0
    )
    late_seconds: float | None = _field(
        "late_seconds",
        "Seconds, above 0, after which a round goes on without calls still open, once half are in; empty: it waits.",
        gt=0,
    )
    within: str | None = _field(
        "within",
        "Read only documents in this folder or table, or of this pattern, such as letters or '19*.md'.",
        min_length=1,
        max_length=500,
    )
    where: list[str] = Field(
        [],
        description="Read only documents whose metadata say so, such as author=Carroll; all of them, if repeated.",
    )
    after: str | None = _field("after", "Id of a stored search that the question follows on, as in a conversation.")
    replay: str | None = _field(
        "replay", "Id of a stored search to answer anew from a later stage; what comes before it is taken over unpaid."
    )
    replay_from: Stage = _field("replay_from", "With replay, the first stage to do and pay anew: local or reduce.")
    search_id: str | None = Field(
        None,
        description="Id to store the search under; empty, or taken already: one is made from the time and the run.",
        pattern=r"^[A-Za-z0-9-]{1,60}$",
    )

    @field_validator("question")
    @classmethod
    def _check_question(cls, value: str) -> str:
        with _as_invalid():
            return checked_question(value)

    @field_validator("levels")
    @classmethod
    def _check_levels(cls, value: str) -> str:
        with _as_invalid():
            return checked_levels(value)

    @field_validator("where")
    @classmethod
    def _check_where(cls, value: list[str]) -> list[str]:
        with _as_invalid():
            return list(checked_where(value))

    def options(self) -> SearchOptions:
        """The same as plain values."""
        return SearchOptions(**{**self.model_dump(exclude={"search_id"}), "where": tuple(self.where)})
