"""How far an inserted sentence is felt: counted by the chunking alone, without an index."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import mean

from drift_assets.chunking import split
from drift_assets.tokens import count_tokens

SENTENCE = "A clerk who was never named wrote down the number {number} and closed the book."
_SENTENCE_END = re.compile(r"[.!?][\"'’”)]*\s+")
COLUMNS = ("text", "chunks", "by filling", "ratio", "places", "extracted again: average", "most")


@dataclass(frozen=True, slots=True)
class Felt:
    """The chunks of the texts, how many filling would make, and how many each insertion makes new."""

    chunks: int
    filled: int
    renewed: tuple[int, ...]

    def row(self, what: str) -> list[object]:
        """As a line of the table."""
        ratio = self.chunks / self.filled
        average = float(mean(self.renewed))
        return [what, self.chunks, self.filled, ratio, len(self.renewed), average, max(self.renewed)]


def insert_sentences(texts: Mapping[str, str], *, places: int, seed: int, max_tokens: int) -> Felt:
    """A sentence put into `places` random places of the texts, one at a time: which chunk texts are not known yet."""
    chance = random.Random(seed)
    known = {piece.text for text in texts.values() for piece in split(text, max_tokens)}
    names = sorted(texts)
    lengths = [len(texts[name]) for name in names]
    renewed = []
    for number in range(places):
        name = chance.choices(names, lengths)[0]
        edited = inserted(texts[name], chance.randrange(len(texts[name])), SENTENCE.format(number=number))
        renewed.append(sum(piece.text not in known for piece in split(edited, max_tokens)))
    chunks = sum(len(split(text, max_tokens)) for text in texts.values())
    return Felt(chunks, sum(filled(text, max_tokens) for text in texts.values()), tuple(renewed))


def inserted(text: str, place: int, sentence: str) -> str:
    """The text with the sentence at the next end of a sentence after `place`, or at its own end."""
    end = _SENTENCE_END.search(text, place)
    if end is None:
        return f"{text.rstrip()} {sentence}"
    return f"{text[: end.end()]}{sentence} {text[end.end() :]}"


def filled(text: str, max_tokens: int) -> int:
    """How many chunks a plain filling makes, which takes as many whole sentences as there is room for."""
    from semantic_text_splitter import TextSplitter

    return len(TextSplitter.from_callback(count_tokens, max_tokens).chunks(text))


def without_line_breaks(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts, each on one line."""
    return {name: " ".join(text.split("\n")) for name, text in texts.items()}
