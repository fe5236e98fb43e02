"""A stage as the step of a run of Dagster: in its turn, within the limits of the run, and said in Dagster's terms."""

from __future__ import annotations

from typing import Any

import dagster as dg

from drift_assets.assets.estimate import earlier_runs
from drift_assets.assets.foretelling import telling_the_rest
from drift_assets.assets.metadata import USAGE, stage_metadata
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage, Work, open_stage, perform, run_limits
from drift_assets.assets.turns import Turn, in_turn, turn_of
from drift_assets.assets.versions import STAGES
from drift_assets.interrupts import run
from drift_assets.language.usage import Meter, Usage
from drift_assets.local.server import neo4j_address
from drift_assets.progress import Logged, current
from drift_assets.settings import Settings


def materialise(context: dg.AssetExecutionContext, settings: Settings, work: Work) -> dg.MaterializeResult[Any]:
    """Run a stage, when no other run is at work on the index, and say in Dagster's terms what exists now."""
    name = context.asset_key.path[-1]
    progress = current() or Logged(context.log.info)
    # Starting a server blocks, so it is done outside the event loop, where a signal ends it.
    address = neo4j_address(settings, progress.note)
    meter = Meter(run_limits(settings, context.run.tags), _spent(context))
    turn = turn_of(context.run, name, tuple(STAGES))
    work = telling_the_rest(work, lambda: earlier_runs(context.instance, settings))
    report = run(perform(name, open_stage(address, settings, progress, meter), _in_turn(turn, work)))
    return dg.MaterializeResult(
        metadata=stage_metadata(report),
        data_version=dg.DataVersion(report.data_version) if report.data_version else None,
    )


def _in_turn(turn: Turn, work: Work) -> Work:
    async def inside(stage: Stage) -> StageReport:
        async with in_turn(stage.graph, turn, stage.progress.note):
            return await work(stage)

    return inside


def _spent(context: dg.AssetExecutionContext) -> Usage:
    """What the earlier stages of this run have spent, by their metadata, whatever process they ran in."""
    total = Usage()
    found = context.instance.get_records_for_run(context.run.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
    for record in found.records:
        if record.asset_materialization is not None:
            entries = record.asset_materialization.metadata
            spent: dict[str, Any] = {name: entries[name].value for name in USAGE if name in entries}
            if spent:
                total.add(Usage(**{"cost_usd": None, **spent}))
    return total
