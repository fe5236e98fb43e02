"""What an index run would find to be done already, asked before it."""

from __future__ import annotations

from collections.abc import Sequence

from drift_assets.graph.connection import Graph
from drift_assets.graph.entities import STALE


async def extracted_texts(graph: Graph, hashes: Sequence[str], *, version: str) -> set[str]:
    """Those of the text hashes that some chunk has an extraction of this version of."""
    rows = await graph.read(
        "UNWIND $hashes AS hash MATCH (c:__Chunk__ {text_hash: hash}) WHERE c.extraction = $version "
        "RETURN DISTINCT hash",
        hashes=list(hashes),
        version=version,
    )
    return {row["hash"] for row in rows}


async def stale_texts_of_others(graph: Graph, documents: Sequence[str], *, version: str) -> dict[str, int]:
    """Tokens by text hash of the texts that `stale_texts` brings of all but these documents."""
    rows = await graph.read(
        "MATCH (d:__Document__)<-[:PART_OF]-(c:__Chunk__) "
        "WHERE NOT d.id IN $documents AND " + STALE + "RETURN c.text_hash AS hash, max(c.tokens) AS tokens",
        documents=list(documents),
        version=version,
    )
    return {row["hash"]: row["tokens"] for row in rows}
