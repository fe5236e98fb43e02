"""A search as one page of HTML: complete, alone, and with every text escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from drift_assets.search.page import trace_page
from drift_tests.search.test_trace import RESULT, SOURCE, asked

ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><a href='http://evil'>x</a>"
QUESTIONS = tuple(
    replace(question, calls=2, tokens=345, cost_usd=0.0123, seconds=1.5, answer="Told [1].")
    if question.status == "answered"
    else question
    for question in RESULT.questions
)
FULL = replace(RESULT, questions=QUESTIONS, readings={"a": (1,), "a.a": (1,)})


class Tags(HTMLParser):
    """The tags of a page with their attributes, and those that are left open."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(html)
    assert parser.open == []
    return parser.found


def test_the_page_shows_scores_drops_evidence_tokens_cost_and_time() -> None:
    page = trace_page(FULL)

    assert "✓ Who kept it? <b>90</b>" in page
    assert '– who lit it: <span class="small">same words as “Who lit it?”' in page
    assert "round 1, 2 calls, 345 tokens, 0.0123 USD, 1.50 seconds" in page
    assert 'read <a href="#e1">[1]</a>' in page
    assert "Reeve lit it. Then he slept." in page
    assert "<td>hyde</td><td>1</td><td>2</td><td>30</td><td>0.0125</td><td>1.23</td>" in page


def test_citations_lead_to_the_evidence_on_the_page() -> None:
    found = tags(trace_page(FULL))

    targets = {attributes["href"] for tag, attributes in found if tag == "a"}
    assert targets == {"#e1"}
    assert "e1" in [attributes.get("id") for _, attributes in found]


def test_the_page_stands_alone_and_interprets_no_text() -> None:
    hostile = replace(SOURCE, title=ATTACK, document=ATTACK, text=ATTACK, excerpt=ATTACK)
    result = replace(
        RESULT,
        search_id=ATTACK,
        origin=ATTACK,
        question=ATTACK,
        answer=ATTACK,
        notes=(ATTACK,),
        sources=(hostile,),
        evidence=(hostile,),
        questions=(asked("a", None, ATTACK, status="failed", reason=ATTACK, answer=ATTACK, calls=1),),
        steps={ATTACK: RESULT.steps["hyde"]},
    )

    found = tags(trace_page(result))

    assert {tag for tag, _ in found} & {"script", "img", "link", "iframe", "style"} <= {"style"}
    assert not [name for _, attributes in found for name in attributes if name.startswith("on")]
    assert all(re.fullmatch(r"#e\d+", attributes["href"] or "") for tag, attributes in found if tag == "a")
    [policy] = [attributes["content"] for _, attributes in found if "http-equiv" in attributes]
    assert (policy or "").startswith("default-src 'none'")


def test_a_search_without_evidence_has_a_page_too() -> None:
    bare = replace(RESULT, sources=(), evidence=(), questions=RESULT.questions[:1], steps={}, answer="")

    assert "Nothing was read." in trace_page(bare)
