"""The methods that DRIFT is compared with: what each reads, in as many calls as that takes, before the same reduce.

local: what a local search around the question itself brings. vector: the nearest chunks, whole. global: the nearest
reports, each call over a part of them. Each reads as much as one call may (global: as five may), or what
`evidence_tokens` allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drift_assets.graph.retrieval import Kind, Piece
from drift_assets.language.tasks import Answer, Evidence, Prime, ScoredAnswer, Task
from drift_assets.search import lookup
from drift_assets.search.context import LARGEST_SHARES, admit, parts
from drift_assets.search.evidence import local_context
from drift_assets.search.options import Method
from drift_assets.search.step import Step

_CALLS: Mapping[Method, int] = {"local": 1, "vector": 1, "global": 5}
_SHARES: Mapping[Method, Mapping[Kind, float]] = {
    "local": LARGEST_SHARES,
    "vector": {"chunk": 1.0},
    "global": {"report": 1.0},
}
# So many are looked at that even short ones fill the room; the index allows no more.
_SHORT, _MOST = 50, 1_000


async def contexts(step: Step) -> list[list[Piece]]:
    """What each call of the search's method reads; empty when the index holds nothing for it."""
    method, one_call = step.options.method, step.settings.context_tokens
    room = step.options.evidence_tokens or one_call * _CALLS[method]
    [admitted] = admit([await _pieces(step, room)], (), room, _SHARES[method])
    return parts(admitted, one_call)


def task(step: Step, evidence: tuple[Evidence, ...]) -> Task[ScoredAnswer]:
    """One call of the method."""
    question, form = step.question, step.options.form
    if step.options.method == "global":
        return Prime(question=question, evidence=evidence, response_type=form, follow_ups=0)
    return Answer(question=question, local_question=question, evidence=evidence, response_type=form, follow_ups=0)


async def _pieces(step: Step, room: int) -> Sequence[Piece]:
    vector, count = step.question_vector, min(_MOST, max(1, room // _SHORT))
    if step.options.method == "vector":
        return await lookup.chunks_near(step, vector, count)
    if step.options.method == "global":
        return await lookup.reports_near(step, vector, count)
    return await local_context(step, step.question, vector, room=room)
