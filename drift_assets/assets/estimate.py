"""What an index run would do and cost, from the corpus, what is reusable, and what earlier runs took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drift_assets.assets.corpus import changed_documents, document_row, look, read_changed
from drift_assets.assets.forecast import Due, forecast
from drift_assets.assets.resolution import PAIRS_PER_CALL, count_undecided
from drift_assets.assets.versions import STAGES, entities_version, gleanings, reports_version, summaries_version
from drift_assets.graph.chunks import StoredDocument, stored_documents
from drift_assets.graph.connection import Graph
from drift_assets.graph.plans import Sample, extracted_texts, sample, stale_texts_of_others
from drift_assets.graph.reports import count_stale_reports
from drift_assets.graph.summaries import count_stale_summaries
from drift_assets.language.choose import task_origin
from drift_assets.language.openai import task_model
from drift_assets.language.prices import price_usd
from drift_assets.language.prompts import render
from drift_assets.language.tasks import Extract, Report, Resolve, Summarise, Task
from drift_assets.settings import Settings
from drift_assets.tokens import count_tokens
from drift_assets.wording import counted, shown_cost

if TYPE_CHECKING:
    from dagster import DagsterInstance

_TASKS: dict[str, type[Task[Any]]] = {
    "entities": Extract,
    "resolution": Resolve,
    "summaries": Summarise,
    "reports": Report,
}
# What the stage reports of decisions on names, by the figure that it is a part of.
_DECIDED = {"language_calls": "calls", "input_tokens": "input_tokens", "output_tokens": "output_tokens"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What differs between the corpus and the index, in documents, and the texts that want an extraction.

    `tokens` are those of the texts alone. What is stale in later stages is so now, whatever the run will change.
    """

    new: int
    changed: int
    gone: int
    skipped: int
    texts: int
    tokens: int
    undecided_pairs: int = 0
    stale_summaries: int = 0
    stale_reports: int = 0
    sample: Sample | None = None


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """Calls and tokens of a stage; None where nothing tells. `cost_usd` is None also where a price is unknown.

    `exact` says that the calls are counted; all else follows from what earlier runs took for each extracted text.
    """

    calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    exact: bool = False


async def plan(graph: Graph | None, settings: Settings, folder: Path) -> Plan:
    """What a run over `folder` would find to do; without a graph everything is new. Reads, and changes nothing."""
    folder = folder.expanduser().resolve()
    stored = {one.id: one for one in await stored_documents(graph)} if graph else dict[str, StoredDocument]()
    found = look(folder, stored, settings)
    changed = changed_documents(found, stored, settings)
    gone = set(stored) - set(found.hashes)
    texts: dict[str, int] = {}
    indexed: Sample | None = None
    for document in read_changed(folder, changed, found, settings):
        texts |= {chunk.text_hash: chunk.tokens for chunk in document_row(document, settings).chunks}
    if graph:
        version = entities_version(settings)
        known = await extracted_texts(graph, list(texts), version=version)
        texts = {hash_: tokens for hash_, tokens in texts.items() if hash_ not in known}
        origin = task_origin(settings, Extract)
        indexed = await sample(graph, version=version, origin=origin, without=[*changed, *gone], known=len(known))
        texts |= await stale_texts_of_others(graph, [*changed, *gone], version=version)
    new = sum(id_ not in stored for id_ in changed)
    return Plan(
        new=new,
        changed=len(changed) - new,
        gone=len(gone),
        skipped=len(found.skipped),
        texts=len(texts),
        tokens=sum(texts.values()),
        undecided_pairs=await count_undecided(graph, settings) if graph else 0,
        stale_summaries=await count_stale_summaries(graph, version=summaries_version(settings)) if graph else 0,
        stale_reports=await count_stale_reports(graph, version=reports_version(settings)) if graph else 0,
        sample=indexed,
    )


def estimate(found: Plan, settings: Settings, history: Mapping[str, Mapping[str, float]]) -> dict[str, StageEstimate]:
    """Calls, tokens and cost of each stage that calls a language model.

    `history` are sums over earlier runs by stage and figure; what a later stage took there for each extracted text, it
    is taken to need again, on top of what is stale already.
    """
    history = _apart(history)
    paid = settings.language_name == "openai"
    rounds = 1 + gleanings(settings)
    extracted = history.get("entities", {}).get("language_calls", 0)
    given = (found.texts * _overhead(settings) + found.tokens) * rounds if paid else 0
    made = _rate(history, "entities", "output_tokens", found.texts, extracted) if paid else 0
    stages = {"entities": _stage(settings, "entities", found.texts * rounds, given, made, exact=rounds == 1)}
    if found.sample is not None:
        due = Due(found.texts, found.undecided_pairs, found.stale_summaries, found.stale_reports)
        for name, one in forecast(found.sample, due, settings, history).items():
            tokens = [None if value is None else round(value) for value in (one.input_tokens, one.output_tokens)]
            stages[name] = _stage(settings, name, round(one.calls), *(tokens if paid else (0, 0)))
        return stages
    pairs = -(-found.undecided_pairs // PAIRS_PER_CALL)
    for name, stale in (
        ("resolution", pairs),
        ("summaries", found.stale_summaries),
        ("reports", found.stale_reports),
    ):
        caused = _rate(history, name, "language_calls", found.texts, extracted)
        calls = None if caused is None else caused + stale
        per_call = history.get(name, {}).get("language_calls", 0)
        tokens = [
            None if calls is None else _rate(history, name, figure, calls, per_call)
            for figure in ("input_tokens", "output_tokens")
        ]
        stages[name] = _stage(settings, name, calls, tokens[0], tokens[1])
    return stages


def _apart(history: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    """The history, in which the decisions on names stand apart from the extraction that they are a part of."""
    both = history.get("entities", {})
    decided = {name: both.get(f"resolution_{end}", 0) for name, end in _DECIDED.items()}
    decided["pairs"] = both.get("decided_pairs", 0)
    extracted = {**both, **{name: both.get(name, 0) - decided[name] for name in _DECIDED}}
    return {**history, **({"entities": extracted, "resolution": decided} if both else {})}


def _rate(history: Mapping[str, Mapping[str, float]], stage: str, figure: str, count: int, per: float) -> int | None:
    """What `count` items take when `per` of them took what stands in the history; None when that is empty."""
    if not count:
        return 0
    return round(history.get(stage, {}).get(figure, 0) * count / per) if per else None


def _stage(
    settings: Settings, name: str, calls: int | None, given: int | None, made: int | None, *, exact: bool = False
) -> StageEstimate:
    cost = None
    if settings.language_name == "extractive":
        cost = 0.0
    elif given is not None and made is not None:
        model = task_model(settings, _TASKS[name])
        priced = price_usd(model, base_url=settings.openai_base_url, input_tokens=given, output_tokens=made)
        cost = 0.0 if not given + made else priced
    return StageEstimate(calls, given, made, cost, exact)


def _overhead(settings: Settings) -> int:
    """Tokens of an extraction's prompt besides the text."""
    prompt = render(Extract(text="x", types=settings.types, meanings=settings.type_meanings), settings.prompts)
    return count_tokens(prompt.instructions) + count_tokens(prompt.input) - 1


def as_json(found: Plan, stages: Mapping[str, StageEstimate], folder: Path) -> dict[str, Any]:
    """What `drift estimate --json` prints; totals are None when one stage is unknown."""

    def total(figure: str) -> Any:
        values = [getattr(stage, figure) for stage in stages.values()]
        return None if None in values else sum(values)

    return {
        "folder": str(folder),
        "documents": {"new": found.new, "changed": found.changed, "gone": found.gone, "skipped": found.skipped},
        "texts": found.texts,
        "stages": {name: asdict(stage) for name, stage in stages.items()},
        "calls": total("calls"),
        "tokens": {"input": total("input_tokens"), "output": total("output_tokens")},
        "cost_usd": total("cost_usd"),
    }


def lines(result: Mapping[str, Any]) -> list[str]:
    """What `as_json` holds of the stages and of all together, for people."""
    told = []
    for name, stage in result["stages"].items():
        if stage["calls"] is None:
            told.append(f"{name}: unknown before a part of the corpus is indexed")
            continue
        about = "" if stage["exact"] else "about "
        tokens = f"{stage['input_tokens'] or 0:,} tokens in"
        made = stage["output_tokens"]
        out = "output unknown" if made is None else f"{made:,} out"
        told.append(
            f"{name}: {about}{counted(stage['calls'], 'call')}, {tokens}, {out}, {shown_cost(stage['cost_usd'])}"
        )
    return [*told, f"Together: {shown_cost(result['cost_usd'])}, embedding not counted"]


def earlier_runs(instance: DagsterInstance, settings: Settings) -> dict[str, dict[str, float]]:
    """The history that `estimate` goes by: what runs with today's language model took."""
    from drift_assets.runs.recent import stage_figures

    return stage_figures(instance, tuple(STAGES), origin=task_origin(settings, Extract))
