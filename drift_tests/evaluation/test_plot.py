"""The picture of an evaluation."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from drift_assets.evaluation.plot import SHOWN, plot_svg


def row(value: float | None, kind: str = "multi") -> dict[str, Any]:
    return {"kind": kind, **dict.fromkeys(SHOWN, value)}


def test_each_variant_has_a_point_for_each_figure_within_its_panel() -> None:
    rows = {
        "drift & more": {"a": row(1.0), "b": row(0.0), "c": row(None, "unanswerable")},
        "vector": {"a": row(0.5), "b": row(0.5)},
        "nothing": {"c": row(None, "unanswerable")},
    }

    image = ElementTree.fromstring(plot_svg(rows))

    names = [element.text for element in image.findall("{*}text")]
    assert {"drift & more", "vector", "nothing", "evidence recall"} <= set(names)
    points = [float(circle.attrib["cx"]) for circle in image.findall("{*}circle")]
    assert len(points) == 2 * len(SHOWN)
    # Both means are 0.5, and each panel has its own middle.
    assert len(set(points)) == len(SHOWN)
    bars = [line for line in image.findall("{*}line") if line.attrib["stroke"] == "#48c"]
    widths = [float(line.attrib["x2"]) - float(line.attrib["x1"]) for line in bars]
    assert widths[0] > 0 == widths[1]
