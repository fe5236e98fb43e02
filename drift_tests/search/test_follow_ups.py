"""Given the search so far, what next?"""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.graph.searches import StoredQuestion
from drift_assets.language.tasks import DroppedCandidate, Refined, RefinedQuestion
from drift_assets.likeness import normal_form
from drift_assets.search.follow_ups import (
    Plan,
    apart,
    as_questions,
    by_gain,
    candidates,
    of_each_answer,
    refined,
    waiting_round,
    width,
    within,
)
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


def next_round(tree: list[StoredQuestion], options: SearchOptions) -> list[StoredQuestion]:
    """The round as it is planned by words alone."""
    plan = of_each_answer(candidates(tree, options), options)
    return as_questions(within(plan, width(plan, options)))


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
    assert (dropped(planned)[repeated] or "").startswith("asked already in the same words: “")


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


follow_up = st.sampled_from([f"What of {n}?" for n in range(12)] + ["", "?", "who lit the lamp", "x" * 2_000])
# Few directions, so that many questions are alike.
vectors = st.fixed_dictionaries(
    {text: st.sampled_from([(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)]) for text in [f"What of {n}?" for n in range(12)]}
)
refinement = st.builds(
    Refined,
    questions=st.lists(
        st.builds(
            RefinedQuestion,
            question=st.sampled_from(["Sharper?", "What of 3?", "Who lit the lamp?", "y" * 2_000, "?"]),
            sources=st.lists(st.integers(-1, 30), max_size=4),
        ),
        max_size=8,
    ),
    dropped=st.lists(st.builds(DroppedCandidate, number=st.integers(-1, 30), reason=st.text(max_size=9)), max_size=4),
)
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
    vectors,
    st.lists(refinement, min_size=5, max_size=5),
    st.lists(st.floats(0, 1), min_size=12, max_size=12),
)
def test_whatever_is_answered_the_tree_stays_within_its_bounds(
    replies: list[tuple[float, list[str], str]],
    options: SearchOptions,
    known: dict[str, tuple[float, float]],
    refinements: list[Refined],
    unseen: list[float],
) -> None:
    tree = [replace(question("0.0", options.question), status="waiting")]
    given_replies = cycle(replies)

    def answer(waiting: StoredQuestion) -> StoredQuestion:
        score, follow_ups, status = next(given_replies)
        return replace(waiting, score=score, follow_ups=tuple(follow_ups), status=status)  # type: ignore[arg-type]

    def planned(output: Refined) -> list[StoredQuestion]:
        plan = of_each_answer(apart(candidates(tree, options), known), options)
        plan = by_gain(plan, dict(zip(known, unseen, strict=True)))
        most = width(plan, options)
        return as_questions(within(refined(plan, output, most) if len(plan.kept) > most else plan, most))

    tree[0] = answer(tree[0])
    for output in refinements[: options.depth + 1]:
        tree += [answer(q) if q.status == "waiting" else q for q in planned(output)]

    assert candidates(tree, options).kept == ()
    assert max(q.round for q in tree) <= options.depth
    assert len({q.id for q in tree}) == len(tree)
    asked = [q for q in tree if q.status != "dropped"]
    assert sum(q.round == 1 for q in asked) <= 20
    for round_ in range(2, options.depth + 1):
        in_round = [q for q in asked if q.round == round_]
        assert len(in_round) <= options.parallel
        assert all(sum(q.parent == p.id for q in in_round) <= options.follow_ups for p in tree)
    words = [normal_form(q.text) for q in asked]
    assert len(words) - len(set(words)) <= 1
    assert all(q.reason for q in tree if q.status == "dropped")


def plan_of(*texts: str, score: float = 50) -> Plan:
    """The round after a local answer that asks these."""
    return candidates([question("0.0", OPTIONS.question), question("1.0", score=score, follow_ups=texts)], OPTIONS)


def texts(plan: Plan) -> list[str]:
    return [one.text for one in plan.kept]


def reasons(plan: Plan) -> dict[str, str]:
    return {one.text: reason for one, reason in plan.dropped}


NEAR, FAR = (1.0, 0.0), (0.0, 1.0)


def test_another_wording_of_a_question_asked_or_waiting_is_dropped() -> None:
    plan = plan_of("Who gave light to the lamp?", "What is brass?", "What is brass made of?")

    left = apart(
        plan,
        {
            OPTIONS.question: NEAR,
            "Who gave light to the lamp?": NEAR,
            "What is brass?": FAR,
            "What is brass made of?": FAR,
        },
    )

    assert texts(left) == ["What is brass?"]
    assert reasons(left) == {
        "Who gave light to the lamp?": "asks the same as “Who lit the lamp?”",
        "What is brass made of?": "asks the same as “What is brass?”",
    }


@pytest.mark.parametrize("other", ["When was the lamp lit?", "Who lit the lamp in 1880?", "Who lit the lamp of Reeve?"])
def test_questions_that_differ_in_a_name_a_number_or_what_they_ask_are_two(other: str) -> None:
    assert texts(apart(plan_of(other), {OPTIONS.question: NEAR, other: NEAR})) == [other]


def test_what_promises_most_that_is_unread_comes_first() -> None:
    tree = [
        question("0.0"),
        question("1.0", score=90, follow_ups=("Read already?", "Half read?")),
        question("1.1", score=10, follow_ups=("Unread?", "Of this nothing is known?")),
    ]

    plan = by_gain(candidates(tree, OPTIONS), {"Read already?": 0.0, "Half read?": 0.5, "Unread?": 1.0})

    assert texts(plan) == ["Half read?", "Unread?", "Of this nothing is known?", "Read already?"]
    assert [one.gain for one in plan.kept] == [0.4462, 0.28, 0.2716, 0.0]
    assert reasons(within(plan, 2))["Of this nothing is known?"] == (
        "beyond the 2 questions of a round, expected gain 0.27"
    )


def test_a_refined_round_says_what_became_of_every_candidate() -> None:
    plan = plan_of("A of it?", "B of it?", "C of it?", "D of it?")
    output = Refined(
        questions=[
            RefinedQuestion(question="A and C of it?", sources=[3, 1]),
            RefinedQuestion(question="x", sources=[9]),
        ],
        dropped=[DroppedCandidate(number=2, reason="beside the point")],
    )

    round_ = refined(plan, output, 2)

    assert texts(round_) == ["A and C of it?"]
    assert reasons(round_) == {
        "A of it?": "asked as “A and C of it?”",
        "C of it?": "merged into “A and C of it?”",
        "B of it?": "beside the point",
        "D of it?": "left out when the round was refined",
    }
    assert round_.kept[0].parent.id == "s.1.0"


@pytest.mark.parametrize("text", ["who lit the LAMP", "?", "x" * 1_001])
def test_a_refined_question_that_cannot_be_asked_leaves_the_candidate_as_it_is(text: str) -> None:
    output = Refined(questions=[RefinedQuestion(question=text, sources=[1])], dropped=[])

    assert texts(refined(plan_of("A of it?", "B of it?"), output, 1)) == ["A of it?"]


def test_an_empty_refinement_asks_the_first_candidates() -> None:
    assert texts(refined(plan_of("A?", "B?", "C?"), Refined(questions=[], dropped=[]), 2)) == ["A?", "B?"]
