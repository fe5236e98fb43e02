"""Ingestion: one Dagster asset per stage, in the order the data flows."""
