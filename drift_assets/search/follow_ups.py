"""Given the search so far, what next? The tree of questions as plain values: no clock, no chance, no calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from drift_assets.graph.searches import StoredQuestion
from drift_assets.language.tasks import Refined
from drift_assets.likeness import asks_the_same, normal_form
from drift_assets.search.options import SearchOptions

PRIMER_FOLLOW_UPS = 5
WIDEST_FIRST_ROUND = 20
LONGEST_FOLLOW_UP = 1_000
# A parent's score is a model's guess, and a follow-up of a poor answer may be what was missing.
_LEAST_TRUST = 0.2
# What an answer asks first it holds to be more useful; by this much per place.
_LATER = 0.97
Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that the answer of `parent` asks next.

    `gain` is what asking it may bring, 0 to 1, None before it is ranked.
    """

    parent: StoredQuestion
    text: str
    place: int
    gain: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The next round as far as it is decided: what is to be asked, in order, and what is dropped, with the reason."""

    round: int
    kept: tuple[FollowUp, ...] = ()
    dropped: tuple[tuple[FollowUp, str], ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)

    def without(self, drops: Sequence[tuple[FollowUp, str]]) -> Plan:
        """The same with these dropped as well."""
        gone = [follow_up for follow_up, _ in drops]
        return replace(self, kept=tuple(one for one in self.kept if one not in gone), dropped=(*self.dropped, *drops))


def waiting_round(questions: Sequence[StoredQuestion]) -> list[StoredQuestion]:
    """The questions to ask now: those that wait in the lowest round that has any, in order."""
    waiting = [question for question in questions if question.status == "waiting" and question.round > 0]
    lowest = min((question.round for question in waiting), default=0)
    return [question for question in waiting if question.round == lowest]


def candidates(questions: Sequence[StoredQuestion], options: SearchOptions) -> Plan:
    """The follow-ups of the last round, best parent first (score, then the parents' order, then their own).

    Dropped are those without words, those that are too long, and those with the words of a question that was asked,
    waits or stands before them. None comes beyond `depth`. Where the primer brought no follow-up, the round asks the
    user's question itself.
    """
    last = max((question.round for question in questions), default=0)
    asked = {normal_form(question.text): question.text for question in questions if question.status != "dropped"}
    if last >= options.depth:
        return Plan(last + 1)
    parents = sorted(
        (question for question in questions if question.round == last and question.status in ("answered", "failed")),
        key=lambda question: (-(question.score or 0.0), question.order),
    )
    before = dict(asked)
    kept: list[FollowUp] = []
    dropped: list[tuple[FollowUp, str]] = []
    for parent in parents:
        for place, text in enumerate(parent.follow_ups):
            follow_up = FollowUp(parent, text, place)
            if reason := _reason_to_drop(text, asked):
                dropped.append((follow_up, reason))
            else:
                asked[normal_form(text)] = text
                kept.append(follow_up)
    if last == 0 and not kept and parents:
        kept.append(FollowUp(parents[0], parents[0].text, 0))
    return Plan(last + 1, tuple(kept), tuple(dropped), before)


def apart(plan: Plan, vectors: Mapping[str, Vector]) -> Plan:
    """Without the follow-ups that ask in other words what was asked, waits or stands before them.

    `vectors` are unit vectors by text; a text without one is like no other.
    """
    import numpy as np

    known = {text: np.asarray(vector) for text, vector in vectors.items()}
    others = [text for text in plan.asked.values() if text in known]
    drops = []
    for follow_up in plan.kept:
        own = known.get(follow_up.text)
        if own is None or follow_up.text in others:
            continue
        same = next((text for text in others if asks_the_same(follow_up.text, text, float(own @ known[text]))), None)
        if same is None:
            others.append(follow_up.text)
        else:
            drops.append((follow_up, f"asks the same as “{same}”"))
    return plan.without(drops)


def of_each_answer(plan: Plan, options: SearchOptions) -> Plan:
    """At most `follow_ups` of an answer, those that it asks first; of the primer's all."""
    taken: dict[str, int] = {}
    drops = []
    for follow_up in plan.kept:
        taken[follow_up.parent.id] = taken.get(follow_up.parent.id, 0) + 1
        if plan.round > 1 and taken[follow_up.parent.id] > options.follow_ups:
            drops.append((follow_up, f"beyond the {options.follow_ups} follow-ups of an answer"))
    return plan.without(drops)


def by_gain(plan: Plan, unseen: Mapping[str, float]) -> Plan:
    """What promises most comes first.

    The gain is the parent's score times `unseen`: the share, by text, of the evidence around the follow-up that this
    search has not read. Ties stay in their order.
    """
    rated = [replace(follow_up, gain=_gain(follow_up, unseen.get(follow_up.text, 1.0))) for follow_up in plan.kept]
    return replace(plan, kept=tuple(sorted(rated, key=lambda follow_up: -(follow_up.gain or 0.0))))


def width(plan: Plan, options: SearchOptions) -> int:
    """How many questions the round may ask: the first the primer's, up to 20, a later one as many as run at once."""
    return WIDEST_FIRST_ROUND if plan.round == 1 else options.parallel


def within(plan: Plan, most: int) -> Plan:
    """The first `most` of them."""
    reason = f"beyond the {most} questions of a round"
    return plan.without(
        [
            (one, f"{reason}, expected gain {one.gain:.2f}" if one.gain is not None else reason)
            for one in plan.kept[most:]
        ]
    )


def refined(plan: Plan, output: Refined, most: int) -> Plan:
    """The round as a model merged and sharpened it, which knows the follow-ups by their place, from 1.

    Each of its questions hangs below the parent of the first follow-up that it stands for. What it names twice, makes
    up or repeats is not taken; when nothing is left, the first `most` are asked as they are.
    """
    free = {n: follow_up for n, follow_up in enumerate(plan.kept, 1)}
    asked = dict(plan.asked)
    kept: list[FollowUp] = []
    drops: list[tuple[FollowUp, str]] = []
    for question in output.questions:
        merged = [free.pop(n) for n in dict.fromkeys(sorted(question.sources)) if n in free]
        if not merged:
            continue
        text, lead = question.question, merged[0]
        if normal_form(text) == normal_form(lead.text) or _reason_to_drop(text, asked):
            text = lead.text
        if len(kept) >= most:
            drops += [(one, f"beyond the {most} questions of a round") for one in merged]
            continue
        asked[normal_form(text)] = text
        kept.append(replace(lead, text=text))
        drops += [(one, f"merged into “{text}”") for one in merged[1:]]
        if text != lead.text:
            drops.append((lead, f"asked as “{text}”"))
    if not kept:
        return within(plan, most)
    reasons = {one.number: " ".join(one.reason.split()) for one in output.dropped}
    drops += [(one, reasons.get(n) or "left out when the round was refined") for n, one in free.items()]
    return replace(plan, kept=tuple(kept), dropped=(*plan.dropped, *drops))


def as_questions(plan: Plan) -> list[StoredQuestion]:
    """The questions of the round as they are stored: those that wait, then those dropped."""
    rows = [*((one, None) for one in plan.kept), *plan.dropped]
    return [_question(one.parent, plan.round, n, one.text, reason) for n, (one, reason) in enumerate(rows)]


def _gain(follow_up: FollowUp, unseen: float) -> float:
    trust = _LEAST_TRUST + (1 - _LEAST_TRUST) * (follow_up.parent.score or 0.0) / 100
    return round(trust * unseen * _LATER**follow_up.place, 4)


def _reason_to_drop(text: str, asked: Mapping[str, str]) -> str | None:
    words = normal_form(text)
    if not words:
        return "holds no words"
    if len(text) > LONGEST_FOLLOW_UP:
        return f"longer than {LONGEST_FOLLOW_UP:,} characters"
    if words in asked:
        return f"asked already in the same words: “{asked[words]}”"
    return None


def _question(parent: StoredQuestion, round: int, order: int, text: str, reason: str | None) -> StoredQuestion:
    search_id = parent.id.rsplit(".", 2)[0]
    return StoredQuestion(
        id=f"{search_id}.{round}.{order}",
        parent=parent.id,
        round=round,
        order=order,
        text=text[:LONGEST_FOLLOW_UP],
        status="waiting" if reason is None else "dropped",
        reason=reason,
    )
