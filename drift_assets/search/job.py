"""The job `drift_search`: ops that pass the id of a search, which itself lives in Neo4j."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

import dagster as dg

from drift_assets.assets.stage import run_limits
from drift_assets.embedding.choose import embedding_name
from drift_assets.forms import plainly
from drift_assets.graph.connection import open_graph
from drift_assets.graph.kept import forget_searches
from drift_assets.graph.schema import refuse_foreign
from drift_assets.graph.searches import StoredQuestion, questions_of
from drift_assets.interrupts import run
from drift_assets.language.choose import refuse_unusable
from drift_assets.local.server import neo4j_address
from drift_assets.progress import Logged, current
from drift_assets.resources import DriftResource
from drift_assets.search.check import begin_search, in_language
from drift_assets.search.check import check_index as check
from drift_assets.search.config import SearchConfig
from drift_assets.search.hyde import hyde as write_hyde
from drift_assets.search.local import local as search_locally
from drift_assets.search.primer import primer as write_primer
from drift_assets.search.reduce import reduce as write_answer
from drift_assets.search.result import SearchResult, search_result
from drift_assets.search.step import Step, StepUse, open_step
from drift_assets.search.trace import (
    answer_markdown,
    calls_markdown,
    questions_markdown,
    sources_markdown,
    steps_markdown,
    tree_markdown,
)
from drift_assets.settings import Settings

ANSWERS = dg.AssetKey(["drift", "answers"])
answers = dg.AssetSpec(
    ANSWERS,
    deps=[dg.AssetKey(["drift", "embeddings"])],
    group_name="drift_search",
    kinds={"neo4j"},
    description="Answers to questions, with their sources and the questions that led there. "
    "Each search of the job drift_search adds one.",
)


@dg.op(out=dg.Out(str, description="Id of the search."), description="The index can be searched; the search exists.")
def check_index(context: dg.OpExecutionContext, config: SearchConfig, drift: DriftResource) -> str:
    """Checks the index against the settings and stores the search under a new id."""
    settings = drift.settings()
    refuse_unusable(settings)
    address = neo4j_address(settings)

    async def begin() -> str:
        async with open_graph(address) as graph:
            await refuse_foreign(graph)
            await check(graph, embedding=embedding_name(settings))
            options = in_language(config.options(), settings).limited(run_limits(settings))
            search_id = await begin_search(
                graph,
                options=options,
                search_id=config.search_id,
                run_id=context.run_id,
                now=time.time(),
                embedding=embedding_name(settings),
            )
            days = settings.keep_search_days
            await forget_searches(
                graph,
                number=settings.keep_searches,
                seconds=None if days is None else days * 86_400,
                now=time.time(),
            )
            return search_id

    search_id = run(begin())
    context.add_output_metadata({"search_id": search_id, "question": config.question})
    return search_id


@dg.op(out=dg.Out(str), description="A hypothetical answer and its vector: where the search starts.")
def hyde(context: dg.OpExecutionContext, search_id: str, drift: DriftResource) -> str:
    """Runs the stage hyde."""
    return _stage(context, drift.settings(), search_id, write_hyde)


@dg.op(out=dg.Out(str), description="A first answer from the nearest reports, and the follow-up questions.")
def primer(context: dg.OpExecutionContext, search_id: str, drift: DriftResource) -> str:
    """Runs the stage primer."""
    return _stage(context, drift.settings(), search_id, write_primer)


@dg.op(out=dg.Out(str), description="Rounds of local searches: every question is answered, failed or dropped.")
def local(context: dg.OpExecutionContext, search_id: str, drift: DriftResource) -> str:
    """Runs the stage local."""
    return _stage(context, drift.settings(), search_id, search_locally)


@dg.op(out=dg.Out(str), description="The final answer, materialised as the asset drift/answers.")
def reduce(context: dg.OpExecutionContext, search_id: str, drift: DriftResource) -> str:
    """Runs the stage reduce and logs its answer as a materialisation."""
    settings = drift.settings()
    _stage(context, settings, search_id, write_answer)
    address = neo4j_address(settings)

    async def read() -> SearchResult:
        async with open_graph(address) as graph:
            return await search_result(graph, search_id)

    result = run(read())
    context.log_event(dg.AssetMaterialization(ANSWERS, description=result.question, metadata=answer_metadata(result)))
    return search_id


@plainly
@dg.config_mapping
def search_form(config: SearchConfig) -> dg.RunConfig:
    """The flat form of the Launchpad, whose bounds are checked at launch."""
    return dg.RunConfig(ops={"check_index": config})


@dg.job(
    name="drift_search",
    description="Ask a question of the index: DRIFT search, from a hypothetical answer to one with sources.",
    config=search_form,
    executor_def=dg.in_process_executor,
)
def search_job() -> None:
    """The stages in order, each given the id of the search."""
    reduce(local(primer(hyde(check_index()))))


def answer_metadata(result: SearchResult) -> dict[str, Any]:
    """Metadata of an answer in the catalogue: texts as escaped Markdown, numbers as numbers."""
    return {
        "search_id": result.search_id,
        "status": result.status,
        "origin": result.origin or "",
        "reply": result.reply,
        "answer": dg.MetadataValue.md(answer_markdown(result)),
        "sources": dg.MetadataValue.md(sources_markdown(result)),
        "questions": dg.MetadataValue.md(tree_markdown(result)),
        "stages": dg.MetadataValue.md(steps_markdown(result)),
        "score": result.score,
        "cited_sources": len(result.sources),
        "evidence_passages": len(result.evidence),
        "questions_asked": sum(question.status == "answered" for question in result.questions),
        "questions_failed": sum(question.status == "failed" for question in result.questions),
        "removed_citations": result.removed_citations,
        **use_metadata(StepUse(result.usage, result.seconds)),
    }


def use_metadata(use: StepUse) -> dict[str, Any]:
    """Calls, tokens, cost and time; the cost is left out when a price is unknown."""
    usage = use.usage
    numbers: dict[str, Any] = {
        "language_calls": usage.language_calls,
        "embedding_calls": usage.embedding_calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "embedding_tokens": usage.embedding_tokens,
        "seconds": round(use.seconds, 3),
    }
    return numbers if usage.cost_usd is None else {**numbers, "cost_usd": usage.cost_usd}


def _stage(
    context: dg.OpExecutionContext,
    settings: Settings,
    search_id: str,
    work: Callable[[Step], Awaitable[None]],
) -> str:
    """Executes one stage and reports what it used; returns the search's id for the next."""
    name = context.op.name
    (current() or Logged(context.log.info)).stage(name, None)
    # Starting a server blocks, so it is done outside the event loop, where a signal ends it.
    address = neo4j_address(settings)

    async def execute() -> tuple[StepUse, list[StoredQuestion]]:
        async with open_step(address, settings, search_id=search_id, run_id=context.run_id, name=name) as step:
            await work(step)
            return step.use, await questions_of(step.graph, search_id)

    use, questions = run(execute())
    context.add_output_metadata(
        {
            **use_metadata(use),
            "questions": dg.MetadataValue.md(questions_markdown(questions)),
            "calls": dg.MetadataValue.md(calls_markdown(questions)),
            **({"notes": use.notes} if use.notes else {}),
        }
    )
    return search_id
