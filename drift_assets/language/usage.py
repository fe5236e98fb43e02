"""What calls cost: counted as they happen, and held against the limits that the user set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Literal

from drift_assets.errors import LimitReached
from drift_assets.wording import counted

SHOWN_FLAWED = 10


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds of one run or search; None is no bound. Cost in USD.

    `scheduled` says that the bounds of a run that nobody waits for are among them.
    """

    calls: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    scheduled: bool = False


@dataclass(slots=True)
class Usage:
    """Calls performed, tokens and cost so far.

    `input_tokens` includes the cached ones. `cost_usd` is None as soon as one call's price is unknown: an unknown
    cost is never counted as zero. Offline models cost 0. `repaired`, `asked_again` and `unparsed` count answers that
    were not of the wanted form: mended without a call, asked for once more, and given up after that.
    """

    language_calls: int = 0
    embedding_calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    embedding_tokens: int = 0
    cost_usd: float | None = 0.0
    call_seconds: float = 0.0
    repaired: int = 0
    asked_again: int = 0
    unparsed: int = 0

    @property
    def calls(self) -> int:
        """Language and embedding calls together."""
        return self.language_calls + self.embedding_calls

    @property
    def tokens(self) -> int:
        """All tokens, input and output and embedded."""
        return self.input_tokens + self.output_tokens + self.embedding_tokens

    def add(self, other: Usage) -> None:
        """Add the figures of `other` to these."""
        for name in (
            "language_calls",
            "embedding_calls",
            "input_tokens",
            "cached_tokens",
            "output_tokens",
            "embedding_tokens",
            "call_seconds",
            "repaired",
            "asked_again",
            "unparsed",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.cost_usd = None if self.cost_usd is None or other.cost_usd is None else self.cost_usd + other.cost_usd

    def since(self, earlier: Usage) -> Usage:
        """What came on top of `earlier` figures of the same count."""
        names = (field.name for field in fields(self) if field.name != "cost_usd")
        cost = None if self.cost_usd is None or earlier.cost_usd is None else self.cost_usd - earlier.cost_usd
        return Usage(cost_usd=cost, **{name: getattr(self, name) - getattr(earlier, name) for name in names})


_measuring: ContextVar[tuple[Usage, ...]] = ContextVar("measuring", default=())


@contextmanager
def measured() -> Iterator[Usage]:
    """What meters count inside the block, in this asyncio task and those that it starts there."""
    used = Usage()
    token = _measuring.set((*_measuring.get(), used))
    try:
        yield used
    finally:
        _measuring.reset(token)


@dataclass(slots=True)
class Meter:
    """Usage with limits: `begin` a call, `add` what it took. `flawed` tells the first answers of another form."""

    limits: Limits = field(default_factory=Limits)
    usage: Usage = field(default_factory=Usage)
    flawed: list[str] = field(default_factory=list)

    def flaw(self, kind: Literal["repaired", "asked_again", "unparsed"], what: str) -> None:
        """Count an answer that was not of the wanted form; `what` says of which item it is, and what was wrong."""
        self.add(Usage(**{kind: 1}))
        if len(self.flawed) < SHOWN_FLAWED:
            self.flawed.append(what)

    def add(self, usage: Usage) -> None:
        """Count this, also for those who measure what this task uses."""
        for measure in (self.usage, *_measuring.get()):
            measure.add(usage)

    def begin(self, call: Usage) -> None:
        """Count a call as it starts. Raises LimitReached when none is allowed any more; calls in flight still finish.

        Looking and counting are one step: were calls counted when they end, those in flight would exceed the limit.
        """
        used, limits = self.usage, self.limits
        if limits.calls is not None and used.calls + call.calls > limits.calls:
            raise _reached(counted(limits.calls, "call"), "max_calls", limits)
        if limits.tokens is not None and used.tokens >= limits.tokens:
            raise _reached(counted(limits.tokens, "token"), "max_tokens", limits)
        if limits.cost_usd is not None and used.cost_usd is not None and used.cost_usd >= limits.cost_usd:
            raise _reached(f"{limits.cost_usd} USD", "max_cost_usd", limits)
        self.add(call)


def variables_of(limit: str, *, scheduled: bool) -> str:
    """The variables that set a limit of a run; both hold where a run that nobody waits for has one of its own."""
    own = f"DRIFT_{limit.upper()}"
    return f"DRIFT_SCHEDULED_{limit.upper()} or {own}" if scheduled and limit != "max_calls" else own


def _reached(limit: str, name: str, limits: Limits) -> LimitReached:
    ways = variables_of(name, scheduled=limits.scheduled)
    if not limits.scheduled:
        ways = f"--{name.replace('_', '-')}, or {ways}"
    return LimitReached(f"the limit of {limit} is reached; raise {name} to go on ({ways})")
