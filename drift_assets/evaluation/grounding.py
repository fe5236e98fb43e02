"""Whether what an answer says stands in what it cites, by words."""

from __future__ import annotations

from collections.abc import Mapping

from drift_assets.search.support import claims, holds_words


def groundedness(answer: str, sources: Mapping[int, str]) -> float | None:
    """Share of the citing sentences of which half of the words stand in what they cite; None where none cites.

    Words are compared by their beginnings.
    """
    found = [
        holds_words(claim.sentence, " ".join(sources.get(number, "") for number in sorted(claim.numbers)))
        for claim in claims(answer)
    ]
    return sum(found) / len(found) if found else None
