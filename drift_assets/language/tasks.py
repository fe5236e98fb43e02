"""The language tasks: each a typed input that names its typed, bounded output.

A task's class name in lower case is its name, and the name of its prompt file. Texts in inputs are data: whoever
renders them delimits them and never obeys them. Outputs forbid unknown fields; numbers out of range are moved to
the nearest bound and lists are cut to their bound, since neither is a reason to pay for a second call.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True)]
NonEmpty = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
EvidenceKind = Literal["chunk", "report", "relationship", "entity"]


def _number_between(low: float, high: float) -> BeforeValidator:
    """Reads 85, "85", "85%" or "8.5/10" as a number and moves it into [low, high]; None becomes `low`."""

    def read(value: Any) -> Any:
        if value is None:
            return low
        if isinstance(value, str):
            match = re.match(r"\s*(-?\d+(?:\.\d+)?)", value)
            if match is None:
                return value
            value = float(match.group(1))
        return min(max(value, low), high) if isinstance(value, int | float) else value

    return BeforeValidator(read)


def _at_most(count: int) -> BeforeValidator:
    """Cuts a list to its first `count` items; None becomes the empty list."""

    def cut(value: Any) -> Any:
        if value is None:
            return []
        return value[:count] if isinstance(value, list) else value

    return BeforeValidator(cut)


Score = Annotated[float, _number_between(0, 100)]
Rating = Annotated[float, _number_between(0, 10)]
Strength = Annotated[float, _number_between(1, 10)]


class Output(BaseModel):
    """Base of what a task returns."""

    model_config = ConfigDict(extra="forbid", frozen=True)


O_co = TypeVar("O_co", bound=Output, covariant=True)


class Task(BaseModel, Generic[O_co]):
    """Base of a task's input."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    output: ClassVar[type[Output]]
    # Fields without a place of their own in the prompt: they change how another field is written.
    unplaced: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def placeholders(cls) -> set[str]:
        """The fields that the prompt must hold, each once."""
        return set(cls.model_fields) - cls.unplaced

    @classmethod
    def name(cls) -> str:
        """Name of the task and of its prompt file."""
        return cls.__name__.lower()


# Index ---------------------------------------------------------------------------------------------------------


class ExtractedEntity(Output):
    """A named thing of a chunk, as written there; `type` is one of the allowed types or empty."""

    name: Text
    type: Text
    description: Text


class ExtractedRelationship(Output):
    """A statement of a chunk about two entities, in the direction stated; strength 1 (loose) to 10 (close)."""

    source: Text
    target: Text
    description: Text
    strength: Strength


class Extraction(Output):
    """All entities and relationships of one chunk; both may be empty."""

    entities: Annotated[list[ExtractedEntity], _at_most(200)]
    relationships: Annotated[list[ExtractedRelationship], _at_most(300)]


class Extract(Task[Extraction]):
    """Find the entities of the given types, and their relationships, in one chunk.

    `meanings` say what each type stands for, in the order of the types; empty where the names say enough.
    """

    output = Extraction
    unplaced = frozenset({"meanings"})
    text: str
    types: tuple[str, ...]
    meanings: tuple[str, ...] = ()


class Glean(Task[Extraction]):
    """Find what an extraction overlooked; `found` are the names that it brought."""

    output = Extraction
    unplaced = frozenset({"meanings"})
    text: str
    types: tuple[str, ...]
    found: tuple[str, ...]
    meanings: tuple[str, ...] = ()


class Verdict(Output):
    """Whether the two names of the pair with this number are of one thing, and why."""

    number: int
    same: bool
    reason: Text


class Verdicts(Output):
    """A verdict for each pair."""

    verdicts: Annotated[list[Verdict], _at_most(200)]


class NamedThing(BaseModel):
    """A name as the documents write it, with its type (maybe empty) and some of what they say of it."""

    model_config = ConfigDict(frozen=True)
    name: str
    type: str
    descriptions: tuple[str, ...]


class NamePair(BaseModel):
    """Two names that may be of one thing; `number` is unique in its task.

    `together` says whether one document holds both, `others` are names that one of the two might stand for as well.
    """

    model_config = ConfigDict(frozen=True)
    number: int = Field(ge=0)
    first: NamedThing
    second: NamedThing
    together: bool
    others: tuple[str, ...] = ()


class Resolve(Task[Verdicts]):
    """Decide for each pair whether its two names are of one and the same thing."""

    output = Verdicts
    pairs: tuple[NamePair, ...]


class Summary(Output):
    """One text that says what the descriptions say together."""

    summary: NonEmpty


class Summarise(Task[Summary]):
    """Merge the descriptions of an entity (`subject` is its name) or of a pair (`A – B`)."""

    output = Summary
    subject: str
    descriptions: tuple[str, ...]


class Finding(Output):
    """One insight of a report."""

    summary: NonEmpty
    explanation: Text


class CommunityReport(Output):
    """A report on a community; rating 0–10 says how much the community matters to the whole."""

    title: NonEmpty
    summary: NonEmpty
    rating: Rating
    rating_explanation: Text
    findings: Annotated[list[Finding], _at_most(12)]


class Member(BaseModel):
    """An entity of a community, most connected first."""

    model_config = ConfigDict(frozen=True)
    name: str
    type: str
    summary: str


class Tie(BaseModel):
    """A summarised relationship inside a community, heaviest first."""

    model_config = ConfigDict(frozen=True)
    source: str
    target: str
    summary: str
    weight: float


class ChildReport(BaseModel):
    """The report of a child community, used where the members would not fit the context."""

    model_config = ConfigDict(frozen=True)
    title: str
    summary: str


class Report(Task[CommunityReport]):
    """Write the report of one community."""

    output = CommunityReport
    members: tuple[Member, ...]
    ties: tuple[Tie, ...]
    children: tuple[ChildReport, ...] = ()


# Search --------------------------------------------------------------------------------------------------------


class Evidence(BaseModel):
    """A numbered piece of evidence; `number` is unique in its search, and what answers cite as [number]."""

    model_config = ConfigDict(frozen=True)
    number: int = Field(ge=1)
    kind: EvidenceKind
    title: str
    text: str


class Exchange(BaseModel):
    """A question of a conversation and its answer, without citations."""

    model_config = ConfigDict(frozen=True)
    question: str
    answer: str


class Standalone(Output):
    """A question that can be understood alone."""

    question: NonEmpty


class Rephrase(Task[Standalone]):
    """Make the user's `question` understandable without the conversation before it, oldest exchange first."""

    output = Standalone
    question: str
    conversation: tuple[Exchange, ...]


class HydeAnswer(Output):
    """A hypothetical answer in the style of a community report; empty falls back to the question."""

    answer: Text


class Hyde(Task[HydeAnswer]):
    """Write a hypothetical answer; `template` is the text of the report nearest to the question."""

    output = HydeAnswer
    question: str
    template: str


class ScoredAnswer(Output):
    """An intermediate answer with citations [n], its worth for the user's question, and what to ask next."""

    answer: Text
    score: Score
    follow_ups: Annotated[list[Text], _at_most(50)]


class Prime(Task[ScoredAnswer]):
    """Answer from community reports, and ask at least `follow_ups` questions that would complete the answer."""

    output = ScoredAnswer
    question: str
    evidence: tuple[Evidence, ...]
    response_type: str
    follow_ups: int = Field(ge=0)


class Answer(Task[ScoredAnswer]):
    """Answer `local_question` in service of the user's `question`, from the evidence around its entities."""

    output = ScoredAnswer
    question: str
    local_question: str
    evidence: tuple[Evidence, ...]
    response_type: str
    follow_ups: int = Field(ge=0)


class Candidate(BaseModel):
    """A follow-up question that may be asked; `asked_by` is the question whose answer asks it."""

    model_config = ConfigDict(frozen=True)
    number: int = Field(ge=1)
    question: str
    asked_by: str


class RefinedQuestion(Output):
    """A question to ask, and the numbers of the candidates in whose place it stands."""

    question: NonEmpty
    sources: Annotated[list[int], _at_most(50)]


class DroppedCandidate(Output):
    """A candidate that is not asked, and why."""

    number: int
    reason: Text


class Refined(Output):
    """The questions to ask, most useful first, and the candidates that are left out."""

    questions: Annotated[list[RefinedQuestion], _at_most(50)]
    dropped: Annotated[list[DroppedCandidate], _at_most(200)]


class Refine(Task[Refined]):
    """Of the candidates, most promising first, make at most `keep` questions that serve the user's `question` best.

    `asked` are the questions that were asked already.
    """

    output = Refined
    question: str
    asked: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    keep: int = Field(ge=1)


class IntermediateAnswer(BaseModel):
    """An answer of the primer or of a local search, with the question that it answers."""

    model_config = ConfigDict(frozen=True)
    question: str
    answer: str
    score: float


class FinalAnswer(Output):
    """The answer with citations [n]; `found` is false when the evidence does not tell."""

    answer: Text
    found: bool


class Reduce(Task[FinalAnswer]):
    """Reduce the intermediate answers, best first, to one answer; citations keep their numbers."""

    output = FinalAnswer
    question: str
    answers: tuple[IntermediateAnswer, ...]
    response_type: str


def all_tasks() -> tuple[type[Task[Any]], ...]:
    """Every task, in the order in which an index, a search and an evaluation performs them."""
    from drift_assets.language.judging import Judge, Support

    return (Extract, Glean, Resolve, Summarise, Report, Rephrase, Hyde, Prime, Answer, Refine, Reduce, Support, Judge)
