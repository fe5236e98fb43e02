"""The drawing: what is in it, how large it gets, and that no text is interpreted."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from xml.etree import ElementTree

from drift_assets.graph.picture import Drawn, DrawnEntity, DrawnTie
from drift_assets.picture.drawing import SMALL_NODES, SMALL_TIES, graph_page, groups, image_markdown, svg
from drift_tests.search.test_page import ATTACK, tags

DRAWN = Drawn(
    (
        DrawnEntity("REEVE", "Reeve", "PERSON", "Reeve keeps the light.", 12.0, "light", "Report on the light"),
        DrawnEntity("LAMP", "Lamp", "ARTIFACT", "The lamp of the tower.", 9.0, "light", "Report on the light"),
        DrawnEntity("BOAT", "Boat", "", "", 1.0, "sea"),
        DrawnEntity("WREN", "Wren", "PERSON", "", 0.0),
    ),
    (DrawnTie("LAMP", "REEVE", "Reeve lit the lamp.", 9.0), DrawnTie("BOAT", "REEVE", "Reeve saw the boat.", 1.0)),
    40,
    50,
)


def many(count: int, ties: int) -> Drawn:
    entities = tuple(DrawnEntity(f"E{n}", "Ü" * 60, "PERSON", "text " * 400, 9.0, f"c{n % 9}") for n in range(count))
    return Drawn(entities, tuple(DrawnTie("E0", f"E{n % count}", "text " * 400, 2.0) for n in range(ties)), count, ties)


def test_the_page_names_entities_types_relationships_and_communities() -> None:
    page = graph_page(DRAWN, "The graph")

    assert "4 of 40 entities and 2 of 50 relationships" in page
    assert "Report on the light (2)" in page
    assert "around Boat (1)" in page
    assert "<title>Lamp – Reeve: Reeve lit the lamp.</title>" in page
    assert "<title>Reeve (PERSON)\nReport on the light\nReeve keeps the light.</title>" in page
    assert page.count("<circle") == 4


def test_the_largest_community_comes_first() -> None:
    assert [(id, group.number) for id, group in groups(DRAWN).items()] == [("light", 0), ("sea", 1)]


def test_the_image_is_an_svg_of_some_tens_of_kilobytes() -> None:
    found = re.fullmatch(r"!\[[a-z, ]+\]\(data:image/svg\+xml;base64,([\w+/=]+)\)", image_markdown(many(60, 90)))

    assert found is not None
    assert len(found.group(1)) < 40_000
    image = ElementTree.fromstring(base64.b64decode(found.group(1)))
    assert len(image.findall(".//{*}circle")) == SMALL_NODES
    assert len(image.findall(".//{*}line")) == SMALL_TIES


def test_no_text_is_interpreted() -> None:
    hostile = DrawnEntity(ATTACK, ATTACK, ATTACK, ATTACK, 1.0, ATTACK, ATTACK)
    drawn = replace(DRAWN, entities=(hostile,), ties=(DrawnTie(ATTACK, ATTACK, ATTACK, 1.0),))

    found = tags(graph_page(drawn, ATTACK))

    assert {tag for tag, _ in found} & {"script", "img", "a", "iframe"} == set()
    assert not [name for _, attributes in found for name in attributes if name.startswith("on")]
    ElementTree.fromstring(svg(drawn, alone=True))
