"""The report of a community, from the summaries of its members and ties."""

from __future__ import annotations

import math
from collections.abc import Sequence

from drift_assets.language.extractive.sentences import split
from drift_assets.language.extractive.summarise import central
from drift_assets.language.tasks import CommunityReport, Finding, Report

_FINDINGS = 6


def report(task: Report) -> CommunityReport:
    """Title from the leading members, summary and findings from ranked sentences, rating from size and weight."""
    names = [member.name for member in task.members]
    texts = [child.summary for child in task.children] + [member.summary for member in task.members]
    texts += [tie.summary for tie in task.ties]
    sentences = list(dict.fromkeys(sentence for text in texts for sentence in split(text)))
    best = central(sentences, " ".join(names[:3]), 4)
    summary = " ".join(best) or enumeration(names) or "A community without descriptions."
    return CommunityReport(
        title=title(task),
        summary=summary,
        rating=rating(task),
        rating_explanation=f"It joins {len(task.members)} named things by {len(task.ties)} relationships.",
        findings=findings(task),
    )


def title(task: Report) -> str:
    """The three leading members, or the leading children's titles, as a person would list them."""
    names = [member.name for member in task.members[:3]] or [child.title for child in task.children[:2]]
    return enumeration(names) or "Unnamed community"


def enumeration(names: Sequence[str]) -> str:
    """Names joined by commas and a last "and"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def rating(task: Report) -> float:
    """0–10: grows with the logarithm of members and of the ties' weight."""
    weight = sum(tie.weight for tie in task.ties)
    return round(min(1.5 + 1.2 * math.log2(1 + len(task.members)) + 0.6 * math.log2(1 + weight / 5), 10.0), 1)


def findings(task: Report) -> list[Finding]:
    """The heaviest ties, then the leading members."""
    found = [Finding(summary=f"{tie.source} and {tie.target}", explanation=tie.summary) for tie in task.ties[:3]]
    found += [Finding(summary=member.name, explanation=member.summary) for member in task.members[:3]]
    found += [Finding(summary=child.title, explanation=child.summary) for child in task.children[:3]]
    return found[:_FINDINGS]
