"""A stored search copied under a new id, as far as a later stage of it is to be done anew."""

from __future__ import annotations

from drift_assets.graph.connection import Graph, Transaction

# What a copied question took was paid by the search that it comes from.
_UNPAID = {"calls": 0, "tokens": 0, "cost_usd": 0.0, "seconds": 0.0}


async def copy_search(
    graph: Graph, *, source: str, id: str, run_id: str, options: str, created: float, rounds: int | None
) -> bool:
    """The search `id` has the start of `source`, its questions up to round `rounds` (None: all) and what these read.

    False, and nothing is changed, when `id` is taken or there is no `source`.
    """

    async def work(transaction: Transaction) -> bool:
        made = await transaction.run(
            "MATCH (s:__Search__ {id: $source}) OPTIONAL MATCH (old:__Search__ {id: $id}) "
            "WITH s, old WHERE old IS NULL "
            "CREATE (c:__Search__ {id: $id, run_id: $run_id, question: s.question, options: $options, "
            "status: 'running', created: $created, standalone: s.standalone, hyde: s.hyde, vector: s.vector, "
            "question_vector: s.question_vector}) RETURN c.id AS id",
            source=source,
            id=id,
            run_id=run_id,
            options=options,
            created=created,
        )
        if not made:
            return False
        await _copy_questions(transaction, source, id, rounds)
        await _copy_passages(transaction, source, id)
        return True

    return await graph.write_together(work)


async def _copy_questions(transaction: Transaction, source: str, id: str, rounds: int | None) -> None:
    await transaction.run(
        "MATCH (q:__Question__) WHERE q.id STARTS WITH $source + '.' AND ($rounds IS NULL OR q.round <= $rounds) "
        "CREATE (c:__Question__) "
        "SET c = q {.*, id: $id + substring(q.id, size($source)), search_id: $id}, c += $unpaid",
        source=source,
        id=id,
        rounds=rounds,
        unpaid=_UNPAID,
    )
    await transaction.run(
        "MATCH (parent:__Question__)-[:LED_TO]->(q:__Question__) WHERE q.id STARTS WITH $source + '.' "
        "MATCH (p:__Question__ {id: $id + substring(parent.id, size($source))}) "
        "MATCH (c:__Question__ {id: $id + substring(q.id, size($source))}) CREATE (p)-[:LED_TO]->(c)",
        source=source,
        id=id,
    )
    await transaction.run(
        "MATCH (s:__Search__ {id: $id}), (q:__Question__ {id: $id + '.0.0'}) CREATE (s)-[:ASKED]->(q)", id=id
    )


async def _copy_passages(transaction: Transaction, source: str, id: str) -> None:
    """What a copied question read, and what no question did, such as the report that the start was made from."""
    await transaction.run(
        "MATCH (p:__Passage__) WHERE p.id STARTS WITH $source + '#' "
        "OPTIONAL MATCH (q:__Question__)-[:READ]->(p) "
        "WITH p, collect($id + substring(q.id, size($source))) AS readers "
        "OPTIONAL MATCH (c:__Question__) WHERE c.id IN readers WITH p, readers, collect(c) AS copies "
        "WHERE size(readers) = 0 OR size(copies) > 0 "
        "CREATE (n:__Passage__) SET n = p {.*, id: $id + substring(p.id, size($source)), search_id: $id} "
        "FOREACH (c IN copies | CREATE (c)-[:READ]->(n))",
        source=source,
        id=id,
    )
