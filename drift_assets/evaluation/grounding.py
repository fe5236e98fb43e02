"""Whether what an answer says stands in what it cites, by words."""

from __future__ import annotations

from collections.abc import Mapping

from drift_assets.search.citations import cited_sentences, renumber_citations
from drift_assets.search.passages import words_of

# A paraphrase keeps names, numbers and some nouns.
_SHARE = 0.5


def groundedness(answer: str, sources: Mapping[int, str]) -> float | None:
    """Share of the citing sentences of which half of the words stand in what they cite; None where none cites.

    Words are compared by their beginnings.
    """
    cited: dict[str, set[int]] = {}
    for one in cited_sentences(answer):
        cited.setdefault(one.sentence, set()).add(one.number)
    found = [
        _supported(renumber_citations(sentence, {}), " ".join(sources.get(number, "") for number in sorted(numbers)))
        for sentence, numbers in cited.items()
    ]
    return sum(found) / len(found) if found else None


def _supported(sentence: str, text: str) -> bool:
    words = set(words_of(sentence))
    return len(words & set(words_of(text))) >= _SHARE * len(words)
