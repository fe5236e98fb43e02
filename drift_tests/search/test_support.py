"""Whether what an answer cites supports it."""

from __future__ import annotations

from typing import Any

import pytest

from drift_assets.errors import CallUnavailable
from drift_assets.graph.address import Address
from drift_assets.language.judging import Support, Supports, SupportVerdict
from drift_assets.language.tasks import FinalAnswer, Output, Reduce, Task
from drift_assets.search.support import Claim, claims, holds_words, marked, without
from drift_tests.scripted import ScriptedEmbedder
from drift_tests.search.archive import VECTORS, follow_ups, search

ANSWER = "Reeve lit the lamp [1]. The moon is made\nof cheese [2][3]. Nobody knows.\n\n- Drummond slept. [4]"
CHEESE, SLEPT = Claim("The moon is made of cheese.", (2, 3)), Claim("Drummond slept.", (4,))


def test_claims_are_the_sentences_that_cite_with_their_numbers() -> None:
    assert [(claim.sentence.rstrip(" ."), claim.numbers) for claim in claims(ANSWER)] == [
        ("Reeve lit the lamp", (1,)),
        ("The moon is made of cheese", (2, 3)),
        ("- Drummond slept", (4,)),
    ]


def test_a_mark_stands_after_the_citations_of_its_sentence() -> None:
    assert marked(ANSWER, [CHEESE, SLEPT]) == (
        "Reeve lit the lamp [1]. The moon is made\nof cheese [2][3]. [?] Nobody knows.\n\n- Drummond slept. [4] [?]"
    )


def test_a_sentence_is_removed_with_its_citations_and_its_list_mark() -> None:
    assert without(ANSWER, [CHEESE, SLEPT]) == "Reeve lit the lamp [1]. Nobody knows."


@pytest.mark.parametrize(
    ("text", "held"), [("At dusk Reeve lighted the lamps.", True), ("Drummond rowed the boat out.", False)]
)
def test_half_of_the_words_by_their_beginnings_are_enough(text: str, held: bool) -> None:
    assert holds_words("Reeve lit the lamp at dusk", text) is held


def ending(answer: str) -> Any:
    def script(task: Task[Any]) -> Output:
        if not isinstance(task, Reduce):
            return follow_ups(task)
        number = min(n for one in task.answers for n in map(int, one.answer.rpartition("[")[2].rstrip("]. ").split()))
        return FinalAnswer(answer=answer.replace("[n]", f"[{number}]"), found=True)

    return script


DOUBTED = "Nothing of it stands anywhere, zebra quagga okapi [n]."


@pytest.mark.parametrize(
    ("setting", "answer"),
    [
        ("keep", f"{DOUBTED} It was so."),
        ("mark", f"{DOUBTED} [?] It was so."),
        ("remove", "It was so."),
    ],
)
def test_what_is_not_supported_is_kept_marked_or_removed(archive: Address, setting: str, answer: str) -> None:
    result = search(archive, ending(f"{DOUBTED} It was so."), depth=0, unsupported=setting, embedding=far())

    assert result.answer == answer.replace("[n]", "[1]")
    assert result.groundedness == 0.0


def test_an_answer_of_which_nothing_would_be_left_is_marked(archive: Address) -> None:
    result = search(archive, ending(DOUBTED), depth=0, unsupported="remove", embedding=far())

    assert result.answer == f"{DOUBTED} [?]".replace("[n]", "[1]")


def test_a_paraphrase_is_supported_by_its_meaning(archive: Address) -> None:
    near = ScriptedEmbedder({}, default=[1.0, 0.0, 0.0])

    result = search(archive, ending(DOUBTED), depth=0, embedding=near)

    assert (result.answer, result.groundedness) == (DOUBTED.replace("[n]", "[1]"), 1.0)


def test_a_judge_decides_where_one_is_wanted_and_reads_what_is_cited(archive: Address) -> None:
    asked: list[Support] = []

    def script(task: Task[Any]) -> Output:
        if isinstance(task, Support):
            asked.append(task)
            said = SupportVerdict(number=1, supported=len(asked) > 1, reason="")
            return Supports(verdicts=[said, SupportVerdict(number=9, supported=False, reason="")])
        return ending("Reeve lit the lamp at dusk [n].")(task)

    first, second = (search(archive, script, depth=0, judge_support=True) for _ in range(2))

    assert (first.answer, first.groundedness) == ("Reeve lit the lamp at dusk [1]. [?]", 0.0)
    assert (second.answer, second.groundedness) == ("Reeve lit the lamp at dusk [1].", 1.0)
    assert asked[0].statements[0].sentence == "Reeve lit the lamp at dusk"
    assert asked[0].statements[0].sources


def test_where_the_judge_fails_the_support_is_measured_and_that_is_said(archive: Address) -> None:
    def script(task: Task[Any]) -> Output:
        if isinstance(task, Support):
            raise CallUnavailable("the judge is away")
        return ending(DOUBTED)(task)

    result = search(archive, script, depth=0, judge_support=True, embedding=far())

    assert result.answer == f"{DOUBTED} [?]".replace("[n]", "[1]")
    assert result.notes == ("whether the sources say what the answer says was measured, not judged: the judge is away",)


def far() -> ScriptedEmbedder:
    """Like the usual one, but what names no animal lies elsewhere."""
    return ScriptedEmbedder({**VECTORS, "zebra": [0.0, -1.0, 0.0]}, default=[0.6, 0.5, 0.4])
