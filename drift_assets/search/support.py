"""Whether what an answer's sentences cite supports them: by words and, where these fail, by meaning; or by a judge."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drift_assets.errors import CallError, LimitReached
from drift_assets.graph.searches import StoredPassage
from drift_assets.language.judging import Statement, Support
from drift_assets.search.citations import cited_sentences, excerpt, renumber_citations
from drift_assets.search.passages import words_of
from drift_assets.tokens import count_tokens, token_runs

if TYPE_CHECKING:
    from drift_assets.search.step import Step

# A paraphrase keeps names, numbers and some nouns.
_SHARE = 0.5
# Cosine of a sentence with the sentence of its source that is nearest by words.
_NEAR = 0.7
MARK = "[?]"
# Rules cannot judge.
_NO_JUDGE = "extractive"
_CITATIONS = r"(?:\s*\[[\d\s,;–-]+\])*"
_STOPS = r"[.!?…。！？]*"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, as it stands there without citations, and the numbers that it cites."""

    sentence: str
    numbers: tuple[int, ...]


def claims(answer: str) -> list[Claim]:
    """The sentences that cite, each once, in order."""
    found: dict[str, list[int]] = {}
    for one in cited_sentences(answer):
        found.setdefault(renumber_citations(one.sentence, {}), []).append(one.number)
    return [Claim(sentence, tuple(dict.fromkeys(numbers))) for sentence, numbers in found.items()]


def holds_words(sentence: str, text: str) -> bool:
    """Whether half of the words of the sentence stand in the text; words are compared by their beginnings."""
    words = set(words_of(sentence))
    return len(words & set(words_of(text))) >= _SHARE * len(words)


async def unsupported(step: Step, answer: str, passages: Mapping[int, StoredPassage]) -> tuple[list[Claim], int]:
    """The claims that what they cite supports neither by words nor by meaning, and how many claims there are.

    Meaning takes one embedding call, and only where words leave a doubt and the limits allow it. Where the search
    wants a judge, the language model decides, and what it leaves open is measured.
    """
    found = claims(answer)
    judged = await _judged(step, found, passages) if step.options.judge_support else {}
    doubted = await _measured(step, [claim for claim in found if claim not in judged], passages)
    return [claim for claim in found if claim in doubted or judged.get(claim) is False], len(found)


async def _measured(step: Step, found: Sequence[Claim], passages: Mapping[int, StoredPassage]) -> list[Claim]:
    texts = {claim: [passages[n].text for n in claim.numbers if n in passages] for claim in found}
    doubtful = [claim for claim in found if not holds_words(claim.sentence, " ".join(texts[claim]))]
    if not doubtful:
        return []
    pairs = [(claim, excerpt(claim.sentence, text)) for claim in doubtful for text in texts[claim] if text]
    try:
        near = await _cosines(step, [(claim.sentence, said) for claim, said in pairs])
    except (CallError, LimitReached):
        near = [0.0] * len(pairs)
    meant = {claim for (claim, _), cosine in zip(pairs, near, strict=True) if cosine >= _NEAR}
    return [claim for claim in doubtful if claim not in meant]


async def _judged(step: Step, found: Sequence[Claim], passages: Mapping[int, StoredPassage]) -> dict[Claim, bool]:
    """What the language model says of the claims; a call that fails or that no limit allows says nothing."""
    if step.language.origin(Support) == _NO_JUDGE:
        return {}
    statements = [
        Statement(
            number=n,
            sentence=claim.sentence,
            sources=tuple(passages[number].text for number in claim.numbers if number in passages),
        )
        for n, claim in enumerate(found, 1)
    ]
    judged: dict[Claim, bool] = {}
    for run in token_runs(statements, _size, step.settings.context_tokens):
        try:
            output = await step.perform(Support(statements=tuple(run)))
        except (CallError, LimitReached) as error:
            step.note(f"whether the sources say what the answer says was measured, not judged: {error}")
            break
        asked = {one.number for one in run}
        judged.update({found[one.number - 1]: one.supported for one in output.verdicts if one.number in asked})
    return judged


def _size(statement: Statement) -> int:
    return sum(map(count_tokens, (statement.sentence, *statement.sources)))


async def _cosines(step: Step, pairs: Sequence[tuple[str, str]]) -> list[float]:
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = dict(zip(texts, await step.embed(texts), strict=True)) if texts else {}
    return [sum(a * b for a, b in zip(vectors[one], vectors[other], strict=True)) for one, other in pairs]


def marked(answer: str, doubts: Sequence[Claim]) -> str:
    """The answer with a mark after each of these sentences and its citations."""
    for claim in doubts:
        answer = _pattern(claim).sub(lambda match: f"{match.group(0)} {MARK}", answer, count=1)
    return answer


def without(answer: str, doubts: Sequence[Claim]) -> str:
    """The answer without these sentences and their citations."""
    for claim in doubts:
        answer = _pattern(claim).sub("", answer, count=1)
    lines = (re.sub(r"[ \t]{2,}", " ", line).strip() for line in answer.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line.strip("-*• ") or not line)).strip()


def _pattern(claim: Claim) -> re.Pattern[str]:
    """The sentence where it stands: citations may stand between its words, and after or before its last stop."""
    body = claim.sentence.rstrip(".!?…。！？ ")
    words = (_CITATIONS + r"\s+").join(re.escape(word) for word in body.split())
    return re.compile(words + _CITATIONS + r"\s*" + _STOPS + _CITATIONS)
