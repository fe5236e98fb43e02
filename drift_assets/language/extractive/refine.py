"""A round of follow-ups refined without a model: those that ask nearly the same are merged into the first of them."""

from __future__ import annotations

from collections.abc import Sequence

from drift_assets.language.tasks import DroppedCandidate, Refine, Refined, RefinedQuestion
from drift_assets.likeness import asks_the_same

# Nearer wordings were taken out before: what is merged here overlaps.
_OVERLAPS = 0.85


def refine(task: Refine, cosines: Sequence[Sequence[float]]) -> Refined:
    """The first `keep` questions that overlap with none before them; `cosines` are those between the candidates."""
    leads: list[int] = []
    sources: dict[int, list[int]] = {}
    for n, candidate in enumerate(task.candidates):
        lead = next(
            (
                m
                for m in leads
                if asks_the_same(candidate.question, task.candidates[m].question, cosines[n][m], _OVERLAPS)
            ),
            n,
        )
        if lead == n:
            leads.append(n)
        sources.setdefault(lead, []).append(candidate.number)
    kept, left = leads[: task.keep], leads[task.keep :]
    reason = f"beyond the {task.keep} questions of a round"
    return Refined(
        questions=[RefinedQuestion(question=task.candidates[n].question, sources=sources[n]) for n in kept],
        dropped=[DroppedCandidate(number=number, reason=reason) for n in left for number in sources[n]],
    )
