"""The figures of an evaluation as Markdown tables and as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from drift_assets.evaluation.differences import Difference, differences
from drift_assets.evaluation.judging import Share
from drift_assets.evaluation.run import Answered
from drift_assets.evaluation.table import by_kind
from drift_assets.markdown import figures_table

FIGURES = {
    "evidence_recall": "evidence recall",
    "traced_recall": "reports traced",
    "strict_match": "match, strict",
    "partial_match": "match, partial",
    "groundedness": "grounded",
    "citation_validity": "citations valid",
    "abstained": "abstained",
    "calls": "calls",
    "tokens": "tokens",
    "evidence_tokens": "tokens read",
    "cost_usd": "USD",
    "seconds": "seconds",
}
COMPARED = ("evidence_recall", "strict_match", "partial_match", "groundedness")
Rows = Mapping[str, Mapping[str, Answered]]


def means(rows: Rows) -> dict[str, dict[str, dict[str, float | int | None]]]:
    """Of each method, by kind of question: the number of questions and the mean of each figure, None without any."""
    found: dict[str, dict[str, dict[str, float | int | None]]] = {}
    for method, answers in rows.items():
        frame = by_kind(list(answers.values()), tuple(FIGURES))
        found[method] = {
            str(kind): {
                "questions": int(values["questions"]),
                **{name: None if values[name] != values[name] else float(values[name]) for name in FIGURES},
            }
            for kind, values in frame.iterrows()
        }
    return found


def compared(rows: Rows) -> list[Difference]:
    """The first method less each of the others."""
    first, *others = rows
    return [difference for other in others for difference in differences(first, other, rows, COMPARED)]


def to_json(rows: Rows, judged: Sequence[Share] = ()) -> dict[str, Any]:
    """Means, differences, what a judge says, and how many searches failed."""
    return {
        "methods": means(rows),
        "differences": [asdict(difference) for difference in compared(rows)],
        "judged": [asdict(share) for share in judged],
        "failed": sum("error" in row for answers in rows.values() for row in answers.values()),
    }


def to_markdown(rows: Rows, judged: Sequence[Share] = ()) -> str:
    """A table of the means, and where several methods were asked of the differences and of what a judge says."""
    lines = [
        [method, kind, values["questions"], *(values[name] for name in FIGURES)]
        for method, kinds in means(rows).items()
        for kind, values in kinds.items()
    ]
    parts = [figures_table(["method", "kind", "questions", *FIGURES.values()], lines)]
    found = compared(rows)
    if found:
        parts.append("Paired differences with their 95 % intervals, from resampled questions:")
        columns = ["kind", "figure", "methods", "questions", "difference", "from", "to"]
        parts.append(figures_table(columns, [_difference(difference) for difference in found]))
    if judged:
        parts.append("Share of the questions that a language model judges won, both orders together; 0.5 is even:")
        columns = ["criterion", "methods", "questions", "share won", "from", "to"]
        parts.append(figures_table(columns, [_share(share) for share in judged]))
    failures = sum("error" in row for answers in rows.values() for row in answers.values())
    if failures:
        parts.append(f"{failures} searches failed; they count as having found nothing.")
    return "\n\n".join(parts)


def _difference(of: Difference) -> list[object]:
    methods = f"{of.method} less {of.than}"
    return [of.kind, FIGURES[of.figure], methods, of.questions, of.difference, of.low, of.high]


def _share(of: Share) -> list[object]:
    return [of.criterion, f"{of.method} against {of.than}", of.questions, of.share, of.low, of.high]
