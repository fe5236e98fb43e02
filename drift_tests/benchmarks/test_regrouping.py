from __future__ import annotations

from benchmarks.regrouping import Growing, grow, rows
from drift_assets.settings import Settings

SETTINGS = Settings(max_community_size=4)


def clique(prefix: str, size: int) -> list[tuple[str, str | None, float]]:
    names = [f"{prefix}{n}" for n in range(size)]
    return [(one, other, 5.0) for n, one in enumerate(names) for other in names[:n]]


def test_a_document_tells_whose_ties_are_others_now() -> None:
    graph = Growing()
    graph.add([("A", "B", 1.0), ("C", None, 0.0)])

    assert graph.add([("B", "A", 2.0), ("A", None, 0.0), ("D", None, 0.0)]) == {"A", "B", "D"}
    assert graph.weighted().names == ["A", "B", "C", "D"]
    assert graph.weighted().edges == [("A", "B", 3.0)]


def test_a_document_apart_from_all_others_leaves_their_communities() -> None:
    told = {f"{prefix}.txt": clique(prefix, 3) for prefix in "ABCD"}

    added = list(grow(told, SETTINGS))

    assert [(one.renewed, one.new) for one in added] == [(False, 1 / 3), (False, 1 / 4)]
    assert all(one.modularity >= 0.99 for one in added)


def test_documents_are_told_by_whether_fresh_communities_were_taken_over() -> None:
    told = {f"{prefix}.txt": clique(prefix, 3) for prefix in "ABCD"}

    [line] = rows(list(grow(told, SETTINGS)))

    assert line[:2] == ["what was touched", 2]
