"""Given the search so far, what next?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.graph.searches import StoredQuestion
from drift_assets.search.follow_ups import next_round, normal_form, waiting_round
from drift_assets.search.options import SearchOptions

OPTIONS = SearchOptions(question="Who lit the lamp?")


def question(place: str, text: str = "", *, score: float = 50, follow_ups: tuple[str, ...] = ()) -> StoredQuestion:
    """An answered question whose id ends in `place`, "round.order"."""
    round_, order = map(int, place.split("."))
    return StoredQuestion(
        id=f"s.{place}",
        parent=None if round_ == 0 else "s.0.0",
        round=round_,
        order=order,
        text=text or f"Question {place}?",
        status="answered",
        score=score,
        follow_ups=follow_ups,
    )


def asked(planned: list[StoredQuestion]) -> list[str]:
    return [question.text for question in planned if question.status == "waiting"]


def dropped(planned: list[StoredQuestion]) -> dict[str, str | None]:
    return {question.text: question.reason for question in planned if question.status == "dropped"}


def test_all_follow_ups_of_the_primer_are_asked_in_its_order() -> None:
    root = question("0.0", follow_ups=tuple(f"What of {n}?" for n in range(8)))

    planned = next_round([root], OPTIONS)

    assert asked(planned) == [f"What of {n}?" for n in range(8)]
    assert [(q.id, q.parent, q.round, q.order) for q in planned[:2]] == [
        ("s.1.0", "s.0.0", 1, 0),
        ("s.1.1", "s.0.0", 1, 1),
    ]


def test_the_first_round_is_bounded_too() -> None:
    planned = next_round([question("0.0", follow_ups=tuple(f"What of {n}?" for n in range(30)))], OPTIONS)

    assert len(asked(planned)) == 20
    assert dropped(planned)["What of 29?"] == "beyond the 20 questions of a round"


def test_the_follow_ups_of_the_best_answers_go_first() -> None:
    tree = [
        question("0.0"),
        question("1.0", score=20, follow_ups=("Low?",)),
        question("1.1", score=90, follow_ups=("High one?", "High two?")),
        question("1.2", score=20, follow_ups=("Low too?",)),
    ]

    planned = next_round(tree, OPTIONS)

    assert asked(planned) == ["High one?", "High two?", "Low?", "Low too?"]


def test_a_later_round_is_as_wide_as_searches_run_at_once() -> None:
    tree = [question("0.0"), *(question(f"1.{n}", follow_ups=(f"{n} a?", f"{n} b?")) for n in range(3))]

    planned = next_round(tree, replace(OPTIONS, parallel=4))

    assert asked(planned) == ["0 a?", "0 b?", "1 a?", "1 b?"]
    assert dropped(planned) == dict.fromkeys(["2 a?", "2 b?"], "beyond the 4 questions of a round")


def test_of_an_answer_only_so_many_follow_ups_are_taken() -> None:
    tree = [question("0.0"), question("1.0", follow_ups=("A?", "B?", "C?"))]

    planned = next_round(tree, replace(OPTIONS, follow_ups=2))

    assert asked(planned) == ["A?", "B?"]
    assert dropped(planned) == {"C?": "beyond the 2 follow-ups of an answer"}


@pytest.mark.parametrize(
    "repeated",
    ["Who lit the lamp?", "who  lit “the lamp”", "WHO LIT THE LAMP", "Question 1.0", "Seen already"],
)
def test_the_words_of_a_question_asked_or_waiting_are_not_asked_again(repeated: str) -> None:
    tree = [
        question("0.0", OPTIONS.question),
        question("1.0", follow_ups=(repeated, "New?")),
        question("1.1", "Seen already?"),
    ]

    planned = next_round(tree, OPTIONS)

    assert asked(planned) == ["New?"]
    assert (dropped(planned)[repeated] or "").startswith("same words as “")


def test_two_answers_that_ask_the_same_are_asked_once_for_the_better_one() -> None:
    tree = [
        question("0.0"),
        question("1.0", score=10, follow_ups=("Who is she?",)),
        question("1.1", score=80, follow_ups=("who is she",)),
    ]

    planned = next_round(tree, OPTIONS)

    assert [(q.text, q.parent) for q in planned if q.status == "waiting"] == [("who is she", "s.1.1")]


def test_a_question_that_was_dropped_may_be_asked_later() -> None:
    gone = replace(question("1.1", "Where was the key?"), status="dropped", reason="beyond the 1 questions of a round")
    tree = [question("0.0"), question("1.0", follow_ups=("Where was the key?",)), gone]

    assert asked(next_round(tree, OPTIONS)) == ["Where was the key?"]


@pytest.mark.parametrize(("text", "reason"), [("?!", "holds no words"), ("a" * 1_001, "longer than 1,000 characters")])
def test_what_is_no_question_is_dropped(text: str, reason: str) -> None:
    planned = next_round([question("0.0", follow_ups=(text, "Good?"))], OPTIONS)

    assert asked(planned) == ["Good?"]
    assert dropped(planned) == {text[:1_000]: reason}


def test_nothing_is_asked_beyond_the_depth() -> None:
    tree = [question("0.0", follow_ups=("A?",)), question("1.0", "A?", follow_ups=("B?",))]

    assert next_round(tree, replace(OPTIONS, depth=1)) == []
    assert next_round(tree[:1], replace(OPTIONS, depth=0)) == []


def test_without_follow_ups_of_the_primer_its_question_is_searched_itself() -> None:
    root = question("0.0", OPTIONS.question, follow_ups=("Who lit the lamp",))

    assert asked(next_round([root], OPTIONS)) == [OPTIONS.question]
    assert asked(next_round([replace(root, status="failed", follow_ups=())], OPTIONS)) == [OPTIONS.question]


def test_a_primer_without_evidence_leads_nowhere() -> None:
    assert next_round([replace(question("0.0"), status="dropped")], OPTIONS) == []


def test_the_lowest_round_that_waits_is_asked_first() -> None:
    waiting = replace(question("1.1"), status="waiting")
    later = replace(question("2.0"), status="waiting")

    assert waiting_round([question("0.0"), later, waiting]) == [waiting]
    assert waiting_round([question("0.0")]) == []


@given(st.text())
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    assert normal_form(normal_form(text)) == normal_form(text)


follow_up = st.sampled_from([f"What of {n}?" for n in range(12)] + ["", "?", "who lit the lamp", "x" * 2_000])
reply = st.tuples(st.floats(0, 100), st.lists(follow_up, max_size=25), st.sampled_from(["answered", "failed"]))


@given(
    st.lists(reply, min_size=1, max_size=60),
    st.builds(
        SearchOptions,
        question=st.just(OPTIONS.question),
        depth=st.integers(0, 4),
        follow_ups=st.integers(0, 5),
        parallel=st.integers(1, 6),
    ),
)
def test_whatever_is_answered_the_tree_stays_within_its_bounds(
    replies: list[tuple[float, list[str], str]], options: SearchOptions
) -> None:
    tree = [replace(question("0.0", options.question), status="waiting")]
    given_replies = iter(replies * 10)

    def answer(waiting: StoredQuestion) -> StoredQuestion:
        score, follow_ups, status = next(given_replies)
        return replace(waiting, score=score, follow_ups=tuple(follow_ups), status=status)  # type: ignore[arg-type]

    tree[0] = answer(tree[0])
    for _ in range(options.depth + 1):
        tree += [answer(q) if q.status == "waiting" else q for q in next_round(tree, options)]

    assert next_round(tree, options) == []
    assert max(q.round for q in tree) <= options.depth
    assert len({q.id for q in tree}) == len(tree)
    asked = [q for q in tree if q.status != "dropped"]
    for round_ in range(2, options.depth + 1):
        in_round = [q for q in asked if q.round == round_]
        assert len(in_round) <= options.parallel
        assert all(sum(q.parent == p.id for q in in_round) <= options.follow_ups for p in tree)
    words = [normal_form(q.text) for q in asked]
    assert len(words) - len(set(words)) <= 1
    assert all(q.reason for q in tree if q.status == "dropped")
