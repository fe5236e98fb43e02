"""Quotations traced to the documents: a sentence of the answer that stands word for word in a chunk cites that chunk.

Reports, summaries and descriptions are themselves made of the chunks, without a language model even of their very
sentences. A person who checks a source wants the document, so where the answer quotes one of them and a chunk below it
says the same words, the citation is moved to the chunk. What no chunk says keeps the citation that it has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drift_assets.graph.retrieval import Piece, chunks_below
from drift_assets.graph.searches import Reading, StoredPassage, questions_of, readings_of, store_reading
from drift_assets.search.citations import Cited, cited_sentences, move_citations
from drift_assets.search.context import admit, number_passages
from drift_assets.search.passages import cut
from drift_assets.search.step import Step

# Shorter runs of letters say too little to be called a quotation.
_SHORTEST_QUOTATION = 20


@dataclass(frozen=True, slots=True)
class Quotation:
    """A sentence of the answer that cites a passage which is no chunk."""

    cited: Cited
    passage: StoredPassage


async def ground(step: Step, answer: str, known: Sequence[StoredPassage]) -> tuple[str, list[StoredPassage]]:
    """The answer with its quotations citing chunks; chunks that nobody had read become passages of the search.

    `known` are its passages; these new ones are returned too.
    """
    quotations = untraced(answer, {passage.number: passage for passage in known})
    if not quotations:
        return answer, []
    moves: dict[Cited, int] = {}
    sources: dict[Cited, Piece] = {}
    for quotation in quotations:
        read = next((p for p in known if p.kind == "chunk" and says(p.text, quotation.cited.sentence)), None)
        if read is not None:
            moves[quotation.cited] = read.number
        elif (source := await _source(step, quotation)) is not None:
            sources[quotation.cited] = source
    new, numbers = await _read(step, sources, known)
    return move_citations(answer, {**moves, **numbers}), new


async def _source(step: Step, quotation: Quotation) -> Piece | None:
    """The passage that says the sentence, of the first such chunk below the quoted passage; the chunk if none does."""
    words = re.findall(r"\w+", quotation.cited.sentence)
    passage = quotation.passage
    below = await chunks_below(step.graph, kind=passage.kind, id=passage.source_id, word=max(words, key=len))
    chunk = next((piece for piece in below if says(piece.text, quotation.cited.sentence)), None)
    if chunk is None:
        return None
    return next((piece for piece in cut(chunk) if says(piece.text, quotation.cited.sentence)), chunk)


async def _read(
    step: Step, sources: Mapping[Cited, Piece], known: Sequence[StoredPassage]
) -> tuple[list[StoredPassage], dict[Cited, int]]:
    """The sources are passages of the search, read to its root: the new ones, and by each quoting sentence its number.

    Where the evidence that a search may read is used up, a citation stays as it is.
    """
    if not sources:
        return [], {}
    root = (await questions_of(step.graph, step.search.id))[0]
    [admitted] = admit([list(sources.values())], known, step.options.evidence_tokens, {"chunk": 1.0})
    new, [numbers] = number_passages([admitted], known)
    before = (await readings_of(step.graph, step.search.id)).get(root.id, ())
    readings = [Reading(root.id, tuple(dict.fromkeys((*before, *numbers))))]
    await store_reading(step.graph, step.search.id, passages=new, readings=readings)
    read = {(piece.id, piece.text): number for piece, number in zip(admitted, numbers, strict=True)}
    moves = {cited: read[piece.id, piece.text] for cited, piece in sources.items() if (piece.id, piece.text) in read}
    return new, moves


def untraced(answer: str, passages: Mapping[int, StoredPassage]) -> list[Quotation]:
    """Sentences of the answer that quote a passage which is no chunk, in order."""
    return [
        Quotation(cited, passages[cited.number])
        for cited in cited_sentences(answer)
        if cited.number in passages
        and passages[cited.number].kind != "chunk"
        and says(passages[cited.number].text, cited.sentence)
    ]


def says(text: str, sentence: str) -> bool:
    """Whether `text` holds `sentence` letter for letter, whatever its line breaks, quotes and punctuation."""
    wanted = _letters(sentence)
    return len(wanted) >= _SHORTEST_QUOTATION and wanted in _letters(text)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
