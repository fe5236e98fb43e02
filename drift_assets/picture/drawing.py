"""A picture of the graph as SVG, and as a page or a small image around it. All text is escaped."""

from __future__ import annotations

import base64
from collections import Counter
from dataclasses import dataclass

from drift_assets.graph.picture import Drawn, DrawnEntity
from drift_assets.pages import page, text
from drift_assets.picture.labels import label_places
from drift_assets.picture.layout import layout

MOST_NODES, MOST_TIES = 150, 450
SMALL_NODES, SMALL_TIES = 60, 90
_SIDE, _MARGIN = 1_000, 60
_LONGEST_LABEL, _LONGEST_TEXT = 28, 400
_STYLE = """\
svg text { fill: currentColor; font: 11px system-ui, sans-serif; text-anchor: middle; pointer-events: none;
  paint-order: stroke; stroke: Canvas; stroke-width: 3px; stroke-opacity: .8; }
svg line { stroke: currentColor; stroke-opacity: .25; } svg line:hover { stroke-opacity: 1; }
svg circle:hover { stroke: currentColor; stroke-width: 3; }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 50%; margin-right: .4em; }
"""
# An image has no page around it to take its colours from.
_ALONE = (
    "<style>text{font:11px sans-serif;text-anchor:middle;fill:#444}line{stroke:#888;stroke-opacity:.5}</style>"
    '<rect width="100%" height="100%" fill="#fff"/>'
)


@dataclass(frozen=True, slots=True)
class Group:
    """A community of the picture: its number by size, its title and how many of the drawn entities it holds."""

    number: int
    title: str
    size: int

    @property
    def colour(self) -> str:
        """A hue of its own; neighbours in number are far apart in hue."""
        return f"hsl({self.number * 137.5 % 360:.0f} 60% 50%)"


def groups(drawn: Drawn) -> dict[str, Group]:
    """The communities of the drawn entities by id, largest first; one without a report is named by its weightiest."""
    sizes = Counter(entity.community for entity in drawn.entities if entity.community)
    found = {}
    for number, id in enumerate(sorted(sizes, key=lambda id: (-sizes[id], id))):
        members = [entity for entity in drawn.entities if entity.community == id]
        found[id] = Group(number, members[0].report or f"around {members[0].name}", sizes[id])
    return found


def svg(drawn: Drawn, *, alone: bool = False) -> str:
    """The drawing; `alone` as an image without a page around it, and without the texts that a pointer shows."""
    found = groups(drawn)
    numbers = {entity.key: n for n, entity in enumerate(drawn.entities)}
    ties = [(numbers[tie.source], numbers[tie.target], tie.weight) for tie in drawn.ties]
    of = [found[entity.community].number if entity.community else -1 for entity in drawn.entities]
    places = [_scaled(x, y) for x, y in layout(len(of), ties, of)]
    heaviest = max((tie.weight for tie in drawn.ties), default=0.0) or 1.0
    lines = []
    for tie, (one, other, weight) in zip(drawn.ties, ties, strict=True):
        (x1, y1), (x2, y2) = places[one], places[other]
        about = "" if alone else f"<title>{_ends(drawn, one, other)}: {text(_cut(tie.text, _LONGEST_TEXT))}</title>"
        width = 1 + 3 * weight / heaviest
        lines.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke-width="{width:.1f}">{about}</line>')
    most = max((entity.weight for entity in drawn.entities), default=0.0) or 1.0
    radii = [5 + 13 * (max(entity.weight, 0.0) / most) ** 0.5 for entity in drawn.entities]
    for entity, (x, y), radius in zip(drawn.entities, places, radii, strict=True):
        colour = found[entity.community].colour if entity.community else "#999"
        about = "" if alone else f"<title>{_about(entity, found)}</title>"
        lines.append(f'<circle cx="{x}" cy="{y}" r="{radius:.0f}" fill="{colour}">{about}</circle>')
    labels = [_cut(entity.name, _LONGEST_LABEL) for entity in drawn.entities]
    for label, (x, y) in zip(labels, label_places(places, radii, labels, _SIDE), strict=True):
        lines.append(f'<text x="{x}" y="{y}">{text(label)}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {_SIDE}" role="img">'
    return head + (_ALONE if alone else "") + "".join(lines) + "</svg>"


def image_markdown(drawn: Drawn) -> str:
    """The drawing as an image in Markdown, its data in the address."""
    data = base64.b64encode(svg(drawn, alone=True).encode()).decode()
    return f"![entities, relationships and communities](data:image/svg+xml;base64,{data})"


def graph_page(drawn: Drawn, title: str) -> str:
    """The drawing with its communities and its entities as tables, on one page."""
    found = groups(drawn)
    parts = [
        f"<h1>{text(title)}</h1>",
        f'<p class="small">{len(drawn.entities):,} of {drawn.all_entities:,} entities and {len(drawn.ties):,} of '
        f"{drawn.all_ties:,} relationships, the weightiest. Point at a circle or a line to read what it is.</p>",
        svg(drawn),
        "<h2>Communities</h2>",
        "<ul>" + "".join(_legend(group) for group in found.values()) + "</ul>" if found else "<p>None.</p>",
        "<h2>Entities</h2>",
        "".join(_entity(entity, found, drawn) for entity in drawn.entities) or "<p>None.</p>",
    ]
    return page(title, "\n".join(parts), _STYLE)


def _legend(group: Group) -> str:
    return f'<li><span class="key" style="background:{group.colour}"></span>{text(group.title)} ({group.size})</li>'


def _entity(entity: DrawnEntity, found: dict[str, Group], drawn: Drawn) -> str:
    names = {other.key: other.name for other in drawn.entities}
    ties = [tie for tie in drawn.ties if entity.key in (tie.source, tie.target)]
    related = "".join(
        f"<li>{text(names[tie.target if tie.source == entity.key else tie.source])} "
        f'<span class="small">({tie.weight:g})</span>: {text(tie.text)}</li>'
        for tie in ties
    )
    group = f", {text(found[entity.community].title)}" if entity.community else ""
    return (
        f'<details><summary>{text(entity.name)} <span class="small">({text(entity.type or "no type")}{group})</span>'
        f'</summary><p class="text">{text(entity.text)}</p><ul>{related}</ul></details>'
    )


def _about(entity: DrawnEntity, found: dict[str, Group]) -> str:
    group = f"\n{found[entity.community].title}" if entity.community else ""
    return text(f"{entity.name} ({entity.type or 'no type'}){group}\n{_cut(entity.text, _LONGEST_TEXT)}")


def _ends(drawn: Drawn, one: int, other: int) -> str:
    return text(f"{drawn.entities[one].name} – {drawn.entities[other].name}")


def _scaled(x: float, y: float) -> tuple[int, int]:
    room = _SIDE - 2 * _MARGIN
    return round(_MARGIN + x * room), round(_MARGIN + y * room)


def _cut(value: str, longest: int) -> str:
    return value if len(value) <= longest else value[: longest - 1].rstrip() + "…"
