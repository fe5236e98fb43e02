"""A search as Markdown: its answer, its sources, its tree of questions. Text of documents and models is escaped."""

from __future__ import annotations

from drift_assets.graph.searches import StoredQuestion
from drift_assets.markdown import escape, table
from drift_assets.search.result import SearchResult, Source

_SIGNS = {"answered": "✓", "failed": "✗", "dropped": "–", "waiting": "…"}


def answer_markdown(result: SearchResult) -> str:
    """The answer, paragraph by paragraph, with its status and what must be known to trust it."""
    lines = [escape(line) for line in result.answer.splitlines()]
    if result.origin == "extractive":
        lines += ["", "*Made of sentences of the documents, without a language model.*"]
    lines += ["", f"**Status:** {escape(result.status)}", *(f"- {escape(note)}" for note in result.notes)]
    return "\n".join(lines).strip()


def sources_markdown(result: SearchResult) -> str:
    """What the answer cites, numbered as in the answer, each with the sentence that supports it."""
    return "\n".join(_source_line(source) for source in result.sources) or "No sources."


def tree_markdown(result: SearchResult) -> str:
    """The questions as a nested list: what was asked, what came of it, what was dropped and why."""
    children: dict[str | None, list[StoredQuestion]] = {}
    for question in result.questions:
        children.setdefault(question.parent, []).append(question)
    return "\n".join(_branch(children, None, 0))


def trace_markdown(result: SearchResult) -> str:
    """All of it, as one page."""
    return "\n\n".join(
        [
            f"# {escape(result.question)}",
            answer_markdown(result),
            "## Sources",
            sources_markdown(result),
            "## Questions",
            tree_markdown(result),
            "## Stages",
            steps_markdown(result),
        ]
    )


def steps_markdown(result: SearchResult) -> str:
    """A table of the stages with their calls, tokens, cost and time."""
    rows = [
        [
            name,
            str(step.usage.language_calls),
            str(step.usage.embedding_calls),
            str(step.usage.tokens),
            "unknown" if step.usage.cost_usd is None else f"{step.usage.cost_usd:.4f}",
            f"{step.seconds:.2f}",
        ]
        for name, step in result.steps.items()
    ]
    return table(["stage", "language calls", "embedding calls", "tokens", "USD", "seconds"], rows)


def _source_line(source: Source) -> str:
    place = f", {escape(source.document)}" if source.document and source.document != source.title else ""
    quote = "its document was deleted" if source.gone else f"“{escape(source.excerpt)}”"
    return f"{source.number}. **{escape(source.title)}** ({source.kind}{place}): {quote}"


def _branch(children: dict[str | None, list[StoredQuestion]], parent: str | None, depth: int) -> list[str]:
    lines = []
    for question in children.get(parent, []):
        score = f" ({question.score:.0f})" if question.score is not None else ""
        reason = f": {escape(question.reason)}" if question.reason else ""
        lines.append(f"{'  ' * depth}- {_SIGNS[question.status]} {escape(question.text)}{score}{reason}")
        lines += _branch(children, question.id, depth + 1)
    return lines
