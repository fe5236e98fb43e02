"""`drift ask`: a question, answered by DRIFT search over the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drift_assets.cli.answer import changed_since_index, search, show_answer, tell_of_changes
from drift_assets.cli.compare import comparison_json, methods_named, show_comparison
from drift_assets.cli.graph import with_graph
from drift_assets.cli.output import Json, debugging, interruptible, say, show_json
from drift_assets.cli.usage import MaxCalls, MaxCost, MaxTokens, above_zero, of_length
from drift_assets.errors import SettingsError
from drift_assets.search.options import (
    PRESETS,
    Method,
    Preset,
    SearchOptions,
    Stage,
    Template,
    Unsupported,
    checked_levels,
    checked_question,
)
from drift_assets.search.selection import checked_where

if TYPE_CHECKING:
    from drift_assets.graph.connection import Graph
    from drift_assets.search.result import SearchResult
    from drift_assets.settings import Settings

DEFAULTS = SearchOptions(question="")

Question = Annotated[
    str | None, typer.Argument(metavar="QUESTION", help="The question, 1 to 4,000 characters; none with --replay.")
]
ByMethod = Annotated[
    Method,
    typer.Option(
        help="drift; or for comparison local (one local search), vector (the nearest chunks), "
        "global (all near reports)."
    ),
]
FromPreset = Annotated[
    Preset, typer.Option(help="Options that suit a size of search; options given beside it win over its own.")
]
Compare = Annotated[
    str | None,
    typer.Option(metavar="METHODS", help="Ask by several methods, such as drift,vector, and show them side by side."),
]
Depth = Annotated[int, typer.Option(min=0, max=5, help="Rounds of local searches after the primer.")]
Communities = Annotated[int, typer.Option(min=1, max=50, help="Reports that the primer reads.")]
HydeTemplate = Annotated[
    Template,
    typer.Option(
        help="Sample for the hypothetical answer: the nearest report, a random one, or off to start from the question."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random sample.")]
Folds = Annotated[
    int,
    typer.Option(
        min=0, max=20, help="Calls of the primer, each over a part of its reports; 0: as many as the reports need."
    ),
]
Levels = Annotated[
    str,
    typer.Option(
        help="Levels of the reports to read, 0 the coarsest: any, one such as 1, or a range such as 0-1 (at most 1)."
    ),
]
Entities = Annotated[
    int, typer.Option(min=1, max=50, help="Entities nearest to a question, around which its evidence lies.")
]
Chunks = Annotated[
    int, typer.Option(min=0, max=50, help="Chunks of the documents in a context, or as much in passages.")
]
Reports = Annotated[int, typer.Option(min=0, max=50, help="Community reports in a local context, at most.")]
Relationships = Annotated[int, typer.Option(min=0, max=50, help="Relationships in a local context, at most.")]
FollowUps = Annotated[
    int,
    typer.Option(min=0, max=20, help="Follow-up questions taken from a local answer; the primer's are all asked."),
]
Parallel = Annotated[
    int, typer.Option(min=1, max=32, help="Local searches at once, and questions of a round after the first.")
]
ResponseType = Annotated[
    str,
    typer.Option(callback=of_length(200), help='Form of the answer, such as "one sentence" or "list of 5 points".'),
]
AnswerLanguage = Annotated[
    str | None,
    typer.Option(
        metavar="LANGUAGE",
        help="Language that the answer is written in, such as German; empty: that of the question. "
        "Not in the extractive mode, which quotes English.",
    ),
]
MinScore = Annotated[
    float,
    typer.Option(
        min=0,
        max=100,
        help="Intermediate answers scored below this (0-100) are left out, but not the best `min_answers`.",
    ),
]
MinAnswers = Annotated[
    int,
    typer.Option(min=1, max=50, help="Intermediate answers that are kept whatever their score, the best so many."),
]
SupportBy = Annotated[
    Unsupported,
    typer.Option(
        help="Sentences of the answer that what they cite does not support: keep, mark with [?], or remove them."
    ),
]
JudgeSupport = Annotated[
    bool,
    typer.Option(
        help="Let the language model judge by one more call whether the sentences are supported; "
        "off: words and vectors do."
    ),
]
LateSeconds = Annotated[
    float | None,
    typer.Option(
        callback=above_zero,
        help="Seconds, above 0, after which a round goes on without calls still open, once half are in; "
        "empty: it waits.",
    ),
]
Hybrid = Annotated[
    bool,
    typer.Option(
        help="Read passages found by vectors, by words and by entities; "
        "off: the chunks that mention most of the entities."
    ),
]
Refine = Annotated[
    bool,
    typer.Option(
        help="Merge and sharpen follow-ups by a call when there are more than a round may ask; off: the first ones."
    ),
]
EvidenceTokens = Annotated[
    int | None,
    typer.Option(min=200, help="Most tokens of distinct evidence that all steps read together; empty: no limit."),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(callback=above_zero, help="Longest time of the search in seconds, above 0; empty: no limit."),
]


Within = Annotated[
    str | None,
    typer.Option(
        "--in",
        callback=of_length(500),
        metavar="FOLDER|PATTERN",
        help="Read only documents in this folder or table, or of this pattern, such as letters or '19*.md'.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="Read only documents whose metadata say so, such as author=Carroll; all of them, if repeated.",
    ),
]
After = Annotated[
    str | None,
    typer.Option(metavar="SEARCH_ID", help="Id of a stored search that the question follows on, as in a conversation."),
]
Replay = Annotated[
    str | None,
    typer.Option(
        metavar="SEARCH_ID",
        help="Id of a stored search to answer anew from a later stage; what comes before it is taken over unpaid.",
    ),
]
ReplayFrom = Annotated[
    Stage, typer.Option("--from", help="With replay, the first stage to do and pay anew: local or reduce.")
]


# Typer takes the options of a command from the parameters of its function.
def ask(  # noqa: PLR0913
    context: typer.Context,
    question: Question = None,
    method: ByMethod = DEFAULTS.method,
    preset: FromPreset = "default",
    compare: Compare = None,
    depth: Depth = DEFAULTS.depth,
    communities: Communities = DEFAULTS.communities,
    hyde: HydeTemplate = DEFAULTS.hyde,
    seed: Seed = DEFAULTS.seed,
    folds: Folds = DEFAULTS.folds,
    levels: Levels = DEFAULTS.levels,
    entities: Entities = DEFAULTS.entities,
    chunks: Chunks = DEFAULTS.chunks,
    reports: Reports = DEFAULTS.reports,
    relationships: Relationships = DEFAULTS.relationships,
    follow_ups: FollowUps = DEFAULTS.follow_ups,
    parallel: Parallel = DEFAULTS.parallel,
    response_type: ResponseType = DEFAULTS.response_type,
    answer_language: AnswerLanguage = DEFAULTS.answer_language,
    min_score: MinScore = DEFAULTS.min_score,
    min_answers: MinAnswers = DEFAULTS.min_answers,
    unsupported: SupportBy = DEFAULTS.unsupported,
    judge_support: JudgeSupport = DEFAULTS.judge_support,
    hybrid: Hybrid = DEFAULTS.hybrid,
    refine: Refine = DEFAULTS.refine,
    evidence_tokens: EvidenceTokens = DEFAULTS.evidence_tokens,
    max_calls: MaxCalls = DEFAULTS.max_calls,
    max_tokens: MaxTokens = DEFAULTS.max_tokens,
    max_cost_usd: MaxCost = DEFAULTS.max_cost_usd,
    max_seconds: MaxSeconds = DEFAULTS.max_seconds,
    late_seconds: LateSeconds = DEFAULTS.late_seconds,
    within: Within = None,
    where: Where = None,
    after: After = None,
    replay: Replay = None,
    replay_from: ReplayFrom = DEFAULTS.replay_from,
    as_json: Json = False,
) -> None:
    """Answer a question from the index, with numbered sources."""
    from drift_assets.settings import load_settings

    methods = _checked(context)
    config = search_config(context)
    settings, debug = load_settings(), debugging(context)
    if replay is not None:
        config = replay_config(context, settings, replay)
    else:
        config["question"] = checked_question(question or "")
    with interruptible("nothing was answered yet: ask again", or_own=True):
        check_beforehand(settings, config)
        results = {}
        for number, name in enumerate(methods or (config["method"],), 1):
            if methods:
                say(f"asking by {name} ({number} of {len(methods)})")
            results[name] = search(settings, {**config, "method": name}, debug=debug, aloud=not as_json)
    _show(settings, config, results, as_json=as_json)


def _show(settings: Settings, config: Mapping[str, Any], results: Mapping[str, SearchResult], *, as_json: bool) -> None:
    if as_json:
        changed = {"changed_files": changed_since_index(settings)}
        shown = (
            comparison_json(config["question"], results) if len(results) > 1 else results[config["method"]].to_json()
        )
        show_json({**shown, **changed})
        return
    if len(results) > 1:
        show_comparison(results)
    else:
        show_answer(results[config["method"]])
    # The answer does not wait for that.
    tell_of_changes(changed_since_index(settings))


def _checked(context: typer.Context) -> tuple[str, ...]:
    """The methods to compare; what cannot be asked is wrong usage."""
    question, compare, replay = (context.params[name] for name in ("question", "compare", "replay"))
    if (question is None) == (replay is None):
        raise typer.BadParameter("give either a QUESTION or --replay with the id of a stored search")
    if replay is not None and compare:
        raise typer.BadParameter("--replay answers by the method of the stored search; leave --compare out")
    if replay is None and _explicit(context, "replay_from"):
        raise typer.BadParameter("--from says where a --replay goes on: give the id of a stored search with --replay")
    try:
        checked_levels(context.params["levels"])
        checked_where(context.params["where"] or ())
        if question is not None:
            checked_question(question)
        return methods_named(compare, least=2) if compare else ()
    except SettingsError as error:
        raise typer.BadParameter(str(error)) from None


def search_config(context: typer.Context) -> dict[str, Any]:
    """The search that the options of a command ask for: the preset's values but where one was given by name."""
    chosen = PRESETS[context.params["preset"]]
    given = {name: context.params[name] for name in SearchOptions.__dataclass_fields__ if name in context.params}
    config = {**given, **{name: value for name, value in chosen.items() if not _explicit(context, name)}}
    return _set(config)


def _set(config: Mapping[str, Any]) -> dict[str, Any]:
    """What is set, in the form that a job's config has."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in config.items()
        if value is not None and value != ()
    }


def replay_config(context: typer.Context, settings: Settings, search_id: str) -> dict[str, Any]:
    """The stored search's own options, but where one was given by name or by a preset given by name."""
    from dataclasses import asdict

    from drift_assets.search.result import search_result

    async def read(graph: Graph) -> SearchResult:
        return await search_result(graph, search_id)

    stored = asdict(with_graph(settings, read).options)
    chosen = PRESETS[context.params["preset"]] if _explicit(context, "preset") else {}
    given = {name: context.params[name] for name in stored if name in context.params and _explicit(context, name)}
    config = {**stored, **chosen, **given, "replay": search_id, "replay_from": context.params["replay_from"]}
    return {name: value for name, value in _set(config).items() if name != "search_id"}


def check_beforehand(settings: Settings, config: Mapping[str, Any]) -> None:
    """Documents, levels and searches that are named exist, and the language can be written, before a run begins.

    Raises as `check_index`, `in_language` and `prepared` of `search/check.py`.
    """
    from drift_assets.embedding.choose import embedding_name
    from drift_assets.search.check import check_index, in_language, prepared

    options = in_language(
        SearchOptions(**{"question": "", **config, "where": tuple(config.get("where", ()))}), settings
    )
    if options.levels == "any" and not (options.within or options.where or options.after or options.replay):
        return

    async def check(graph: Graph) -> None:
        await check_index(graph, embedding=embedding_name(settings))
        await prepared(graph, options)

    with_graph(settings, check)


def _explicit(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
