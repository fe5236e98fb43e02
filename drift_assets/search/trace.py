"""A search as Markdown: its answer, its sources, its tree of questions. Text of documents and models is escaped."""

from __future__ import annotations

from collections.abc import Sequence

from drift_assets.graph.searches import StoredQuestion
from drift_assets.markdown import escape, table
from drift_assets.search.result import SearchResult, Source

NEAREST = (
    "Made of sentences of the documents that are nearest to the question, without a language model: "
    "they need not answer it."
)
SIGNS = {"answered": "✓", "failed": "✗", "dropped": "–", "waiting": "…"}
LEGEND = (
    "✓ answered, ✗ failed, – dropped and not asked, … not asked yet; the number is the score of the answer, 0 to 100: "
    "how well it serves your question. Why one failed or was dropped stands after it."
)


def answer_markdown(result: SearchResult) -> str:
    """The answer, paragraph by paragraph, with its status and what must be known to trust it."""
    lines = [escape(line) for line in result.text.splitlines()]
    if result.reply == "nearest_passages":
        lines += ["", f"*{NEAREST}*"]
    lines += ["", f"**Status:** {escape(result.status)}", *(f"- {escape(note)}" for note in result.notes)]
    return "\n".join(lines).strip()


def sources_markdown(result: SearchResult) -> str:
    """What the answer cites, numbered as in the answer, each with the sentence that supports it."""
    return "\n".join(_source_line(source) for source in result.sources) or "No sources."


def tree_markdown(result: SearchResult) -> str:
    """The questions as a nested list: what was asked, what came of it, what was dropped and why."""
    return questions_markdown(result.questions)


def questions_markdown(questions: Sequence[StoredQuestion]) -> str:
    """The same, of the questions alone."""
    return "\n".join(_branch(children_of(questions), None, 0))


def children_of(questions: Sequence[StoredQuestion]) -> dict[str | None, list[StoredQuestion]]:
    """The questions by their parents, in their order; those without one stand under None."""
    children: dict[str | None, list[StoredQuestion]] = {}
    for question in questions:
        children.setdefault(question.parent, []).append(question)
    return children


def trace_markdown(result: SearchResult) -> str:
    """All of it, as one page."""
    return "\n\n".join(
        [
            f"# {escape(result.question)}",
            *([f"Asked as: {escape(result.asked_as)}"] if result.asked_as else []),
            answer_markdown(result),
            "## Sources",
            sources_markdown(result),
            "## Questions",
            tree_markdown(result),
            "## Stages",
            steps_markdown(result),
            f"*{escape(LEGEND)}*",
        ]
    )


def steps_markdown(result: SearchResult) -> str:
    """A table of the stages with their calls, tokens, cost and time."""
    return table(["stage", "language calls", "embedding calls", "tokens", "USD", "seconds"], step_rows(result))


def step_rows(result: SearchResult) -> list[list[str]]:
    """The cells of that table."""
    return [
        [
            name,
            str(step.usage.language_calls),
            str(step.usage.embedding_calls),
            str(step.usage.tokens),
            shown_usd(step.usage.cost_usd),
            f"{step.seconds:.2f}",
        ]
        for name, step in result.steps.items()
    ]


def calls_markdown(questions: Sequence[StoredQuestion]) -> str:
    """A table of the questions that were asked, with the calls, tokens, cost and time of each."""
    rows = [call_cells(question) for question in questions if question.calls]
    return table(["question", "calls", "tokens", "USD", "seconds"], rows) if rows else "No calls."


def call_cells(question: StoredQuestion) -> list[str]:
    """The cells of a question in that table."""
    return [
        question.text,
        str(question.calls),
        str(question.tokens),
        shown_usd(question.cost_usd),
        f"{question.seconds:.2f}",
    ]


def shown_usd(cost: float | None) -> str:
    """A cost in a table; an unknown one is said to be unknown."""
    return "unknown" if cost is None else f"{cost:.4f}"


def _source_line(source: Source) -> str:
    quote = "its document was deleted" if source.gone else f"“{escape(source.excerpt)}”"
    return f"{source.number}. **{escape(source.name)}** ({escape(source.place)}): {quote}"


def _branch(children: dict[str | None, list[StoredQuestion]], parent: str | None, depth: int) -> list[str]:
    lines = []
    for question in children.get(parent, []):
        score = f" ({question.score:.0f})" if question.score is not None else ""
        reason = f": {escape(question.reason)}" if question.reason else ""
        lines.append(f"{'  ' * depth}- {SIGNS[question.status]} {escape(question.text)}{score}{reason}")
        lines += _branch(children, question.id, depth + 1)
    return lines
