"""A GraphRAG index kept in Neo4j by Dagster assets, and DRIFT search over it as a Dagster job."""

__version__ = "0.1.0"
