"""Intermediate answers made of source sentences, each followed by the number of its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drift_assets.language.extractive.candidates import Candidate, held, of_evidence, weights
from drift_assets.language.extractive.follow_ups import follow_ups, parts_with_things, told
from drift_assets.language.extractive.questions import Asked, read_question, sentence_count
from drift_assets.language.extractive.ranking import Ranked, choose, rank, shortlist
from drift_assets.language.tasks import Answer, Prime, ScoredAnswer

# Sentences embedded; many local searches stand beside one primer.
SHORTLIST, OF_LOCAL = 18, 12
_MOST = 8
_LEAST = 0.22
_NEXT_TO_BEST = 0.35


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read for a question: its aspects (the whole first), all sentences, those worth embedding."""

    aspects: tuple[Asked, ...]
    everything: tuple[Candidate, ...]
    shortlist: tuple[Candidate, ...]

    @property
    def texts(self) -> list[str]:
        """What must be embedded: the aspects, then the shortlisted sentences."""
        return [asked.text for asked in self.aspects] + [candidate.in_context for candidate in self.shortlist]


def read(task: Prime | Answer) -> Reading:
    """The sentences of the evidence worth embedding; in a local search the user's question and its parts count too."""
    listed = of_evidence(task.evidence)
    aspects, most = aspects_of(task.question), SHORTLIST
    if isinstance(task, Answer) and task.local_question != task.question:
        most = OF_LOCAL
    if isinstance(task, Answer):
        both = [*aspects_of(task.local_question), *aspects_of(task.question)]
        aspects = list({asked.text: asked for asked in both}.values())
    return Reading(tuple(aspects), tuple(listed), tuple(shortlist(aspects, listed, most)))


def aspects_of(question: str) -> list[Asked]:
    """The question, then its parts where there are several; two that ask the same in other words are one."""
    found: dict[tuple[frozenset[str], frozenset[str]], Asked] = {}
    for part, thing in parts_with_things(question):
        asked = _read_part(part, thing)
        found.setdefault((frozenset(asked.words), asked.wanted), asked)
    return [read_question(question), *(found.values() if len(found) > 1 else ())]


def _read_part(part: str, thing: str) -> Asked:
    """A part and the thing that it leaves to the others to name, whose words weigh as names do: they tell of what."""
    own = read_question(part)
    if not thing:
        return own
    about = tuple(word for word in read_question(thing).words if word not in own.words)
    return Asked(told(part, thing), own.words + about, own.names | set(about), own.wanted)


def answer(task: Prime | Answer, reading: Reading, cosines: Sequence[Sequence[float]]) -> ScoredAnswer:
    """The answer from the shortlisted sentences, given the cosine of each with each aspect."""
    ranked = rank(reading.aspects, reading.shortlist, cosines, reading.everything)
    weight = weights(reading.aspects[0], reading.everything)
    count = min(sentence_count(task.response_type), _MOST)
    chosen = choose([item for item in ranked if item.relevance >= _LEAST], weight, count, _NEXT_TO_BEST)
    return ScoredAnswer(
        answer=written(chosen),
        score=score(read_question(task.question), chosen, reading.everything),
        follow_ups=follow_ups(task, chosen, ranked, task.follow_ups),
    )


def score(user: Asked, chosen: Sequence[Ranked], everything: Sequence[Candidate]) -> float:
    """How well the sentences serve the user's question, 0–100: the share of its words, weighted by likeness."""
    if not chosen:
        return 0.0
    words = frozenset().union(*(item.candidate.words for item in chosen))
    share = held(words, weights(user, everything))
    return round(100 * share * (0.5 + 0.5 * max(item.likeness for item in chosen)), 1)


def written(chosen: Sequence[Ranked]) -> str:
    """The sentences in the order of their sources, each with its citations."""
    ordered = sorted((item.candidate for item in chosen), key=lambda candidate: candidate.place)
    return " ".join(map(cited, ordered))


def cited(candidate: Candidate) -> str:
    """A sentence followed by its citations."""
    return f"{candidate.text} {''.join(f'[{number}]' for number in candidate.numbers)}"
