"""Contexts: which pieces of evidence a call is given, within a budget of tokens, and their numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

from drift_assets.graph.retrieval import Kind, Piece
from drift_assets.graph.searches import StoredPassage
from drift_assets.language.tasks import Evidence
from drift_assets.search.citations import excerpt
from drift_assets.tokens import count_tokens, token_runs

# What each kind is sure of; what one does not use is left to the others, in this order.
SHARES: Mapping[Kind, float] = {"chunk": 0.5, "report": 0.25, "relationship": 0.1, "entity": 0.15}

# Of the evidence that a search may read in all, what each kind takes at most.
LARGEST_SHARES: Mapping[Kind, float] = {"chunk": 1.0, "report": 0.1, "relationship": 0.02, "entity": 0.02}
_READ_BEFORE = "read before, in part"
_LONGEST_REFERENCE = 400


def assemble(pieces: Sequence[Piece], budget: int) -> list[Piece]:
    """The pieces of one context: by kind, in the order given, nothing twice, `budget` tokens at most.

    Each kind first fills its share; then what is left of the budget goes to what did not fit, chunks first. If not
    even one piece fits, the first is cut to the budget. Blank pieces are left out, and of equal texts the first stays.
    """
    distinct = _distinct(pieces)
    sizes = [_size(piece) for piece in distinct]
    taken: set[int] = set()
    for kind, share in SHARES.items():
        _fill(taken, [n for n, piece in enumerate(distinct) if piece.kind == kind], sizes, int(budget * share))
    rest = [n for n in range(len(distinct)) if n not in taken]
    _fill(taken, rest, sizes, budget - sum(sizes[n] for n in taken))
    if distinct and not taken:
        return [_cut(distinct[0], budget)]
    return [piece for n, piece in enumerate(distinct) if n in taken]


def admit(
    contexts: Sequence[Sequence[Piece]],
    known: Sequence[StoredPassage],
    limit: int | None,
    shares: Mapping[Kind, float] = LARGEST_SHARES,
) -> list[list[Piece]]:
    """Of each context what may still be read when all distinct evidence has `limit` tokens at most.

    What is `known` costs nothing again. Otherwise the contexts take their pieces in turn, the first of each, then the
    second, and no kind takes more than its share of the limit.
    """
    if limit is None:
        return [list(context) for context in contexts]
    read = {_key(piece) for piece in map(_piece, known)}
    used: dict[Kind, int] = {kind: sum(passage.tokens for passage in known if passage.kind == kind) for kind in SHARES}
    # Small kinds first: what they may take is little, and passages take all that there is.
    for kind in reversed(list(SHARES)):
        columns = [[piece for piece in context if piece.kind == kind] for context in contexts]
        for turn in zip_longest(*columns):
            for piece in turn:
                if piece is None or _key(piece) in read:
                    continue
                size = count_tokens(piece.text)
                if used[kind] + size <= shares.get(kind, 0.0) * limit and sum(used.values()) + size <= limit:
                    used[kind] += size
                    read.add(_key(piece))
    return [[piece for piece in context if _key(piece) in read] for context in contexts]


def _key(piece: Piece) -> tuple[str, str, str]:
    return piece.kind, piece.id, piece.text


def _piece(passage: StoredPassage) -> Piece:
    return Piece(passage.kind, passage.source_id, passage.title, passage.text, passage.document)


def parts(pieces: Sequence[Piece], budget: int) -> list[list[Piece]]:
    """The pieces in their order, in contexts of at most `budget` tokens each; one that is longer is cut to it."""
    fitting = (piece if _size(piece) <= budget else _cut(piece, budget) for piece in pieces)
    return token_runs(fitting, _size, budget)


def number_passages(
    contexts: Sequence[Sequence[Piece]], known: Sequence[StoredPassage]
) -> tuple[list[StoredPassage], list[tuple[int, ...]]]:
    """The new passages of these contexts, and the numbers of each context.

    Numbers go on from the `known` ones by first appearance. The same text from the same source keeps its number
    throughout a search.
    """
    numbers = {(passage.kind, passage.source_id, passage.text): passage.number for passage in known}
    following = max((passage.number for passage in known), default=0) + 1
    new: list[StoredPassage] = []
    numbered: list[tuple[int, ...]] = []
    for context in contexts:
        for piece in context:
            key = (piece.kind, piece.id, piece.text)
            if key not in numbers:
                numbers[key] = following + len(new)
                new.append(_passage(piece, numbers[key]))
        numbered.append(tuple(numbers[piece.kind, piece.id, piece.text] for piece in context))
    return new, numbered


def evidence_of(
    numbers: Sequence[int],
    passages: Mapping[int, StoredPassage],
    read: Collection[int] = (),
    question: str = "",
) -> tuple[Evidence, ...]:
    """The passages with these numbers as a task takes them, in this order.

    Those that an earlier call of the search has `read` are given by the sentence nearest to `question`.
    """
    return tuple(
        reference(passages[number], question) if number in read else _evidence(passages[number]) for number in numbers
    )


def reference(passage: StoredPassage, question: str) -> Evidence:
    """A short reference to a passage that was read before: its sentence with most words of the question."""
    text = excerpt(question, passage.text, longest=_LONGEST_REFERENCE)
    return Evidence(number=passage.number, kind=passage.kind, title=f"{passage.title} ({_READ_BEFORE})", text=text)


def _evidence(passage: StoredPassage) -> Evidence:
    return Evidence(number=passage.number, kind=passage.kind, title=passage.title, text=passage.text)


def halve(numbers: Sequence[int], passages: Mapping[int, StoredPassage]) -> tuple[int, ...]:
    """The first of these passages up to half of their tokens; at least one while there are two or more."""
    left = sum(passages[number].tokens for number in numbers) / 2
    kept: list[int] = []
    for number in numbers:
        left -= passages[number].tokens
        if left < 0 and kept:
            break
        kept.append(number)
    return tuple(kept[: max(1, len(numbers) - 1)])


def _distinct(pieces: Sequence[Piece]) -> list[Piece]:
    by_kind = sorted(
        (piece for piece in pieces if piece.text.strip()), key=lambda piece: list(SHARES).index(piece.kind)
    )
    found: list[Piece] = []
    seen: set[tuple[str, ...]] = set()
    for piece in by_kind:
        keys = {_key(piece), tuple(piece.text.split())}
        if not keys & seen:
            found.append(piece)
        seen |= keys
    return found


def _fill(taken: set[int], candidates: Sequence[int], sizes: Sequence[int], room: int) -> None:
    for n in candidates:
        if sizes[n] <= room:
            taken.add(n)
            room -= sizes[n]


def _size(piece: Piece) -> int:
    return count_tokens(piece.title) + count_tokens(piece.text)


def _cut(piece: Piece, budget: int) -> Piece:
    text = piece.text
    while text and (size := count_tokens(text)) > budget:
        text = text[: min(len(text) - 1, len(text) * budget // size)].rstrip()
    return Piece(piece.kind, piece.id, piece.title, text, piece.document)


def _passage(piece: Piece, number: int) -> StoredPassage:
    return StoredPassage(
        number=number,
        kind=piece.kind,
        source_id=piece.id,
        title=piece.title,
        document=piece.document,
        text=piece.text,
        tokens=count_tokens(piece.text),
    )
