"""The report of a community, from the summaries of its members and ties."""

from __future__ import annotations

import math

from drift_assets.language.extractive.phrasing import enumerated, with_article
from drift_assets.language.extractive.sentences import split
from drift_assets.language.extractive.summarise import central
from drift_assets.language.tasks import CommunityReport, Finding, Report

_FINDINGS, _TIES = 6, 4
_TOLD = 4
_NAMED = 3


def report(task: Report) -> CommunityReport:
    """Title from the leading members, summary and findings from ranked sentences, rating from size and weight."""
    return CommunityReport(
        title=title(task),
        summary=summary(task),
        rating=rating(task),
        rating_explanation=f"It joins {len(task.members)} named things by {len(task.ties)} relationships.",
        findings=findings(task),
    )


def summary(task: Report) -> str:
    """What is most telling of each of the leading children and members, then of the heaviest ties."""
    told = [(child.title, child.summary) for child in task.children[:_TOLD]]
    told += [(member.name, member.summary) for member in task.members[:_TOLD]]
    told += [(f"{tie.source} {tie.target}", tie.summary) for tie in task.ties[:_TOLD]]
    kept: list[str] = []
    for subject, text in told:
        best = central([sentence for sentence in split(text) if sentence not in kept], subject, 1)
        kept += best if len(kept) < _TOLD else []
    return " ".join(kept) or enumerated([member.name for member in task.members[:_FINDINGS]]) or "Nothing is told."


def title(task: Report) -> str:
    """The three leading members, or the leading children's titles, as a person would list them."""
    text = " ".join([member.summary for member in task.members] + [tie.summary for tie in task.ties])
    names = [with_article(member.name, text) for member in task.members[:_NAMED]]
    listed = enumerated(names or [child.title for child in task.children[:2]]) or "Unnamed community"
    return listed[0].upper() + listed[1:]


def rating(task: Report) -> float:
    """0–10: grows with the logarithm of members and of the ties' weight; a pair with one loose tie is about 2."""
    weight = sum(tie.weight for tie in task.ties)
    members = len(task.members) + 4 * len(task.children)
    return round(min(1.1 * math.log2(1 + members) + 0.7 * math.log2(1 + weight / 4), 10.0), 1)


def findings(task: Report) -> list[Finding]:
    """What the heaviest ties, the children and the leading members say: a sentence, and what explains it."""
    described = {member.name: member.summary for member in task.members}
    said = [(tie.summary, described.get(tie.target, "")) for tie in task.ties[:_TIES]]
    said += [(child.summary, "") for child in task.children[:_TIES]]
    said += [(member.summary, "") for member in task.members[:_TIES]]
    found: dict[str, Finding] = {}
    for text, more in said:
        sentences = split(text)
        if sentences and sentences[0] not in found:
            rest = " ".join(sentences[1:]) or (more if sentences[0] not in more else "")
            found[sentences[0]] = Finding(summary=sentences[0], explanation=rest)
    return list(found.values())[:_FINDINGS]
