"""Stage check_index: the index can be searched with these settings, and the search exists."""

from __future__ import annotations

import time
from dataclasses import replace

from drift_assets.errors import GraphError, IndexMismatch, SettingsError
from drift_assets.graph.connection import Graph
from drift_assets.graph.former import View, begin_reading
from drift_assets.graph.levels import deepest_level
from drift_assets.graph.replays import copy_search
from drift_assets.graph.retrieval import missing_vector_indexes
from drift_assets.graph.schema import IndexState, await_online, index_state
from drift_assets.graph.searches import create_search, fail_search, questions_of, stored_search
from drift_assets.search.conversation import check_after
from drift_assets.search.options import SearchOptions, checked_language
from drift_assets.search.selection import selected
from drift_assets.settings import Settings


async def check_index(graph: Graph, *, embedding: str) -> IndexState:
    """What `__Index__` says, when its vectors are of `embedding` and online; else IndexMismatch with what to do."""
    index = await index_state(graph)
    if index is None or index.embedding_model is None:
        raise IndexMismatch(
            f"there is no finished index in database {graph.address.database} at {graph.address.uri}: "
            "run `drift index FOLDER` first"
        )
    if index.embedding_model != embedding:
        raise IndexMismatch(
            f"the index was embedded with {index.embedding_model}, the settings say {embedding}: "
            "set DRIFT_EMBEDDING and DRIFT_EMBEDDING_MODEL to the index's, or run `drift index` to embed it anew"
        )
    missing = await missing_vector_indexes(graph, vectors=index.vectors)
    if missing:
        raise IndexMismatch(f"the index lacks its vector index {', '.join(missing)}: run `drift index` again")
    await await_online(graph)
    return index


async def begin_search(
    graph: Graph,
    *,
    options: SearchOptions,
    search_id: str | None,
    run_id: str,
    now: float,
    embedding: str | None = None,
) -> str:
    """The id of the new stored search: the wished one unless it is taken, else one made from the time and the run.

    `embedding` is the one that the index was checked for; an index that was embedded anew since is refused.

    With `options.replay` it has the stages of that search. Raises as `prepared`.
    """
    options = await prepared(graph, options)
    own = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{run_id[:6]}"
    for id in (search_id, own, f"{own}-{run_id[-6:]}"):
        if id and await _create(graph, id, run_id, options, now):
            if (found := await begin_reading(graph, id)) != embedding and embedding and found:
                error = IndexMismatch("the index was embedded anew this very moment: ask again")
                # One that seemed to run would keep the old communities for itself.
                await fail_search(graph, id, reason=str(error), finished=now)
                raise error
            return id
    raise IndexMismatch(f"a search {own} exists already: ask again")


def in_language(options: SearchOptions, settings: Settings) -> SearchOptions:
    """The options with the language that the settings ask for, unless they name one.

    Raises SettingsError for what is no language, and for one that the language model of the settings cannot write.
    """
    wished = options.answer_language or settings.answer_language
    if wished is None:
        return options
    if settings.language_name == "extractive" and checked_language(wished).casefold() not in ("english", "en"):
        raise SettingsError(
            f"the extractive mode quotes documents in English and cannot write {wished}: "
            "leave answer_language out, or set OPENAI_API_KEY"
        )
    return replace(options, answer_language=checked_language(wished))


async def prepared(graph: Graph, options: SearchOptions) -> SearchOptions:
    """The options with which such a search would begin: one after another reads its documents, unless it names some.

    Raises GraphError for a search that is not there or cannot be gone on from, SettingsError where no document or no
    level is of the selection.
    """
    if options.replay is not None:
        await check_replay(graph, options)
    elif options.after is not None:
        before = SearchOptions.from_json((await check_after(graph, options.after)).options)
        if options.within is None and not options.where:
            options = replace(options, within=before.within, where=before.where)
    await selected(graph, options.within, options.where)
    if (bounds := options.level_bounds) is not None:
        finished = (await View(graph, 0).read_state()).generation
        deepest = await deepest_level(View(graph, finished))
        if deepest is not None and bounds[0] > deepest:
            known = "level 0 alone" if deepest == 0 else f"the levels 0 to {deepest}"
            raise SettingsError(f"the index has no reports of level {options.levels}: it has {known}")
    return options


async def _create(graph: Graph, id: str, run_id: str, options: SearchOptions, now: float) -> bool:
    if options.replay is None:
        return await create_search(
            graph, id=id, run_id=run_id, question=options.question, options=options.to_json(), created=now
        )
    return await copy_search(
        graph,
        source=options.replay,
        id=id,
        run_id=run_id,
        options=options.to_json(),
        created=now,
        # The other methods answer all their questions in the primer.
        rounds=0 if options.replay_from == "local" and options.method == "drift" else None,
    )


async def check_replay(graph: Graph, options: SearchOptions) -> None:
    """The search `options.replay` exists, asked the same by the same method, and can be gone on from.

    Raises GraphError that says what is missing.
    """
    source = await stored_search(graph, options.replay or "")
    if source is None:
        raise GraphError(f"there is no search {options.replay!r}: `drift status` lists the newest ones")
    asked = SearchOptions.from_json(source.options)
    if (source.question, asked.method) != (options.question, options.method):
        raise GraphError(f"search {source.id} asked by {asked.method}: {source.question!r}; a replay asks the same")
    root = (await questions_of(graph, source.id))[0]
    if root.status not in ("answered", "dropped") or source.status == "running":
        raise GraphError(f"search {source.id} has no finished primer to go on from: ask the question anew")
    index = await index_state(graph)
    if options.replay_from == "local" and index is not None and index.dimensions not in (None, len(source.vector)):
        raise GraphError(f"the index was embedded anew since search {source.id}: ask the question anew")
