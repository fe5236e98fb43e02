"""Given the search so far, what next? The tree of questions as plain values: no clock, no chance, no calls."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from drift_assets.graph.searches import StoredQuestion
from drift_assets.search.options import SearchOptions

PRIMER_FOLLOW_UPS = 5
WIDEST_FIRST_ROUND = 20
LONGEST_FOLLOW_UP = 1_000


def normal_form(text: str) -> str:
    """The words of a question: NFKC, case folded, without punctuation, one blank between them."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Folding can undo the normal form, for instance that of "ͅ" (U+0345).
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", folded).casefold()))


def waiting_round(questions: Sequence[StoredQuestion]) -> list[StoredQuestion]:
    """The questions to ask now: those that wait in the lowest round that has any, in order."""
    waiting = [question for question in questions if question.status == "waiting" and question.round > 0]
    lowest = min((question.round for question in waiting), default=0)
    return [question for question in waiting if question.round == lowest]


def next_round(questions: Sequence[StoredQuestion], options: SearchOptions) -> list[StoredQuestion]:
    """The questions of the round after the last one, those to ask first, then those dropped, with the reason.

    Follow-ups come best parent first (score, then the parents' order, then their own). Dropped are those with the
    words of a question that was asked or waits, those beyond `follow_ups` an answer, and those beyond the width: the
    first round asks all of the primer's up to 20, a later one as many as run at once. Nothing comes beyond `depth`.
    Where the primer brought no follow-up, the first round asks the user's question itself.
    """
    last = max((question.round for question in questions), default=0)
    if last >= options.depth:
        return []
    parents = sorted(
        (question for question in questions if question.round == last and question.status in ("answered", "failed")),
        key=lambda question: (-(question.score or 0.0), question.order),
    )
    asked = {normal_form(question.text): question.text for question in questions if question.status != "dropped"}
    kept: list[tuple[StoredQuestion, str]] = []
    dropped: list[tuple[StoredQuestion, str, str]] = []
    width = WIDEST_FIRST_ROUND if last == 0 else options.parallel
    for parent in parents:
        taken = 0
        for text in parent.follow_ups:
            reason = _reason_to_drop(text, asked)
            if reason is None and last > 0 and taken >= options.follow_ups:
                reason = f"beyond the {options.follow_ups} follow-ups of an answer"
            if reason is None and len(kept) >= width:
                reason = f"beyond the {width} questions of a round"
            if reason is None:
                taken += 1
                asked[normal_form(text)] = text
                kept.append((parent, text))
            else:
                dropped.append((parent, text[:LONGEST_FOLLOW_UP], reason))
    if last == 0 and not kept and parents:
        kept.append((parents[0], parents[0].text))
    return [_question(parent, last + 1, n, text, None) for n, (parent, text) in enumerate(kept)] + [
        _question(parent, last + 1, len(kept) + n, text, reason) for n, (parent, text, reason) in enumerate(dropped)
    ]


def _reason_to_drop(text: str, asked: dict[str, str]) -> str | None:
    words = normal_form(text)
    if not words:
        return "holds no words"
    if len(text) > LONGEST_FOLLOW_UP:
        return f"longer than {LONGEST_FOLLOW_UP:,} characters"
    if words in asked:
        return f"same words as “{asked[words]}”"
    return None


def _question(parent: StoredQuestion, round: int, order: int, text: str, reason: str | None) -> StoredQuestion:
    search_id = parent.id.rsplit(".", 2)[0]
    return StoredQuestion(
        id=f"{search_id}.{round}.{order}",
        parent=parent.id,
        round=round,
        order=order,
        text=text,
        status="waiting" if reason is None else "dropped",
        reason=reason,
    )
