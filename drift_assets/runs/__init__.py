"""Running the project's Dagster jobs from the command line, with kept history, and serving Dagster's UI."""
