"""What the entities of a question would bring that a search has not read yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from drift_assets.graph.connection import Graph

# Chunks of one entity that are looked at: of one that stands everywhere a part says enough.
_LOOKED_AT = 500


async def unseen_shares(graph: Graph, *, names: Sequence[Sequence[str]], read: Collection[str]) -> list[float]:
    """For each list of entities the share of their mentions that stands in chunks other than those `read`.

    1.0 where they have no mention: nothing is known against it.
    """
    rows = await graph.read(
        "UNWIND range(0, size($names) - 1) AS place UNWIND $names[place] AS name "
        "MATCH (e:__Entity__ {name: name}) "
        "CALL (e) { MATCH (e)<-[:MENTIONS]-(c:__Chunk__) RETURN c.id AS id ORDER BY id LIMIT $most } "
        "RETURN place, count(id) AS mentions, sum(CASE WHEN id IN $read THEN 0 ELSE 1 END) AS unseen ORDER BY place",
        names=[list(dict.fromkeys(group)) for group in names],
        read=sorted(read),
        most=_LOOKED_AT,
    )
    shares = [1.0] * len(names)
    for row in rows:
        shares[row["place"]] = row["unseen"] / row["mentions"]
    return shares
