"""Reports: what each community is about, written from its members or, where they are too many, from its children."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import dagster as dg

from drift_assets.assets.communities import communities
from drift_assets.assets.materialising import materialise
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage
from drift_assets.assets.versions import reports_version
from drift_assets.errors import CallTooLong, ItemFailed
from drift_assets.fingerprint import fingerprint
from drift_assets.graph import former
from drift_assets.graph import reports as graph_reports
from drift_assets.graph.reports import FailedReport, Material, ReportRow, StaleReport
from drift_assets.language.model import LanguageModel
from drift_assets.language.tasks import ChildReport, CommunityReport, Member, Report, Tie
from drift_assets.reconcile import Done, Failed, paged, prepared, reconcile
from drift_assets.resources import DriftResource
from drift_assets.tokens import count_tokens

PAGE = 200
SAMPLE = 5
# Children speak for the members of a community that is too big; its heaviest members and ties keep this share.
OWN_SHARE = 0.5
T = TypeVar("T")
Told = tuple[StaleReport, Material]


@dataclass(frozen=True, slots=True)
class Written:
    """A report with the fingerprint of its material; `report` is None when the stored one is of the same material."""

    report: CommunityReport | None
    key: str


async def write_reports(stage: Stage) -> StageReport:
    """Every community has a report of its present material, leaves first so that parents can use their children's."""
    version = reports_version(stage.settings)
    stale = await graph_reports.count_stale_reports(stage.graph, version=version)
    if stale:
        await former.hold(stage.graph)
    copied = await graph_reports.copy_single_reports(stage.graph)
    stage.progress.stage("reports", stale)
    written = 0
    if stale:
        async with stage.language(stale) as model:
            for level in await graph_reports.report_levels(stage.graph):
                written += await _write_level(stage, model, version, level)
    held, sample = await asyncio.gather(
        graph_reports.count_reports(stage.graph), graph_reports.report_sample(stage.graph, SAMPLE)
    )
    return StageReport(
        new=written + copied,
        reused=held - written - copied,
        sample=sample,
        facts={"written": written, "copied": copied},
    )


async def _write_level(stage: Stage, model: LanguageModel, version: str, level: int) -> int:
    origin = model.origin(Report)
    written = 0
    keys: dict[str, str] = {}

    async def material_of(item: StaleReport) -> Material:
        return await graph_reports.material(stage.graph, item.id)

    async def work(given: Told) -> Written:
        item, material = given
        task = report_task(material, stage.settings.context_tokens)
        key = keys[item.id] = fingerprint("report", version, task.model_dump())
        if key == item.failed_for:
            raise ItemFailed(item.failure)
        return Written(None if key == item.report_key else await report(model, material, task), key)

    async def keep(finished: Sequence[Done[Told, Written]], failed: Sequence[Failed[Told]]) -> None:
        nonlocal written
        done = [(one.item[0].id, one.result) for one in finished]
        rows = [_row(id_, result.report, result.key, origin) for id_, result in done if result.report]
        unchanged = [id_ for id_, result in done if result.report is None]
        lost = [FailedReport(one.item[0].id, keys[one.item[0].id], one.failure) for one in failed]
        await graph_reports.write_reports(stage.graph, rows, unchanged, lost, version=version)
        for id_ in [*(id_ for id_, _ in done), *(one.id for one in lost)]:
            del keys[id_]
        written += len(rows)

    items = paged(partial(_page, stage, version, level), lambda item: item.id, "")
    told = prepared(items, material_of, stage.settings.concurrency)
    await reconcile(
        told, work, keep, concurrency=stage.settings.concurrency, progress=stage.progress, doubt=stage.doubt("reports")
    )
    return written


async def report(model: LanguageModel, material: Material, task: Report) -> CommunityReport:
    """The report of `task`; where the model finds it too long, that of half as much of the material, and so on.

    Raises CallTooLong where there is no less to tell.
    """
    try:
        return await model.perform(task)
    except CallTooLong:
        tokens = _tokens(task.members) + _tokens(task.ties) + _tokens(task.children)
        less = report_task(material, tokens // 2)
        if less == task:
            raise
    return await report(model, material, less)


async def _page(stage: Stage, version: str, level: int, after: str) -> list[StaleReport]:
    return await graph_reports.stale_reports(stage.graph, version=version, level=level, after=after, limit=PAGE)


def _row(id_: str, report: CommunityReport, key: str, origin: str) -> ReportRow:
    return ReportRow(
        id=id_,
        title=report.title,
        summary=report.summary,
        rating=report.rating,
        rating_explanation=report.rating_explanation,
        findings=tuple(finding.model_dump_json() for finding in report.findings),
        origin=origin,
        report_key=key,
    )


def report_task(material: Material, context_tokens: int) -> Report:
    """What a model is told of a community within `context_tokens`: all of it, or its children's reports and the
    heaviest members and ties."""
    members = [Member(name=row.name, type=row.type, summary=row.summary) for row in material.members]
    ties = [Tie(source=r.source, target=r.target, summary=r.summary, weight=r.weight) for r in material.ties]
    children = [ChildReport(title=row.title, summary=row.summary) for row in material.children]
    if _tokens(members) + _tokens(ties) <= context_tokens:
        return Report(members=tuple(members), ties=tuple(ties))
    own = int(context_tokens * (OWN_SHARE if children else 1.0))
    return Report(
        members=_within(members, own // 2),
        ties=_within(ties, own // 2),
        children=_within(children, context_tokens - own),
    )


def _tokens(items: Sequence[Member | Tie | ChildReport]) -> int:
    return sum(count_tokens(item.model_dump_json()) for item in items)


def _within(items: Sequence[T], tokens: int) -> tuple[T, ...]:
    """The first items that fit, at least one where there is any."""
    kept: list[T] = []
    for item in items:
        tokens -= count_tokens(item.model_dump_json())  # type: ignore[attr-defined]
        if kept and tokens < 0:
            break
        kept.append(item)
    return tuple(kept)


@dg.asset(
    key=["drift", "reports"],
    deps=[communities],
    group_name="drift_index",
    kinds={"neo4j"},
    description="Every `__Community__` has a title, a summary, findings and a rating of 0 to 10.",
)
def reports(context: dg.AssetExecutionContext, drift: DriftResource) -> dg.MaterializeResult[Any]:
    """Write community reports."""
    return materialise(context, drift.settings(), write_reports)
