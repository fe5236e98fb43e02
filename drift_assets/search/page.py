"""A search as one page of HTML: its answer, its sources, its tree of questions with what each read and took."""

from __future__ import annotations

import re

from drift_assets.graph.searches import StoredQuestion
from drift_assets.pages import page, text
from drift_assets.search.result import SearchResult, Source
from drift_assets.search.trace import LEGEND, NEAREST, SIGNS, call_cells, children_of, shown_usd, step_rows

_CITATION = re.compile(r"\[(\d+)\]")
_CALL_COLUMNS = ("question", "calls", "tokens", "USD", "seconds")


def trace_page(result: SearchResult) -> str:
    """The whole search; whatever documents and models say is shown as they say it."""
    parts = [
        f"<h1>{text(result.question)}</h1>",
        f'<div class="text">{_linked(result.text)}</div>',
        _facts(result),
        "<h2>Sources</h2>",
        "".join(map(_source, result.sources)) or "<p>No sources.</p>",
        "<h2>Questions</h2>",
        _branch(result, children_of(result.questions), None),
        f'<p class="small">{text(LEGEND)}</p>',
        "<h2>Stages</h2>",
        _table(("stage", "language", "embedding", "tokens", "USD", "seconds"), step_rows(result)),
        "<h2>Calls</h2>",
        _table(_CALL_COLUMNS, [call_cells(question) for question in result.questions if question.calls]),
        "<h2>Evidence</h2>",
        "".join(map(_evidence, result.evidence)) or "<p>Nothing was read.</p>",
    ]
    return page(result.question, "\n".join(part for part in parts if part))


def _facts(result: SearchResult) -> str:
    usage = result.usage
    facts = [
        f"{result.status.replace('_', ' ')}, made by {result.origin or 'nobody'}",
        f"{usage.calls:,} calls, {usage.tokens:,} tokens, {shown_usd(usage.cost_usd)} USD, {result.seconds:.1f} s",
        f"search {result.search_id}, run {result.run_id}",
    ]
    if result.asked_as:
        facts.append(f"asked after search {result.options.after} as: {result.asked_as}")
    if result.options.replay is not None:
        facts.append(f"took over search {result.options.replay} up to {result.options.replay_from}")
    if result.reply == "nearest_passages":
        facts.insert(0, NEAREST)
    notes = "".join(f"<li>{text(note)}</li>" for note in result.notes)
    return f'<p class="small">{"<br>".join(map(text, facts))}</p>' + (f"<ul>{notes}</ul>" if notes else "")


def _branch(result: SearchResult, children: dict[str | None, list[StoredQuestion]], parent: str | None) -> str:
    items = "".join(
        f'<li class="{question.status}"><details{" open" if parent is None else ""}>{_question(result, question)}'
        f"</details>{_branch(result, children, question.id)}</li>"
        for question in children.get(parent, [])
    )
    return f'<ul class="tree">{items}</ul>' if items else ""


def _question(result: SearchResult, question: StoredQuestion) -> str:
    score = f" <b>{question.score:.0f}</b>" if question.score is not None else ""
    reason = f': <span class="small">{text(question.reason)}</span>' if question.reason else ""
    head = f"<summary>{SIGNS[question.status]} {text(question.text)}{score}{reason}</summary>"
    lines = [f'<div class="text">{_linked(question.answer)}</div>'] if question.answer else []
    if read := result.readings.get(question.id):
        lines.append(f'<p class="small">read {" ".join(_link(number) for number in read)}</p>')
    if question.calls:
        took = ", ".join(
            f"{value} {name}" for name, value in zip(_CALL_COLUMNS[1:], call_cells(question)[1:], strict=True)
        )
        lines.append(f'<p class="small">round {question.round}, {text(took)}</p>')
    return head + "".join(lines)


def _source(source: Source) -> str:
    quote = "its document was deleted" if source.gone else f"“{source.excerpt}”"
    return f"<p>{_link(source.number)} <b>{text(source.name)}</b> ({text(source.place)}): {text(quote)}</p>"


def _evidence(source: Source) -> str:
    said = '<p class="gone">its document was deleted</p>' if source.gone else f'<p class="text">{text(source.text)}</p>'
    return (
        f'<details id="e{source.number}"><summary>[{source.number}] {text(source.name)} '
        f'<span class="small">({text(source.place)}, {source.tokens:,} tokens)</span></summary>{said}</details>'
    )


def _linked(answer: str) -> str:
    """The answer with its citations as links to the evidence."""
    return _CITATION.sub(lambda match: _link(int(match.group(1))), text(answer))


def _link(number: int) -> str:
    return f'<a href="#e{number}">[{number}]</a>'


def _table(columns: tuple[str, ...], rows: list[list[str]]) -> str:
    if not rows:
        return "<p>None.</p>"
    head = "".join(f"<th>{text(column)}</th>" for column in columns)
    lines = "".join("<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{lines}</table>"
