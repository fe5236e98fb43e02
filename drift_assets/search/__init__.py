"""DRIFT search: one module per stage of the job `drift_search`."""
