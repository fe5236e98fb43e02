"""Citations: read from an answer, held against the evidence that was given, and numbered for people.

A citation is one or more numbers in square brackets: [1], [1, 4], [2-4]; several may follow each other. Some models
write 【1】 or 【1†source】, which is read as [1].
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

_NUMBER = r"\d{1,6}"
_ITEM = rf"{_NUMBER}(?:\s*[-–]\s*{_NUMBER})?"
_CITATION = re.compile(rf"[\[【]\s*({_ITEM}(?:\s*[,;、]\s*{_ITEM})*)\s*(?:†[^\]】\n]{{0,60}})?[\]】]")
_RUN = re.compile(rf"(?:[ \t]*{_CITATION.pattern})+")
_WIDEST_RANGE = 50
_CLOSING = r"[\"'”’»)」』]*"
# A sentence ends after its punctuation, at a blank line and before a list mark, not where a line is merely full.
_END = re.compile(rf"[.!?…]+{_CLOSING}\s+|[。！？]+{_CLOSING}\s*|\n\s*\n|\n(?=\s*(?:[-*•#>|]|\d+[.)])\s)")
_ABBREVIATED = re.compile(
    r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Prof|Capt|Col|Gen|Rev|Sr|Jr|No|vs|e\.g|i\.e)\.\s$|(?:^|\n)\s*\d+\.\s$"
)
_QUOTED = re.compile(r"[.!?…。！？]+[\"'”’»)」』]+\s+$")
# What is said and who says it are one sentence: “Who stole the tarts?” said the King.
_SPOKEN = re.compile(
    r"(?:[\w’']+ ){1,4}(?:said|says|cried|thought|replied|asked|exclaimed|remarked|shouted|added|whispered)\b"
)
_WORD = re.compile(r"\w+")
_MOST_QUOTED = 3
_LONGEST_EXCERPT = 300


def cited_numbers(text: str) -> tuple[int, ...]:
    """The numbers that `text` cites, each once, in order of appearance."""
    found = [number for match in _CITATION.finditer(text) for number in _numbers(match.group(1))]
    return tuple(dict.fromkeys(found))


def keep_citations(text: str, allowed: Collection[int]) -> tuple[str, int]:
    """The text without the citations of numbers that are not `allowed`, and how many were taken out.

    A citation that is valid throughout stays as it was written; the blank before one that goes, goes too.
    """
    removed = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal removed
        run = match.group(0)
        parts = []
        for citation in _CITATION.finditer(run):
            numbers = _numbers(citation.group(1))
            kept = [number for number in numbers if number in allowed]
            removed += len(numbers) - len(kept)
            if kept:
                whole = len(kept) == len(numbers) and citation.group(0).startswith("[") and "†" not in citation.group(0)
                parts.append(citation.group(0) if whole else f"[{', '.join(map(str, kept))}]")
        blank = run[: len(run) - len(run.lstrip())]
        return blank + "".join(parts) if parts else ""

    return _RUN.sub(replace, text).strip(), removed


def renumber_citations(text: str, numbers: Mapping[int, int]) -> str:
    """The text with each cited number replaced by what `numbers` says; one that it does not know goes."""

    def replace(match: re.Match[str]) -> str:
        shown = dict.fromkeys(numbers[number] for number in _numbers(match.group(1)) if number in numbers)
        return "".join(f"[{number}]" for number in shown)

    return _CITATION.sub(replace, text)


def excerpt(sentence: str, source: str, longest: int = _LONGEST_EXCERPT) -> str:
    """The sentence of `source` that shares most words with the citing `sentence`; the first of equals.

    Words are weighed by their length, so that names count and articles hardly do. At most `longest` characters: of a
    longer sentence, the part that shares most.
    """
    wanted = set(_WORD.findall(_CITATION.sub(" ", sentence).casefold()))
    best, best_weight = "", -1
    for candidate in sentences(source):
        weight = sum(len(word) for word in wanted & set(_WORD.findall(candidate.casefold())))
        if weight > best_weight:
            best, best_weight = candidate, weight
    return best if len(best) <= longest else _part(best, wanted, longest)


def _part(sentence: str, wanted: set[str], longest: int) -> str:
    """The first of the parts of whole words, with ellipses within `longest`, that hold most of what is wanted."""
    words = [(match.start(), match.end(), match.group().casefold()) for match in _WORD.finditer(sentence)]
    best, best_weight = sentence[: longest - 1], 0
    ends = [end for _, end, _ in words]
    for n, (start, _, _) in enumerate(words):
        room = longest - 2 if start else longest - 1
        inside = {word for _, _, word in words[n : bisect_right(ends, start + room)]}
        weight = sum(map(len, inside & wanted))
        if weight > best_weight:
            best, best_weight = ("…" if start else "") + sentence[start : start + room], weight
        if start + room >= len(sentence):
            break
    return best.rstrip() + ("" if sentence.endswith(best.removeprefix("…")) else "…")


def quotation(answer: str, number: int, source: str) -> str:
    """What in `source` the first few sentences of `answer` that cite it by this number rest on, as the source has it.

    Runs that are not next to each other are joined by an ellipsis; "" where nothing cites it.
    """
    citing = [cited.sentence for cited in cited_sentences(answer) if cited.number == number]
    found = dict.fromkeys(excerpt(sentence, source) for sentence in citing[:_MOST_QUOTED])
    folded = " ".join(source.split())
    return " … ".join(sorted(found, key=lambda text: folded.find(text.strip("…"))))


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence of an answer and one number that it cites; `start` is where that citation begins in the answer."""

    sentence: str
    number: int
    start: int


# Asked for once for each source of an answer.
@lru_cache(maxsize=64)
def cited_sentences(answer: str) -> tuple[Cited, ...]:
    """Each sentence with each number it cites, in order.

    A citation that stands after the full stop belongs to the sentence before it.
    """
    found: list[Cited] = []
    start, sentence = 0, ""
    for match in _CITATION.finditer(answer):
        before = sentences(answer[start : match.start()])
        sentence = before[-1] if before else sentence
        start = match.end()
        found += [Cited(sentence, number, match.start()) for number in _numbers(match.group(1)) if sentence]
    return tuple(found)


def move_citations(answer: str, moves: Mapping[Cited, int]) -> str:
    """The answer in which each of these citations names another number; the same number twice in a row stands once."""

    def replace(match: re.Match[str]) -> str:
        moved = {cited.number: number for cited, number in moves.items() if cited.start == match.start()}
        if not moved:
            return match.group(0)
        shown = dict.fromkeys(moved.get(number, number) for number in _numbers(match.group(1)))
        return "".join(f"[{number}]" for number in shown)

    return _CITATION.sub(replace, answer)


def sentences(text: str) -> list[str]:
    """The sentences of `text` with their white space folded.

    No end is seen after titles, initials and list marks, nor between what is said and who says it.
    """
    ends = [
        match.end()
        for match in _END.finditer(text)
        if not _abbreviated(text, match.end()) and not _goes_on(text, match)
    ]
    parts = (text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True))
    return [" ".join(part.split()) for part in parts if part.strip()]


def _abbreviated(text: str, end: int) -> bool:
    return _ABBREVIATED.search(text, max(0, end - 8), end) is not None


def _goes_on(text: str, end: re.Match[str]) -> bool:
    if not _QUOTED.match(end.group()) or end.group().count("\n") > 1:
        return False
    following = " ".join(text[end.end() : end.end() + 80].split())
    # After a full stop who speaks next, or does so elsewhere, may stand in a sentence of his own.
    return following[:1].islower() or (end.group()[0] != "." and _SPOKEN.match(following) is not None)


def _numbers(inside: str) -> list[int]:
    """Numbers between the brackets; a range too wide to be meant gives its two ends."""
    found: list[int] = []
    for item in re.split(r"[,;、]", inside):
        ends = [int(end) for end in re.split(r"[-–]", item)]
        if len(ends) == 2 and 0 <= ends[1] - ends[0] <= _WIDEST_RANGE:
            found += range(ends[0], ends[1] + 1)
        else:
            found += ends
    return found
