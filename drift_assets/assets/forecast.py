"""What the stages after the extraction will take, from what the indexed part of a corpus holds and what it took.

Calls follow from how many things will be told of anew; tokens from how often, measured by what earlier calls took.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drift_assets.assets.resolution import PAIRS_PER_CALL
from drift_assets.graph.plans import Halves, Said, Sample
from drift_assets.growth import Group, Growth, growth
from drift_assets.language.prompts import render
from drift_assets.language.tasks import Member, Report, Resolve, Summarise, Task
from drift_assets.settings import Settings
from drift_assets.tokens import count_tokens

_CHARS = 4.0
# Of more names a greater share is alike.
_ALIKE = 1.5
# By how many levels the hierarchy grows when there are e times as many entities, and by which power of what it is told
# of a report grows: seen in Alice and Moby-Dick.
_LEVELS, _LONGER = 0.4, 0.45
# Where entities have more ties each, communities are larger and so fewer.
_CLOSER = -0.1


@dataclass(frozen=True, slots=True)
class Forecast:
    """Calls and tokens of a stage; tokens are None where no earlier call tells."""

    calls: float
    input_tokens: float | None
    output_tokens: float | None


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be done already: texts to extract, and what is stale in later stages."""

    texts: int
    pairs: int
    summaries: int
    reports: int


class _Things:
    """Entities, or pairs of them: as they are, and at `size` times the texts that were read."""

    def __init__(self, said: Sequence[Said], size: float, kept: float) -> None:
        self.said = said
        self.growth: Growth = growth({one.told: one.count for one in said})
        self.known = self.growth.known(size, kept)
        merged = [*self.known, self.growth.unknown(size)]
        self.merged = [group for group in merged if group.told > 1.5]
        spoken = sum(one.told * one.count for one in said)
        self.chars = sum(one.chars for one in said) / spoken if spoken else 0.0
        self.things, self.things_then = self.growth.things, self.growth.things_at(size)
        self.ratio = self.things_then / self.things if self.things else 1.0
        self.size, self.kept = size, kept

    def summary_chars(self, told: float) -> float:
        """How long the summary of so many descriptions is: as long as those of the nearest count that there are."""
        if told < 1.5 or not (several := [one for one in self.said if one.told > 1]):
            return self.chars
        near = [one for one in several if one.told <= told] or several[:1]
        last = near[-1].told
        # Of few things with so many descriptions one alone may be odd.
        near = [one for one in near if one.told > last / 2]
        return sum(one.summary_chars for one in near) / sum(one.count for one in near)

    def content(self) -> tuple[float, float]:
        """Characters of all summaries now, and then."""
        now = sum(one.summary_chars for one in self.said)
        once = self.growth.once_at(self.size)
        count = sum(group.count for group in self.merged) or 1.0
        mean = sum(group.count * self.summary_chars(group.told) for group in self.merged) / count
        return float(now), once * self.chars + max(self.things_then - once, 0.0) * mean


def forecast(
    sample: Sample, due: Due, settings: Settings, history: Mapping[str, Mapping[str, float]]
) -> dict[str, Forecast]:
    """What `resolution`, `summaries` and `reports` take when all that is due is extracted."""
    size = max((sample.kept + due.texts) / sample.texts, 0.01)
    kept = min(sample.kept / sample.texts, 1.0)
    entities, pairs = _Things(sample.entities, size, kept), _Things(sample.pairs, size, kept)
    ratio = more_entities(entities.ratio, sample.halves, size)
    return {
        "resolution": _resolution(sample, due, entities, ratio, settings, history.get("resolution", {})),
        "summaries": _summaries(due, (entities, pairs), settings, history.get("summaries", {})),
        "reports": _reports(sample, due, entities, pairs, ratio, settings, history.get("reports", {})),
    }


def more_entities(law: float, halves: Halves | None, size: float) -> float:
    """How many times more entities there will be: between what the law says, and what the halves of the part say.

    A document tells of the same again and again, so that the law, which knows no documents, sees fewer new things to
    come than there are; the halves of a part are too few texts to go by alone.
    """
    if halves is None or size <= 1 or not halves.half_things:
        return law
    grown = math.log(halves.things / halves.half_things) / math.log(halves.texts / halves.half_texts)
    return math.sqrt(law * size ** min(max(grown, 0.0), 1.0))


def _summaries(due: Due, kinds: Sequence[_Things], settings: Settings, took: Mapping[str, float]) -> Forecast:
    around = _prompt(settings, Summarise(subject="x", descriptions=("x",)))
    now = [(Group(one.count, one.told), kind) for kind in kinds for one in kind.said if one.told > 1]
    then = [(group, kind) for kind in kinds for group in kind.merged]
    touched = sum(group.count for kind in kinds for group in kind.known if group.told > 1.5)
    several = sum(group.count for group, _ in now) or 1.0
    rest = due.summaries * max(1 - touched / several, 0.0)

    def sums(groups: Sequence[tuple[Group, _Things]]) -> tuple[float, float, float]:
        calls = given = made = 0.0
        for group, kind in groups:
            tokens = group.told * kind.chars / _CHARS
            parts = tokens / settings.context_tokens
            each = 1.0 if parts <= 1 else parts + 1
            calls += group.count * each
            given += group.count * (each * around + tokens)
            made += group.count * each * kind.summary_chars(group.told) / _CHARS
        return calls, given, made

    return _measured(sums(then), sums(now), rest, took)


def _reports(
    sample: Sample,
    due: Due,
    entities: _Things,
    pairs: _Things,
    ratio: float,
    settings: Settings,
    took: Mapping[str, float],
) -> Forecast:
    around = _prompt(settings, Report(members=(Member(name="x", type="x", summary="x"),), ties=()))
    still = sum(
        entities.growth.untouched(told, things, entities.size, entities.kept) for told, things in sample.communities
    )
    closer = pairs.ratio / entities.ratio if pairs.things and entities.things else 1.0
    ratio *= closer**_CLOSER
    fresh = len(sample.communities) * max(ratio - 1, 0.0)
    calls = len(sample.communities) - still + fresh
    rest = due.reports * (still / len(sample.communities) if sample.communities else 1.0)
    count, held = max(len(sample.communities), 1), max(entities.things, 1)
    levels = sum(things for _, things in sample.communities) / held
    levels_then = levels + _LEVELS * math.log(max(ratio, 1.0))
    (members, members_then), (ties, ties_then) = entities.content(), pairs.content()
    now = levels * (members + ties) / _CHARS / count
    then = levels_then * (members_then + ties_then) / _CHARS / (count * max(ratio, 0.01))
    longer = (then / now) ** _LONGER if now and then else 1.0
    return _measured((calls, calls * (around + then), calls * longer), (1.0, around + now, 1.0), rest, took)


def _resolution(
    sample: Sample, due: Due, entities: _Things, ratio: float, settings: Settings, took: Mapping[str, float]
) -> Forecast:
    around = _prompt(settings, Resolve(pairs=()))
    # A name is shown with its first descriptions in the order of hashes: more of them are likely to change these.
    then = {one.told: one.told + entities.growth.told_more(one.told, entities.size) for one in entities.said}
    same = sum(one.count * (one.told / max(then[one.told], 1.0)) ** 2 for one in entities.said)
    same /= max(entities.things, 1)
    asked = sample.decided * (1 - same**2) + sample.decided * max(ratio**_ALIKE - 1, 0.0) + due.pairs
    calls = -(-asked // PAIRS_PER_CALL)
    decided = took.get("pairs", 0)
    if not decided:
        return Forecast(calls, None if calls else 0, None if calls else 0)
    given, made, earlier = (took.get(name, 0) for name in ("input_tokens", "output_tokens", "language_calls"))
    each = max(given - earlier * around, 0.0) / decided
    return Forecast(calls, calls * around + asked * each, asked * made / decided)


def _measured(
    then: tuple[float, float, float], now: tuple[float, float, float], rest: float, took: Mapping[str, float]
) -> Forecast:
    """The calls and tokens foreseen, times by how much earlier calls differed from what would be foreseen of them.

    `rest` is how many more are due, which take what earlier ones took.
    """
    calls, given, made = then
    earlier = took.get("language_calls", 0)
    if not earlier or not now[0]:
        return Forecast(calls + rest, None if calls + rest else 0, None if calls + rest else 0)
    per_call = [took.get(name, 0) / earlier for name in ("input_tokens", "output_tokens")]
    factors = [mean / (one / now[0]) if one else 0.0 for mean, one in zip(per_call, now[1:], strict=True)]
    return Forecast(calls + rest, given * factors[0] + rest * per_call[0], made * factors[1] + rest * per_call[1])


def _prompt(settings: Settings, task: Task) -> int:  # type: ignore[type-arg]
    prompt = render(task, settings.prompts)
    return count_tokens(prompt.instructions) + count_tokens(prompt.input)
