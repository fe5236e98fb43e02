"""The asset check `search_quality`: the newest evaluation held against the stored baseline."""

from pathlib import Path
from typing import Any

import dagster as dg

from drift_assets.evaluation.baseline import BASELINE, FIGURES, LATEST, changes, falls, mean, stored
from drift_assets.markdown import figures_table
from drift_assets.resources import DriftResource

ANSWERS = dg.AssetKey(["drift", "answers"])


@dg.asset_check(
    asset=ANSWERS,
    name="search_quality",
    description="No figure of the newest `drift eval` fell below the baseline by more than its interval.",
)
def search_quality(drift: DriftResource) -> dg.AssetCheckResult:
    """Asks nothing: `drift eval FILE --save-baseline` stores what later evaluations are held against."""
    return judged(drift.settings().home_folder / "evaluation")


def judged(folder: Path) -> dg.AssetCheckResult:
    """The result for the evaluations in `folder`."""
    before, after = stored(folder, BASELINE), stored(folder, LATEST)
    if before is None or after is None:
        return dg.AssetCheckResult(
            passed=True,
            severity=dg.AssetCheckSeverity.WARN,
            description="there is no baseline yet: `drift eval FILE --save-baseline` stores one",
        )
    found = changes(before, after)
    if not found:
        return dg.AssetCheckResult(
            passed=False,
            severity=dg.AssetCheckSeverity.WARN,
            description="the newest evaluation asked none of the baseline's questions: run `drift eval` on their file",
        )
    rows = [[d.kind, d.figure.replace("_", " "), d.questions, d.difference, d.low, d.high] for d in found]
    columns = ["kind", "figure", "questions", "change", "from", "to"]
    metadata: dict[str, Any] = {"changes": dg.MetadataValue.md(figures_table(columns, rows))}
    metadata |= {figure: value for figure in FIGURES if (value := mean(after, figure)) is not None}
    fallen = [f"{d.figure.replace('_', ' ')} of {d.kind} by {-d.difference:.2f}" for d in falls(before, after)]
    return dg.AssetCheckResult(
        passed=not fallen,
        severity=dg.AssetCheckSeverity.ERROR,
        description="fell: " + "; ".join(fallen) if fallen else None,
        metadata=metadata,
    )
