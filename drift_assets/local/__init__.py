"""What lets it run with nothing installed: the managed Neo4j server and the model files."""
