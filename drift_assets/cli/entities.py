"""`drift entities`: which names were merged and why, and the user's own word on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from drift_assets.cli.graph import never_used, with_graph
from drift_assets.cli.output import Json, counted, show, show_json
from drift_assets.errors import IndexMismatch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from drift_assets.graph.connection import Graph

app = typer.Typer(no_args_is_help=True, help="Names that were merged into one entity: merges, split, merge.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name, as `drift entities merges` or a source shows it.")]
Other = Annotated[str, typer.Argument(metavar="OTHER", help="Another name.")]
NEAR = 3


@app.command()
def merges(as_json: Json = False) -> None:
    """List the entities of several names, with the reasons, and what you said of names yourself."""
    from drift_assets.assets.resolution import merge_list

    found = _of_index(merge_list) or {"merges": [], "told": []}
    if as_json:
        show_json(found)
        return
    for merge in found["merges"]:
        show(f"{merge['shown']}: " + ", ".join(f"{name} ({count})" for name, count in merge["names"].items()))
        for reason in merge["reasons"]:
            show(f"  {reason['first']} = {reason['second']}: {reason['reason'] or 'as you said'} [{reason['origin']}]")
    if not found["merges"]:
        show("No names are merged.")
    for told in found["told"]:
        waits = "" if told["done"] else ", from the next `drift index` on"
        show(f"You said: {told['first']} {'=' if told['same'] else '≠'} {told['second']}{waits}")


@app.command()
def merge(name: Name, other: Other, as_json: Json = False) -> None:
    """Let two names be of one entity, from the next `drift index` on, whatever is decided of them otherwise."""

    async def work(graph: Graph) -> list[tuple[str, str]]:
        standing = await _standing(graph)
        first, second = _known(name, standing), _known(other, standing)
        if first == second:
            raise IndexMismatch(f"{name!r} and {other!r} are one name already")
        return await _tell(graph, [(first, second)], same=True)

    _say(_of_index(work) or _unknown(name, {}), same=True, as_json=as_json)


@app.command()
def split(
    name: Name,
    other: Annotated[str | None, typer.Argument(metavar="[OTHER]", help="From this name alone.")] = None,
    as_json: Json = False,
) -> None:
    """Let a name be of another entity than the names it was merged with, from the next `drift index` on."""

    async def work(graph: Graph) -> list[tuple[str, str]]:
        standing = await _standing(graph)
        first = _known(name, standing)
        from_ = [_known(other, standing)] if other else _merged_with(first, standing)
        if first in from_:
            raise IndexMismatch(f"{name!r} and {other!r} are one name; only names that are told apart can be split")
        if not from_:
            raise IndexMismatch(f"{first} is merged with no other name: `drift entities merges` lists those that are")
        return await _tell(graph, [(first, one) for one in from_], same=False)

    _say(_of_index(work) or _unknown(name, {}), same=False, as_json=as_json)


def _of_index(work: Callable[[Graph], Awaitable[Any]]) -> Any:
    """Result of `work` on the index, None where nothing was ever stored."""
    from drift_assets.graph.schema import index_state as state
    from drift_assets.graph.schema import prepare, refuse_foreign
    from drift_assets.settings import load_settings

    settings = load_settings()

    async def ours(graph: Graph) -> Any:
        await refuse_foreign(graph)
        if await state(graph) is None:
            return None
        # An index of an older version lacks the constraint on decisions.
        await prepare(graph)
        return await work(graph)

    return None if never_used(settings) else with_graph(settings, ours)


async def _standing(graph: Graph) -> dict[str, str]:
    """The entity of each name."""
    from drift_assets.graph.resolution import stored_names

    return {one.name: one.entity for one in await stored_names(graph)}


async def _tell(graph: Graph, pairs: list[tuple[str, str]], *, same: bool) -> list[tuple[str, str]]:
    from drift_assets.graph.resolution import tell

    await tell(graph, same=same, pairs=pairs)
    return pairs


def _known(name: str, standing: Mapping[str, str]) -> str:
    from drift_assets.names import entity_key

    key = entity_key(name)
    return key if key in standing else _unknown(name, standing)


def _unknown(name: str, standing: Mapping[str, str]) -> Any:
    """Raises IndexMismatch with the nearest names."""
    from rapidfuzz import fuzz, process

    from drift_assets.names import entity_key

    near = process.extract(entity_key(name), sorted(standing), scorer=fuzz.WRatio, limit=NEAR, score_cutoff=60)
    hint = f"; did you mean {' or '.join(found[0] for found in near)}?" if near else ""
    raise IndexMismatch(f"the index knows no name {name!r}{hint}")


def _merged_with(name: str, standing: Mapping[str, str]) -> list[str]:
    return [other for other, entity in sorted(standing.items()) if entity == standing[name] and other != name]


def _say(pairs: list[tuple[str, str]], *, same: bool, as_json: bool) -> None:
    if as_json:
        show_json({"told": [{"first": first, "second": second, "same": same} for first, second in pairs]})
        return
    for first, second in pairs:
        show(f"{first} {'=' if same else '≠'} {second}")
    show(f"The next `drift index` carries {counted(len(pairs), 'decision')} out; `drift entities merges` shows them.")
