"""`drift eval`: how good the answers to a file of questions are, by one method or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drift_assets.cli.ask import (
    DEFAULTS,
    Communities,
    Depth,
    Entities,
    EvidenceTokens,
    Folds,
    FollowUps,
    FromPreset,
    Hybrid,
    HydeTemplate,
    Levels,
    Refine,
    Seed,
    Where,
    Within,
    check_beforehand,
    search_config,
)
from drift_assets.cli.compare import methods_named
from drift_assets.cli.output import Json, interruptible, say, show, show_json
from drift_assets.cli.usage import MaxCost
from drift_assets.errors import SettingsError
from drift_assets.search.options import checked_levels
from drift_assets.search.selection import checked_where

if TYPE_CHECKING:
    from drift_assets.evaluation.figures import Rows
    from drift_assets.evaluation.judging import Share
    from drift_assets.evaluation.variants import Variants
    from drift_assets.settings import Settings


QuestionsFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="JSON Lines: id, question, kind and, if answerable, must_mention, evidence."),
]
ByJudge = Annotated[
    bool,
    typer.Option(
        "--judge", help="With a language model: judge the first method's answers against the others', two calls a pair."
    ),
]


# Typer takes the options of a command from the parameters of its function.
def evaluate(  # noqa: PLR0913
    context: typer.Context,
    file: QuestionsFile,
    method: Annotated[
        str, typer.Option(metavar="METHODS", help="Methods to ask by, such as drift,vector; the first is compared.")
    ] = "drift",
    preset: FromPreset = "default",
    evidence_tokens: EvidenceTokens = None,
    depth: Depth = DEFAULTS.depth,
    communities: Communities = DEFAULTS.communities,
    hyde: HydeTemplate = DEFAULTS.hyde,
    seed: Seed = DEFAULTS.seed,
    folds: Folds = DEFAULTS.folds,
    levels: Levels = DEFAULTS.levels,
    entities: Entities = DEFAULTS.entities,
    follow_ups: FollowUps = DEFAULTS.follow_ups,
    hybrid: Hybrid = DEFAULTS.hybrid,
    refine: Refine = DEFAULTS.refine,
    max_cost_usd: MaxCost = DEFAULTS.max_cost_usd,
    within: Within = None,
    where: Where = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES", help="DRIFT once more with each value, such as depth=0,1,3; may be repeated."
        ),
    ] = None,
    judge: ByJudge = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the figures as an SVG picture.")] = None,
    save_baseline: Annotated[
        bool, typer.Option("--save-baseline", help="Keep the figures of the first method for the check search_quality.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="File that keeps the answers; unset: DRIFT_HOME/evaluation/FILE.json.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Ask a file of questions and score the answers; goes on where it was interrupted."""
    from drift_assets.evaluation.baseline import BASELINE, LATEST, store
    from drift_assets.evaluation.judging import check_judge
    from drift_assets.evaluation.questions import read_questions
    from drift_assets.evaluation.run import evaluate as ask_all
    from drift_assets.settings import load_settings

    config: dict[str, Any] = {name: value for name, value in search_config(context).items() if name != "method"}
    asked_by = _asked_by(method, config, levels, where or (), vary or ())
    questions, settings = read_questions(file), load_settings()
    check_beforehand(settings, config)
    if judge:
        check_judge(asked_by, settings)
    kept = output or settings.home_folder / "evaluation" / f"{file.stem}.json"
    with interruptible("run it again: it goes on with the next question"):
        rows = ask_all(questions, asked_by, settings, kept, say)
    first = rows[next(iter(rows))]
    for name in (LATEST, *([BASELINE] if save_baseline else [])):
        store(settings.home_folder / "evaluation", name, first)
    about = {"file": str(file), "config": config, "answers": str(kept)}
    _show(rows, _judged(rows, settings, kept, max_cost_usd) if judge else [], about, plot, as_json=as_json)


def _asked_by(
    methods: str, config: Mapping[str, Any], levels: str, where: Sequence[str], vary: Sequence[str]
) -> Variants:
    """What is asked by, by its name in the tables; what is wrong with it is wrong usage."""
    from drift_assets.evaluation.variants import variants

    try:
        checked_levels(levels)
        checked_where(where)
        return variants(methods_named(methods, least=1), config, vary)
    except SettingsError as error:
        raise typer.BadParameter(str(error)) from None


def _judged(rows: Rows, settings: Settings, kept: Path, max_cost_usd: float | None) -> list[Share]:
    from drift_assets.evaluation.judging import judge
    from drift_assets.language.usage import Limits

    limits = Limits(cost_usd=max_cost_usd or settings.max_cost_usd)
    with interruptible("run it again: it goes on with the next pair"):
        return judge(rows, settings, kept.with_suffix(".judged.json"), say, limits)


def _show(rows: Rows, judged: list[Share], about: dict[str, Any], plot: Path | None, *, as_json: bool) -> None:
    from drift_assets.evaluation.figures import to_json, to_markdown
    from drift_assets.evaluation.plot import plot_svg
    from drift_assets.pages import write_page

    if plot is not None:
        write_page(plot, plot_svg(rows))
        say(f"wrote {plot}")
    if as_json:
        show_json({**about, **to_json(rows, judged)})
        return
    show(to_markdown(rows, judged))
    say(f"each answer stands in {about['answers']}")
