"""What a run says of its cost: before its first paid call, and when a limit ends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from drift_assets.assets.estimate import Plan, as_json, estimate, lines
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage, Work
from drift_assets.assets.versions import entities_version, reports_version, summaries_version
from drift_assets.errors import LimitReached
from drift_assets.graph.plans import sample, stale_texts_of_others
from drift_assets.graph.reports import count_stale_reports
from drift_assets.graph.summaries import count_stale_summaries
from drift_assets.language.choose import task_origin
from drift_assets.language.tasks import Extract

History = Callable[[], Mapping[str, Mapping[str, float]]]


async def foretell(stage: Stage, synced: StageReport, history: History) -> None:
    """Say what the run found new, changed and gone, and what its later stages will take; nothing where nothing is due.

    The chunks are in the graph by now, so that the corpus is not read for it a second time.
    """
    if stage.settings.language_name != "openai":
        return
    facts = synced.facts
    found = await _left(stage)
    if found.texts or found.stale_summaries or found.stale_reports:
        new, changed = int(facts["new_documents"]), int(facts["changed_documents"])
        stage.progress.note(
            f"documents: {new:,} new, {changed - new:,} changed, {int(facts['deleted_documents']):,} gone, "
            f"{int(facts['skipped_files']):,} skipped"
        )
        for line in _told(stage, found, history):
            stage.progress.note(line)


def telling_the_rest(work: Work, history: History) -> Work:
    """`work`, whose LimitReached says also what remains and what that would cost."""

    async def inside(stage: Stage) -> StageReport:
        try:
            return await work(stage)
        except LimitReached as error:
            raise LimitReached(
                f"{error}; what is finished is kept, and what remains is {await _rest(stage, history)}"
            ) from error

    return inside


async def _rest(stage: Stage, history: History) -> str:
    *told, together = _told(stage, await _left(stage), history)
    due = [line for line in told if ": 0 calls" not in line and ": about 0 calls" not in line]
    if due:
        return "; ".join([*due, together]) + ", and what follows from it"
    # Calls that no estimate foresees: those of embedding, or the last ones of a stage.
    return f"the rest of the stage {stage.name}" + ("" if stage.name == "embeddings" else " and what follows from it")


async def _left(stage: Stage) -> Plan:
    """What is to be done, by the graph as it is; undecided pairs of names, which take long to find, are foreseen."""
    version = entities_version(stage.settings)
    texts = await stale_texts_of_others(stage.graph, [], version=version)
    origin = task_origin(stage.settings, Extract)
    return Plan(
        new=0,
        changed=0,
        gone=0,
        skipped=0,
        texts=len(texts),
        tokens=sum(texts.values()),
        stale_summaries=await count_stale_summaries(stage.graph, version=summaries_version(stage.settings)),
        stale_reports=await count_stale_reports(stage.graph, version=reports_version(stage.settings)),
        sample=await sample(stage.graph, version=version, origin=origin, without=[], known=0),
    )


def _told(stage: Stage, found: Plan, history: History) -> list[str]:
    stages = estimate(found, stage.settings, history())
    return lines(as_json(found, stages, stage.settings.home_folder))
