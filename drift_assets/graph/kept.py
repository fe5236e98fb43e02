"""Which stored searches stay: the newest so many, and none that is older than wanted."""

from __future__ import annotations

from drift_assets.graph.connection import Graph

# A search that still says it is running is left alone for so long.
_RUNNING_SECONDS = 24 * 60 * 60
_BATCH = 20


async def forget_searches(graph: Graph, *, number: int | None, seconds: float | None, now: float) -> int:
    """Searches beyond the newest `number`, and those older than `seconds`, are gone with their questions and passages.

    None is no bound. Returns how many went.
    """
    if number is None and seconds is None:
        return 0
    rows = await graph.read(
        "MATCH (s:__Search__) WITH s ORDER BY s.created DESC, s.id DESC WITH collect(s) AS searches "
        "UNWIND range(0, size(searches) - 1) AS place WITH searches[place] AS s, place "
        "WHERE ((NOT $number IS NULL AND place >= $number) OR (NOT $before IS NULL AND s.created < $before)) "
        "AND (s.status <> 'running' OR s.created < $running) RETURN s.id AS id ORDER BY id",
        number=number,
        before=None if seconds is None else now - seconds,
        running=now - _RUNNING_SECONDS,
    )
    ids = [row["id"] for row in rows]
    for start in range(0, len(ids), _BATCH):
        await graph.write(
            "UNWIND $ids AS id CALL (id) { "
            "MATCH (q:__Question__) WHERE q.id STARTS WITH id + '.' RETURN collect(q) AS questions } "
            "CALL (id) { MATCH (p:__Passage__) WHERE p.id STARTS WITH id + '#' RETURN collect(p) AS passages } "
            "MATCH (s:__Search__ {id: id}) "
            "FOREACH (node IN questions | DETACH DELETE node) FOREACH (node IN passages | DETACH DELETE node) "
            "DETACH DELETE s",
            ids=ids[start : start + _BATCH],
        )
    return len(ids)
