"""A code location small enough to start within a second: one asset job with a check, one op job, and ways to fail."""

import asyncio
import os
import pathlib
import sys
import time

import dagster as dg

from drift_assets import interrupts, progress
from drift_assets.errors import CorpusError


class Ask(dg.Config):
    question: str = "who?"
    fail: str = ""
    seconds: float = 0.0
    nap: float = 0.0
    marks: str = ""


@dg.asset(key_prefix="drift")
def chunks(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    context.log.info("a line of the stage")
    if display := progress.current():
        display.note("noted by the stage")
    return dg.MaterializeResult(metadata={"new": 3, "share": 0.5})


@dg.asset_check(asset=chunks)
def chunks_are_few(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(passed=False, severity=dg.AssetCheckSeverity.WARN, description="3 are too many")


@dg.op
def answer(context: dg.OpExecutionContext, config: Ask) -> str:
    if config.fail == "corpus":
        raise CorpusError(f"no folder {config.question!r};\nname another one")
    if config.fail == "bug":
        raise ValueError("a bug")
    if config.fail == "kill":
        os.kill(os.getpid(), 9)
    sys.stdout.write("printed by the op\n")
    if config.seconds:
        interrupts.run(_work(config.seconds, pathlib.Path(config.marks)))
    return config.question


@dg.op
def sleepy(config: Ask, text: str) -> str:
    if config.fail == "sleep":
        pathlib.Path(config.marks, "begun").touch()
        time.sleep(config.nap)
    return text


async def _work(seconds: float, marks: pathlib.Path) -> None:
    """Takes `seconds`, in steps, and when it is cancelled writes down how far it came (which takes a moment)."""
    (marks / "begun").touch()
    try:
        await asyncio.sleep(seconds)
    finally:
        await asyncio.sleep(0.3)
        (marks / "written").touch()


def _flat(config: Ask) -> dg.RunConfig:
    return dg.RunConfig(ops={"answer": config, "sleepy": config})


@dg.job(
    config=dg.ConfigMapping(
        config_schema=Ask.to_fields_dict(),
        config_fn=lambda c: {"ops": {n: {"config": c} for n in ("answer", "sleepy")}},
    ),
    executor_def=dg.in_process_executor,
)
def search() -> None:
    sleepy(answer())


index = dg.define_asset_job("index", selection=dg.AssetSelection.all(), executor_def=dg.in_process_executor)

defs = dg.Definitions(assets=[chunks], asset_checks=[chunks_are_few], jobs=[index, search])
