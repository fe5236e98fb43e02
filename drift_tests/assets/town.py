"""A town of our own making, told of in as many short texts as a test wants: few of its people are named often."""

from __future__ import annotations

import random

_NAMES = (
    "Ada Bo Cleo Dina Edda Finn Greta Hugo Iris Jonas Kaja Lena Milo Nora Otto Pia Quin Rosa Sven Tilda",
    "Abel Brandt Castor Dorn Eller Falk Grau Holm Ising Jessen Kraft Lindt Moor Nagel Ohm Pohl Rasch Stein",
)
_DID = (
    "met {} at the harbour",
    "sold {} a boat without a sail",
    "wrote to {} about the flood",
    "owed {} the rent of a winter",
    "heard from {} that the bridge was closed",
    "taught {} to mend nets",
    "saw {} leave by the early ferry",
)


def texts(count: int, *, people: int = 300, sentences: int = 5, seed: int = 1) -> list[str]:
    """Texts of so many sentences that each name two people, the n-th of whom comes half as often as the n/2-th."""
    chance = random.Random(seed)
    first, last = (names.split() for names in _NAMES)
    known = chance.sample([f"{one} {other}" for one in first for other in last], people)
    weights = [1 / (place + 3) for place in range(people)]
    told = []
    for number in range(count):
        lines = []
        for at in range(sentences):
            one, other = chance.choices(known, weights, k=2)
            lines.append(f"{one} {chance.choice(_DID).format(other)} on day {number * sentences + at}.")
        told.append(" ".join(lines))
    return told
