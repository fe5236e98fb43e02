"""What the index and the search cost and how good the answers are, measured by running them as a person would.

Each module is a command: `python -m benchmarks.index --help` and so on, from the root of a clone. The figures that they
brought stand in docs/performance.md and docs/evaluation.md.
"""
