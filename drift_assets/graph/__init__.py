"""All that speaks to Neo4j: the only place with Cypher and the driver."""
