"""Resolution of names: which entities' names are of one thing, decided pair by pair, and what follows from it.

What names stand together is a function of the names there are, of what is said of them, and of the decisions; nothing
depends on the order in which they came. So an index that is kept equals a fresh one here too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from drift_assets.assets.stage import Stage
from drift_assets.assets.versions import decisions_version, resolution_version, uses_vectors_of_names
from drift_assets.embedding.choose import embedding_name
from drift_assets.errors import CallTooLong, ItemFailed
from drift_assets.fingerprint import fingerprint
from drift_assets.graph import resolution as graph_resolution
from drift_assets.graph.connection import Graph
from drift_assets.graph.failures import Failure
from drift_assets.graph.resolution import DecisionRow, KnownName, Move, StoredDecision, StoredName
from drift_assets.language.choose import task_origin
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import NamedThing, NamePair, Resolve, Verdict
from drift_assets.language.usage import Usage
from drift_assets.reconcile import Done, Failed, in_parts, reconcile
from drift_assets.resolution.candidates import Candidate, candidates, near
from drift_assets.resolution.groups import Decided, survivors
from drift_assets.settings import Settings

PAIRS_PER_CALL = 20
NAMES_PER_CALL = 256
MOVES_AT_ONCE = 200
SAMPLE = 10
BY_FORM, FORM_REASON = "form", "The same name but for case, an article, stops or hyphens."
Pairs = tuple["Undecided", ...]
Verdicts = dict["Undecided", Verdict | Failure]


@dataclass(frozen=True, slots=True)
class Undecided:
    """A pair of names to be decided, as it is shown, and the key of the decision."""

    pair: NamePair
    first: str
    second: str
    key: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """What the resolution did: decisions made, names moved, what stands merged, and what it spent."""

    decided: int
    moved: int
    merged: int
    spent: Usage
    sample: list[dict[str, Any]]


async def resolve_names(stage: Stage) -> Resolved:
    """All that was extracted stands at the entity that its name is of, as far as decisions can be made."""
    before = replace(stage.meter.usage)
    version = resolution_version(stage.settings)
    decided = moved = 0
    if not await graph_resolution.is_resolved(stage.graph, version=version):
        names = await graph_resolution.stored_names(stage.graph)
        if stage.settings.resolve:
            decided = await _decide(stage, names)
        moved = await _move(stage, names)
        await graph_resolution.set_resolved(stage.graph, version=version)
    return Resolved(
        decided=decided,
        moved=moved,
        merged=await graph_resolution.count_merged(stage.graph),
        spent=stage.meter.usage.since(before),
        sample=await merged_sample(stage.graph),
    )


async def _decide(stage: Stage, names: Sequence[StoredName]) -> int:
    """Every pair of names that may be of one thing is decided, or has failed; returns how many were decided now."""
    counts = {one.name: one.mentions for one in names}
    found = candidates(counts)
    if uses_vectors_of_names(stage.settings):
        vectors = await _vectors_of_names(stage, list(counts))
        found = sorted([*found, *near(vectors, [(one.first, one.second) for one in found])])
    else:
        await graph_resolution.drop_names(stage.graph, model=None, names=[])
    await graph_resolution.keep_decisions(stage.graph, [(one.first, one.second) for one in found])
    stored = await graph_resolution.decisions(stage.graph)
    await _decide_by_form(stage, found, stored)
    undecided = await _undecided(stage.graph, stage.settings, names, found, stored)
    return await _ask(stage, undecided) if undecided else 0


async def _decide_by_form(stage: Stage, found: Sequence[Candidate], stored: Sequence[StoredDecision]) -> None:
    known = {(one.first, one.second) for one in stored if one.key == BY_FORM}
    rows = [
        DecisionRow(one.first, one.second, same=True, reason=FORM_REASON, origin="rules", key=BY_FORM)
        for one in found
        if one.why == "form" and (one.first, one.second) not in known
    ]
    if rows:
        await graph_resolution.write_decisions(stage.graph, rows, {})


async def count_undecided(graph: Graph, settings: Settings) -> int:
    """How many pairs of names would be decided by calls now; those that only vectors bring are not counted."""
    if not settings.resolve or await graph_resolution.is_resolved(graph, version=resolution_version(settings)):
        return 0
    names = await graph_resolution.stored_names(graph)
    found = candidates({one.name: one.mentions for one in names})
    return len(await _undecided(graph, settings, names, found, await graph_resolution.decisions(graph)))


async def _undecided(
    graph: Graph,
    settings: Settings,
    names: Sequence[StoredName],
    found: Sequence[Candidate],
    stored: Sequence[StoredDecision],
) -> list[Undecided]:
    """The candidates whose decision was not made from what is known of their names today."""
    asked = [one for one in found if one.why != "form"]
    wanted = {name for one in asked for name in (one.first, one.second, *one.others)}
    known = await graph_resolution.known_names(graph, [one for one in names if one.name in wanted])
    version = decisions_version(settings)
    settled = {(one.first, one.second): one for one in stored if not one.told}
    undecided = []
    for one in asked:
        item = undecided_pair(one, known, version)
        held = settled.get((one.first, one.second))
        if held is None or not (held.skipped or item.key in (held.key, held.failed_for)):
            undecided.append(item)
    return undecided


def undecided_pair(candidate: Candidate, known: Mapping[str, KnownName], version: str) -> Undecided:
    """The candidate as it is shown; `others` in no document with either of the two do not count."""
    first, second = known[candidate.first], known[candidate.second]
    either = first.documents | second.documents
    pair = NamePair(
        number=0,
        first=_thing(first),
        second=_thing(second),
        together=bool(first.documents & second.documents),
        others=tuple(known[name].spelling for name in candidate.others if known[name].documents & either),
    )
    key = fingerprint("decision", version, pair.model_dump())
    return Undecided(pair, candidate.first, candidate.second, key)


def _thing(name: KnownName) -> NamedThing:
    types = Counter(type_ for type_ in name.types if type_)
    commonest = min(types, key=lambda type_: (-types[type_], type_), default="")
    return NamedThing(name=name.spelling, type=commonest, descriptions=name.descriptions)


async def _ask(stage: Stage, undecided: Sequence[Undecided]) -> int:
    """The pairs are decided by the language model, or have failed; returns how many were decided."""
    origin = task_origin(stage.settings, Resolve)
    stage.progress.stage("resolution", len(undecided))
    done = 0

    async with stage.language(-(-len(undecided) // PAIRS_PER_CALL)) as model:

        async def work(pairs: Pairs) -> Verdicts:
            return await decide(model, pairs)

        async def write(finished: Sequence[Done[Pairs, Verdicts]], failed: Sequence[Failed[Pairs]]) -> None:
            nonlocal done
            rows, lost = [], {}
            outcomes = [outcome for one in finished for outcome in one.result.items()]
            outcomes += [(item, one.failure) for one in failed for item in one.item]
            for item, outcome in outcomes:
                row = DecisionRow(item.first, item.second, same=False, reason="", origin=origin, key=item.key)
                if isinstance(outcome, Failure):
                    lost[row] = outcome
                else:
                    rows.append(replace(row, same=outcome.same, reason=outcome.reason))
            await graph_resolution.write_decisions(stage.graph, rows, lost)
            done += len(rows)
            stage.progress.advance(len(outcomes), failed=len(lost))

        # The engine would count calls, not pairs.
        await reconcile(_batches(undecided, PAIRS_PER_CALL), work, write, concurrency=stage.settings.concurrency)
    return done


async def _batches(items: Sequence[Any], size: int) -> AsyncIterator[tuple[Any, ...]]:
    for start in range(0, len(items), size):
        yield tuple(items[start : start + size])


async def decide(model: LanguageModel, pairs: Pairs) -> Verdicts:
    """A verdict or a failure for each pair; what is refused or too long is halved down to the culprit.

    Pairs that an answer leaves out are asked again by themselves.
    """
    if not pairs:
        return {}
    shown = tuple(item.pair.model_copy(update={"number": number}) for number, item in enumerate(pairs, start=1))
    try:
        output = await model.perform(Resolve(pairs=shown))
    except (ItemFailed, CallTooLong) as error:
        if len(pairs) == 1:
            return {pairs[0]: Failure(str(error), lasting=not error.transient)}
        return await _halved(model, pairs)
    said = {verdict.number: verdict for verdict in reversed(output.verdicts)}
    found: Verdicts = {item: said[number] for number, item in enumerate(pairs, start=1) if number in said}
    left = tuple(item for item in pairs if item not in found)
    if len(left) == 1 == len(pairs):
        return {left[0]: Failure(f"{model.origin(Resolve)} gave no verdict on this pair", lasting=True)}
    return {**found, **(await _halved(model, left) if len(left) == len(pairs) else await decide(model, left))}


async def _halved(model: LanguageModel, pairs: Pairs) -> Verdicts:
    half = len(pairs) // 2
    return {**await decide(model, pairs[:half]), **await decide(model, pairs[half:])}


async def _vectors_of_names(stage: Stage, names: Sequence[str]) -> dict[str, Sequence[float]]:
    """The vector of each name by the settings' embedding; a name that failed has none."""
    model = embedding_name(stage.settings)
    await graph_resolution.drop_names(stage.graph, model=model, names=names)
    stored = await graph_resolution.name_vectors(stage.graph)
    missing = [name for name in names if name not in stored]
    made: dict[str, Sequence[float]] = {}
    if missing:
        stage.progress.stage("names", len(missing))
        async with stage.embedder() as embedder:

            async def work(batch: tuple[str, ...]) -> dict[str, Sequence[float]]:
                return dict(zip(batch, await embedder.embed(batch), strict=True))

            async def write(finished: Sequence[Done[Any, Any]], failed: Sequence[Failed[tuple[str, ...]]]) -> None:
                vectors = {name: vector for one in finished for name, vector in one.result.items()}
                lost = {name: one.failure for one in failed for name in one.item}
                await graph_resolution.write_name_vectors(stage.graph, vectors, lost, model=model)
                made.update(vectors)
                stage.progress.advance(len(vectors) + len(lost), failed=len(lost))

            batches = _batches(missing, NAMES_PER_CALL)
            await reconcile(batches, work, write, concurrency=stage.settings.concurrency)
    return {name: vector for name, vector in [*stored.items(), *made.items()] if vector is not None}


async def _move(stage: Stage, names: Sequence[StoredName]) -> int:
    """Every name stands at the entity that the decisions give it; returns how many moved."""
    counts = {one.name: one.mentions for one in names}
    decided = [
        Decided(one.first, one.second, one.same, one.told)
        for one in await graph_resolution.decisions(stage.graph)
        if one.same is not None and (one.told or stage.settings.resolve)
    ]
    standing = survivors(counts, decided)
    moves = [Move(one.name, one.entity, standing[one.name]) for one in names if one.entity != standing[one.name]]
    for start in range(0, len(moves), MOVES_AT_ONCE):
        await in_parts(moves[start : start + MOVES_AT_ONCE], partial(graph_resolution.move_names, stage.graph))
    return len(moves)


async def merged_sample(graph: Graph) -> list[dict[str, Any]]:
    """Rows of a table: what was merged, and the reasons."""
    shown = await graph_resolution.merges(graph, limit=SAMPLE)
    reasons = reasons_by_pair(await graph_resolution.decisions(graph)) if shown else {}
    return [
        {
            "entity": one.shown,
            "names": ", ".join(one.names),
            "reasons": " ".join(dict.fromkeys(reason.reason for reason in reasons_among(list(one.names), reasons))),
        }
        for one in shown
    ]


def reasons_by_pair(decided: Sequence[StoredDecision]) -> dict[tuple[str, str], StoredDecision]:
    """The decision that holds of each pair: the user's own, where there is one."""
    return {(one.first, one.second): one for one in sorted(decided, key=lambda one: one.told)}


def reasons_among(names: Sequence[str], held: Mapping[tuple[str, str], StoredDecision]) -> list[StoredDecision]:
    """The decisions that join these names with each other."""
    ordered = sorted(names)
    pairs = [(first, second) for at, first in enumerate(ordered) for second in ordered[at + 1 :]]
    return [held[pair] for pair in pairs if pair in held and held[pair].same]


async def merge_list(graph: Graph) -> dict[str, Any]:
    """Entities of several names with the reasons, and the user's own decisions, with whether they are carried out."""
    decided = await graph_resolution.decisions(graph)
    held = reasons_by_pair(decided)
    standing = {one.name: one.entity for one in await graph_resolution.stored_names(graph)}
    merged = await graph_resolution.merges(graph)
    return {
        "merges": [
            {
                **asdict(one),
                "reasons": [
                    {"first": why.first, "second": why.second, "reason": why.reason, "origin": why.origin}
                    for why in reasons_among(list(one.names), held)
                ],
            }
            for one in merged
        ],
        "told": [
            {"first": one.first, "second": one.second, "same": one.same, "done": _is_done(one, standing)}
            for one in decided
            if one.told
        ],
    }


def _is_done(told: StoredDecision, standing: Mapping[str, str]) -> bool:
    ends = [standing.get(name) for name in (told.first, told.second)]
    return None in ends or (ends[0] == ends[1]) == told.same
