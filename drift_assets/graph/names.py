"""The names that the graph uses for properties and relationships, made known to the server before the first is written.

Neo4j plans a query anew when one of its names has come into being since: the queries of a first index and of a first
search again and again, as each stage writes something for the first time.
"""

from __future__ import annotations

from drift_assets.graph.connection import Graph

RELATIONSHIPS = """
    ASKED IN_COMMUNITY IN_FORMER_COMMUNITY LED_TO MENTIONS NEXT_CHUNK PART_OF READ RELATIONSHIP SUMMARIZED_RELATIONSHIP
"""
PROPERTIES = """
    aliases answer calls chunk_id chunking cited clustered clustering clustering_setting content_hash corpus
    corpus_version cost_usd created demo described described_by description description_hash dimensions document
    embed_failed_for embed_failure embed_skipped embedded embedding embedding_2 embedding_model end extraction
    failed_for failure findings finished first follow_ups former generation gone grounded hyde id key kind
    last_page leaf lease_asked lease_run lease_until lease_worker level metadata model name number options order
    origin page position question question_vector rating rating_explanation reason relinked removed report_key
    report_version resolved round run_id same schema_version score search_id second seconds size skipped source
    source_id spelling stale standalone start status steps strength summary summary_key target text text_hash
    title tokens told touched type uri vector vectors weight
"""


async def make_known(graph: Graph) -> None:
    """The server knows these names; those that it knows stay as they are."""
    await graph.write("UNWIND $names AS name CALL db.createRelationshipType(name)", names=RELATIONSHIPS.split())
    await graph.write("UNWIND $names AS name CALL db.createProperty(name)", names=PROPERTIES.split())
