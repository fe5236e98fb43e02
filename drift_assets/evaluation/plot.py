"""The figures of an evaluation as a picture: for each figure the mean of each variant with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from drift_assets.evaluation.differences import interval
from drift_assets.evaluation.questions import UNANSWERABLE
from drift_assets.evaluation.run import Answered
from drift_assets.pages import text

SHOWN = {"evidence_recall": "evidence recall", "partial_match": "match, partial", "strict_match": "match, strict"}
_NAMES, _PANEL, _GAP, _ROW, _HEAD = 190, 200, 24, 22, 44


def plot_svg(rows: Mapping[str, Mapping[str, Answered]]) -> str:
    """An SVG: a line for each variant, a panel for each figure over all answerable questions, from 0 to 1.

    The bar is the middle 95 % of resampled means; with few questions it is wide.
    """
    width, height = _NAMES + len(SHOWN) * (_PANEL + _GAP), _HEAD + _ROW * len(rows) + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        "<style>text{font:12px sans-serif;fill:#333}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    lines += [
        f'<text x="{_NAMES - 8}" y="{_y(n) + 4}" text-anchor="end">{text(name)}</text>' for n, name in enumerate(rows)
    ]
    for place, (figure, name) in enumerate(SHOWN.items()):
        lines += _panel(place, name, [_values(list(answers.values()), figure) for answers in rows.values()])
    return "\n".join([*lines, "</svg>\n"])


def _panel(place: int, name: str, values: Sequence[Sequence[float]]) -> list[str]:
    left = _NAMES + place * (_PANEL + _GAP)
    bottom = _y(len(values) - 1) + _ROW // 2
    lines = [f'<text x="{left + _PANEL / 2:g}" y="16" text-anchor="middle">{text(name)}</text>']
    for part in (0.0, 0.5, 1.0):
        x = left + part * _PANEL
        lines.append(f'<line x1="{x:g}" y1="{_HEAD - 10}" x2="{x:g}" y2="{bottom}" stroke="#ccc"/>')
        lines.append(f'<text x="{x:g}" y="{_HEAD - 14}" text-anchor="middle">{part:g}</text>')
    for n, found in enumerate(values):
        if found:
            low, high = (left + _PANEL * end for end in interval(found))
            middle, y = left + _PANEL * fmean(found), _y(n)
            lines.append(f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" stroke="#48c" stroke-width="3"/>')
            lines.append(f'<circle cx="{middle:.1f}" cy="{y}" r="5" fill="#246"/>')
    return lines


def _values(answers: Sequence[Answered], figure: str) -> list[float]:
    return [float(row[figure]) for row in answers if row["kind"] != UNANSWERABLE and row[figure] is not None]


def _y(n: int) -> int:
    return _HEAD + n * _ROW + _ROW // 2 - 8
